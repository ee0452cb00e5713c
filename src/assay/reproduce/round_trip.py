"""Scripts for objects that change on their way through a configuration or a file."""

from assay.reproduce.asking import Asking, inside
from assay.reproduce.failures import if_raised
from assay.reproduce.program import CannotReproduce, Program
from assay.reproduce.sides import tolerance
from assay.reproduce.title import exception_name


def round_trip(asking: Asking) -> list[str]:
    """Compare the object with what comes back of it."""
    finding = asking.finding
    if asking.dialect.builds:
        raise CannotReproduce(f"{asking.speaker.library.name} is asked for no round trips")
    if not finding.round_trip:
        raise CannotReproduce("it compares equivalent programs, which have no scripts yet")
    program = asking.program(named=True)
    if len(program.objects) == 0 or len(finding.case.graph.nodes) != 1:
        raise CannotReproduce("it has no single object that makes a round trip")
    told = [item.summary for item in finding.evidence.observations if item.target in finding.blamed]
    if told and all(text.startswith("gradient:") for text in told):
        raise CannotReproduce("only gradients differ, of which it knows nothing")
    if finding.round_trip == "save" and program.layers:
        before, again = _through_file(asking, program)
    else:
        before, again = _through_configuration(program)
    failure = exception_name(finding.evidence.message)
    if failure:
        return [
            *before,
            "try:",
            *inside(*again),
            "except Exception as error:",
            '    print(f"expected no exception, actual {type(error).__name__}: {error}")',
            *inside(*if_raised(asking)),
            'print("no exception")',
            f"raise SystemExit({asking.absent})",
        ]
    close = f"np.allclose(a, b, rtol=1e-3, atol={tolerance(finding) or 1e-3:.2g}, equal_nan=True)"
    return [
        *before,
        *again,
        'print("before", before, "after", after)',
        "same = [",
        f"    a.shape == b.shape and {close}",
        "    for a, b in zip(before, after)",
        "]",
        f"raise SystemExit({asking.absent} if all(same) else 0)",
    ]


def _numpy(result: str) -> str:
    return f"[keras.ops.convert_to_numpy(item) for item in keras.tree.flatten({result})]"


def _through_configuration(program: Program) -> tuple[list[str], list[str]]:
    first, *weights = program.objects
    name = first.partition(" = ")[0]
    result = f"result = {program.result}"
    before = [
        *program.tensors,
        "",
        f"def run({name}):",
        *inside(*weights, *program.calls, result, f"return {_numpy('result')}"),
        "",
        first,
        f"before = run({name})",
    ]
    again = [f"again = type({name}).from_config({name}.get_config())", "after = run(again)"]
    return before, again


def _through_file(asking: Asking, program: Program) -> tuple[list[str], list[str]]:
    case = asking.finding.case
    names = ", ".join(program.names[item.name] for item in case.graph.inputs)
    inputs = ", ".join(
        f'keras.Input(batch_shape={item.shape}, dtype="{item.dtype}")' for item in case.graph.inputs
    )
    training = ", training=True" if case.training else ""
    places = {item.name: f"inputs[{place}]" for place, item in enumerate(case.graph.inputs)}
    (node,) = case.graph.nodes
    arguments = ", ".join(
        places[item] if isinstance(item, str) else f"[{', '.join(places[name] for name in item)}]"
        for item in node.inputs
    )
    before = [
        *program.tensors,
        *program.objects,
        f"before = {_numpy(program.result)}",
        # The call may have changed them.
        *program.objects[2:],
    ]
    again = [
        f"inputs = [{inputs}]",
        f"model = keras.Model(inputs, {program.layers[0]}({arguments}))",
        "with tempfile.TemporaryDirectory() as folder:",
        '    model.save(folder + "/model.keras")',
        '    loaded = keras.saving.load_model(folder + "/model.keras", compile=False)',
        f"after = {_numpy(f'loaded([{names}]{training})')}",
    ]
    return before, again
