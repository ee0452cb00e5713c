"""Scripts for random draws, which are judged by properties that hold whatever the seed."""

from typing import Any

from assay.ir import Node
from assay.reproduce.asking import Asking, inside
from assay.reproduce.literals import value_code
from assay.reproduce.program import CannotReproduce
from assay_worker import random_properties

_RUNS = 100
_PREFIX = "keras.random."
#: By dtype: what a few roundings change of a number, relative to it.
_ROUNDING = {"float16": 4e-3, "bfloat16": 3e-2}
_USUAL_ROUNDING = 5e-7
#: What a property is in code; names of arguments stand for their values. The bounds are those
#: of ``assay_worker.random_properties``: beyond them is less likely than 1e-300.
_CODE = {
    "repeats": "np.array_equal(draw, again, equal_nan=True)",
    "advances": "not np.array_equal(draw, again, equal_nan=True)",
    "within 40 standard deviations": "np.abs(draw - {mean}) <= 40 * {stddev} + {slack}",
    "within 2 standard deviations": "np.abs(draw - {mean}) <= 2 * {stddev} + {slack}",
    "from minval to maxval": "(draw >= {minval} - {slack}) & (draw <= {maxval} + {slack})",
    "maxval excluded": "draw < {maxval}",
    "in [minval, maxval)": "(draw >= {minval}) & (draw < {maxval})",
    "not negative": "draw >= 0",
    "in [0, 1]": "(draw >= 0) & (draw <= 1)",
    "gamma: within reach of the mean": "np.abs(draw - {alpha}) <= 40 * np.sqrt({alpha}) + 801",
    "beta: within reach of the mean": (
        "np.abs(draw - {alpha} / ({alpha} + {beta}))"
        " <= 20 / np.sqrt({alpha} + {beta} + 1) + {slack}"
    ),
    "whole numbers": "draw == np.floor(draw)",
    "in [0, counts]": "(draw >= 0) & (draw <= {counts} + {slack})",
    "certain outcomes": (
        "(np.abs({probabilities} - 0.5) < 0.5)"
        " | (np.abs(draw - {counts} * {probabilities}) <= {slack})"
    ),
    "binomial: within reach of the mean": (
        "np.abs(draw - {counts} * {probabilities}) <= 20 * np.sqrt({counts}) + {slack}"
    ),
    "in [0, classes)": "(draw >= 0) & (draw < {logits}.shape[1])",
    "never an impossible class": (
        "np.take_along_axis({logits}, np.clip(draw, 0, {logits}.shape[1] - 1).astype(int), 1)"
        " >= {logits}.max(axis=1, keepdims=True) - 100"
    ),
    "dropped or scaled": (
        "((draw == 0) & ({rate} > 0))"
        " | np.isclose(draw, {inputs} / max(1 - {rate}, 1e-9), rtol={relative})"
    ),
    "noise_shape drops together": (
        "((draw != 0) | ({inputs} == 0)).all(axis={along}) | (draw == 0).all(axis={along})"
    ),
    "a permutation along the axis": (
        "np.array_equal(np.sort(draw, axis={axis}), np.sort({x}, axis={axis}), equal_nan=True)"
    ),
    "moved": "not np.array_equal(draw, {x}, equal_nan=True)",
}


def is_draw(op: str) -> bool:
    """Is what the op gives a random draw?"""
    return bool(random_properties.names(op))


