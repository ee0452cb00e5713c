"""What a runtime gives beside what a case expects: equal, or how it differs."""

import numpy as np
import pytest

from assay.ir.suite import Names, SuiteCase, Told, Value
from assay.judge.suite.comparing import coarse, difference, spacing
from assay.judge.suite.leaving_open import undefined
from assay.judge.suite.rounding import Answers, by_rounding


def tensor(numbers: object, dtype: str = "float32") -> Value:
    held = {"bfloat16": "float32", "float4_e2m1fn": "float32"}.get(dtype, dtype)
    return Value("tensor", dtype, np.array(numbers, held))


def texts(*words: str) -> Value:
    return Value("tensor", "string", shape=(len(words),), text=words)


def case(*outputs: Value, inputs: tuple[Value, ...] = (), **known: object) -> SuiteCase:
    plain: dict[str, object] = {
        "name": "test_case",
        "op": "onnx.Op",
        "opset": 20,
        "model": np.zeros(0, "uint8"),
        "names": Names((), tuple(f"y{place}" for place in range(len(outputs)))),
        "inputs": (),
        "expected": (),
        "told": Told(inputs, outputs),
        "rtol": 1e-3,
        "atol": 1e-7,
        "random": False,
        "expanded": False,
        "bodies": ("Op",),
    }
    return SuiteCase(**(plain | known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expected", "given", "what"),
    [
        (tensor([1.0, np.nan]), tensor([1.0005, np.nan]), None),
        (tensor([1.0]), tensor([1.002]), "number"),
        (tensor([np.inf]), tensor([3.4e38]), "special"),
        (tensor([np.inf]), tensor([np.inf]), None),
        (tensor([1000], "int32"), tensor([1001], "int32"), "number"),
        (tensor([1, 2], "int32"), tensor([1, 2], "int64"), "type"),
        (tensor([1.0]), tensor([[1.0]]), "shape"),
        (texts("a", "b"), texts("a", "c"), "text"),
        (texts("a"), texts("a"), None),
        (Value("sequence", items=(tensor([1.0]),)), tensor([1.0]), "type"),
        (
            Value("sequence", items=(tensor([1.0]), tensor([2.0]))),
            Value("sequence", items=(tensor([1.0]), tensor([3.0]))),
            "number",
        ),
        (Value("none"), Value("none"), None),
        (Value("none"), tensor([1.0]), "type"),
    ],
)
def test_values_are_equal_or_differ_in_one_way(
    expected: Value, given: Value, what: str | None
) -> None:
    found = difference(case(expected), [given])
    assert (found.what if found else None) == what


def test_what_draws_numbers_is_held_to_types_and_shapes_only() -> None:
    drawing = case(tensor([1.0, 2.0]), random=True)
    assert difference(drawing, [tensor([5.0, 6.0])]) is None
    assert difference(drawing, [tensor([5.0])]) is not None


def test_the_element_that_is_furthest_off_is_told() -> None:
    found = difference(case(tensor([[1.0, 2.0, 4.0]])), [tensor([[1.0, 2.1, 5.0]])])
    assert found is not None
    assert (found.position, found.expected, found.given) == ((0, 2), "4.0", "5.0")
    assert found.units == pytest.approx(2.0**21)
    assert found.share == pytest.approx(2 / 3)


def test_units_are_those_of_the_type() -> None:
    one = np.array([1.0])
    assert spacing("bfloat16", one)[0] == 2.0**-7
    assert spacing("float16", one)[0] == 2.0**-10
    assert spacing("int32", one)[0] == 0.0
    assert coarse("float8_e4m3fn")
    assert not coarse("bfloat16")


def answers(plain: Value, *moved: Value, precise: tuple[Value, ...] = ()) -> Answers:
    return Answers([plain], [[value] for value in moved], [[value] for value in precise])


def test_rounding_explains_what_moved_inputs_do() -> None:
    # A sum in which large terms cancel out: its own unit says nothing.
    expected = tensor([1e-3])
    moving = answers(expected, tensor([1e-3 + 6e-5]), tensor([1e-3 - 6e-5]))
    still = answers(expected, tensor([1e-3]), tensor([1e-3]))
    given = [tensor([1e-3 + 5e-4])]
    assert by_rounding(case(expected), given, moving) is True
    assert by_rounding(case(expected), given, still) is False


def test_rounding_explains_no_special_value_and_no_other_shape() -> None:
    expected = tensor([1.0, 2.0])
    moving = answers(expected, tensor([1.5, 2.5]))
    assert by_rounding(case(expected), [tensor([np.inf, 2.0])], moving) is False
    assert by_rounding(case(expected), [tensor([1.0])], moving) is False


def test_of_half_precision_few_units_are_granted() -> None:
    expected = tensor([1.0], "bfloat16")
    still = answers(expected, expected, expected)
    assert by_rounding(case(expected), [tensor([1.0 + 2.0**-7], "bfloat16")], still) is True
    assert by_rounding(case(expected), [tensor([1.0 + 2.0**-4], "bfloat16")], still) is False


def test_a_whole_number_may_be_its_neighbour_unless_the_definition_says_which() -> None:
    expected, given = tensor([2], "int8"), [tensor([1], "int8")]
    flips = (expected, tensor([1], "int8"))
    beside = answers(expected, *flips, precise=(expected, expected))
    edge = answers(expected, *flips, precise=flips)
    assert by_rounding(case(expected), given, beside) is True
    # 1.5, exactly: to the nearest even is 2.
    assert by_rounding(case(expected), given, edge) is False
    # Its own intermediate result may not be exact where there are several steps.
    assert by_rounding(case(expected, bodies=("Div", "Round")), given, edge) is True
    assert by_rounding(case(expected), [tensor([0], "int8")], beside) is False


def test_what_was_not_measured_is_not_known() -> None:
    expected = tensor([1.0])
    assert by_rounding(case(expected), [tensor([1.1])], answers(expected)) is None


@pytest.mark.parametrize(
    ("source", "expected", "given", "open"),
    [
        ([np.nan, 1.0], tensor([0.0, 1.0], "float4_e2m1fn"), [6.0, 1.0], True),
        ([np.nan, 1.0], tensor([0.0, 1.0], "float4_e2m1fn"), [6.0, 2.0], False),
        ([300.0, 1.0], tensor([44, 1], "int8"), [127, 1], True),
        ([100.0, 1.0], tensor([100, 1], "int8"), [99, 1], False),
        ([np.inf], tensor([np.inf], "float16"), [65504.0], False),
    ],
)
def test_only_what_a_type_does_not_hold_is_left_open(
    source: list[float], expected: Value, given: list[float], open: bool
) -> None:
    cast = case(expected, inputs=(tensor(source),), op="onnx.Cast")
    assert bool(undefined(cast, [tensor(given, expected.dtype)])) == open
    other = case(expected, inputs=(tensor(source),))
    assert not undefined(other, [tensor(given, expected.dtype)])