def draws(asking: Asking) -> list[str]:
    """Present if one of many draws lacks the property."""
    finding = asking.finding
    if len(finding.case.graph.nodes) > 1:
        raise CannotReproduce("the random draw lies within a graph")
    (node,) = finding.case.graph.nodes
    name = _property(asking)
    program = asking.program()
    values = _values(node, program.names)
    made = value_code(node.params.get("seed"))
    call, before = program.result, list(program.tensors)
    if "SeedGenerator" in made:
        call = call.replace(f"seed={made}", "seed=generator")
        before.append(f"generator = {made}")
    drawn = f"draw = keras.ops.convert_to_numpy({call})"
    second = [f"again = keras.ops.convert_to_numpy({call})"] if name in _CODE_OF_TWO else []
    told = ("draw", "again") if second else ("draw",)
    if name == "dtype":
        drawn = f"draw = {call}"
    return [
        *before,
        "keras.utils.set_random_seed(0)",
        f"for run in range({_RUNS}):",
        *inside(drawn, *second),
        f"    if not {_wrapped(name, node, values)}:",
        f'        print("expected {_said(name)}, actual", {", ".join(told)})',
        "        raise SystemExit(0)",
        f'print("expected {_said(name)}, as are {_RUNS} draws")',
        "raise SystemExit(1)",
    ]


_CODE_OF_TWO = ("repeats", "advances")


def _said(name: str) -> str:
    texts = {
        "shape": "the shape that was asked for",
        "dtype": "the dtype that was asked for",
        "repeats": "the same draw for the same seed",
        "advances": "another draw each time",
    }
    return texts.get(name, name)


def _property(asking: Asking) -> str:
    """The property that the faulty target's draw lacks."""
    finding = asking.finding
    names = random_properties.names(finding.op)
    position = finding.evidence.position
    if len(position) == 1 and position[0] < len(names):
        return str(names[position[0]])
    stored = asking.arrays.get(f"{asking.sides.faulty[0]}/{finding.evidence.where}")
    lacking = (
        [n for n, truth in zip(names, stored, strict=False) if not truth]
        if (stored is not None)
        else []
    )
    if not lacking:
        raise CannotReproduce("it is not recorded which property the random draw lacks")
    return str(lacking[0])


def _values(node: Node, names: dict[str, str]) -> dict[str, str]:
    """The code of each argument's value: an input's array, a parameter, or the default."""
    given: list[Any] = list(node.inputs)
    values: dict[str, str] = {}
    for item in random_properties.signature(node.op):
        if item.name in node.params:
            values[item.name] = value_code(node.params[item.name])
        elif item.name in node.arguments and "$tensor" in str(node.arguments[item.name]):
            values[item.name] = _array(names[node.arguments[item.name]["$tensor"]])
        elif given:
            values[item.name] = _array(names[given.pop(0)])
        else:
            values[item.name] = value_code(item.default)
    return values


def _array(name: str) -> str:
    return f"keras.ops.convert_to_numpy({name})"


def _wrapped(name: str, node: Node, values: dict[str, str]) -> str:
    if name == "shape":
        wanted = values.get("shape") or f"{values.get('inputs') or values.get('x')}.shape"
        if node.op == "keras.random.categorical":
            wanted = f"(len({values['logits']}), {values['num_samples']})"
        return f"draw.shape == {wanted}"
    if name == "dtype":
        usual = '"float32"' if "shape" in values else ""
        wanted = values.get("dtype", "None")
        if wanted == "None":
            wanted = usual or f"str({values.get('inputs') or values.get('x')}.dtype)"
        return f"keras.backend.standardize_dtype(draw.dtype) == {wanted}"
    op = node.op.removeprefix(_PREFIX)
    code = _CODE.get(name) or _CODE.get(f"{op}: {name}")
    if code is None:
        raise CannotReproduce(f"a random draw is judged by its {name}, which no script shows yet")
    relative = _ROUNDING.get(values.get("dtype", "").strip('"'), _USUAL_ROUNDING)
    largest = max([1.0, *(abs(v) for v in node.params.values() if type(v) in (int, float))])
    noise = node.params.get("noise_shape") or []
    along = tuple(place for place, length in enumerate(noise) if length == 1)
    filled = code.format(
        **values, slack=f"{relative * largest:.1g}", relative=f"{relative:.1g}", along=along
    )
    return filled if name in ("advances", "repeats", "moved") else f"np.all({filled})"
