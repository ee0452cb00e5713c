"""The oracle for deliberately invalid values."""

import msgspec
import numpy as np
import pytest

from assay.ir import Case, Trace, Verdict
from assay.judge import ValidationOracle
from tests.judge.observations import (
    ARRAYS,
    CHAIN,
    TARGETS,
    died,
    observed,
    ok,
    raised,
    with_op,
)

TF, JAX, TORCH = TARGETS
_NHWC = "The Conv2D op currently only supports the NHWC tensor format on the CPU"

_CONV = with_op("keras.layers.Conv2D")


def validations(*traces: Trace, suspect: str = "units", case: Case = CHAIN) -> list[Verdict]:
    seen = observed(*traces, intent="invalid", spoilt=suspect, case=case)
    return ValidationOracle().judge(seen)


def test_who_accepts_what_the_majority_rejects_is_blamed() -> None:
    clear = raised(TF, stage="build", message="units must be positive")
    (verdict,) = validations(clear, raised(JAX), ok(TORCH))
    assert (verdict.kind, verdict.stage, verdict.category) == ("validation", "build", "bug")
    assert verdict.blamed == (TORCH,)
    assert verdict.responsible == ("units",)
    assert verdict.evidence.reason == f"{TORCH} accepts what {TF}, {JAX} rejects"


def test_an_error_that_does_not_speak_of_the_parameter_is_no_check() -> None:
    (verdict,) = validations(raised(TF), raised(JAX), ok(TORCH))
    assert verdict.category == "unsupported"
    (verdict,) = validations(raised(TF), raised(JAX, message="expected units > 0"), ok(TORCH))
    assert verdict.category == "bug"


def test_a_number_in_a_shape_or_a_device_is_not_the_parameters_value() -> None:
    (node,) = CHAIN.graph.nodes[:1]
    zero = msgspec.structs.replace(node, params={**node.params, "units": 0})
    graph = msgspec.structs.replace(CHAIN.graph, nodes=(zero, *CHAIN.graph.nodes[1:]))
    case = msgspec.structs.replace(CHAIN, graph=graph)
    accident = "{{function_node device:CPU:0}} Biases must be 1D: [0,2] or 10. Got -0.5."
    for message, category in ((accident, "unsupported"), ("must be positive, got 0.", "bug")):
        spoken = raised(TF, message=f"{message}\n\nArguments received by Dense.call(): 0")
        (verdict,) = validations(spoken, raised(JAX), ok(TORCH), case=case)
        assert verdict.category == category


def test_a_message_may_name_a_parameter_by_its_last_word() -> None:
    said = "Length of slice indices must match the number of dimensions"
    for parameter, category in (("start_indices", "bug"), ("update_slices", "unsupported")):
        spoken = raised(TF, message=said)
        (verdict,) = validations(spoken, raised(JAX), ok(TORCH), suspect=parameter)
        assert verdict.category == category


def test_what_the_reference_refuses_must_be_refused_by_a_library_too() -> None:
    spoken = raised("reference", message="expected units > 0")
    (verdict,) = validations(raised(TF), raised(JAX), ok(TORCH), spoken)
    assert verdict.category == "unsupported"


def test_who_rejects_what_the_majority_accepts_is_not_blamed() -> None:
    (verdict,) = validations(ok(TF), ok(JAX), raised(TORCH))
    assert verdict.blamed == ()
    assert verdict.evidence.reason == f"{TF}, {JAX} accepts what {TORCH} rejects"


def test_what_is_accepted_as_nan_here_and_as_a_number_there_means_nothing() -> None:
    clear = raised(TORCH, stage="build", message="units must be positive")
    name = "output:n3"
    nan = ok(JAX, {name: np.full_like(ARRAYS[name], np.nan)})
    (verdict,) = validations(ok(TF), nan, clear)
    assert (verdict.category, verdict.blamed) == ("bug", (JAX, TF))
    (verdict,) = validations(ok(TF), nan, raised(TORCH))
    assert (verdict.category, verdict.blamed) == ("unsupported", ())
    other = ok(JAX, {name: ARRAYS[name] + 1})
    (verdict,) = validations(ok(TF), other, clear)
    assert (verdict.category, verdict.blamed) == ("unsupported", ())


def test_numpy_has_a_say_where_its_semantics_are_promised() -> None:
    (node,) = CHAIN.graph.nodes[:1]
    quantile = msgspec.structs.replace(node, op="keras.ops.quantile", params={"q": 1.5})
    graph = msgspec.structs.replace(CHAIN.graph, nodes=(quantile,), outputs=(node.id,))
    case = msgspec.structs.replace(CHAIN, graph=graph, stage="forward")
    clear = raised(TORCH, node=node.id, message="q must be in the range [0, 1], got 1.5")
    (verdict,) = validations(ok(TF), ok(JAX), clear, suspect="q", case=case)
    assert (verdict.category, verdict.blamed) == ("bug", (JAX, TF))
    assert "NumPy" in verdict.evidence.reason


def test_one_against_one_is_undecidable() -> None:
    (verdict,) = validations(ok(TF), raised(TORCH), suspect="")
    assert (verdict.blamed, verdict.responsible) == ((), ())


def test_the_reference_has_no_say_in_validation() -> None:
    assert validations(raised(TF), raised(TORCH), ok("reference")) == []
    (verdict,) = validations(ok(TF), raised(TORCH), ok("reference"))
    assert verdict.blamed == ()


def test_all_accept_or_all_reject_is_agreement() -> None:
    assert validations(ok(TF), ok(JAX), ok(TORCH)) == []
    assert validations(raised(TF), raised(JAX), raised(TORCH)) == []


def test_a_crash_is_neither_acceptance_nor_rejection() -> None:
    assert validations(ok(TF), died(TORCH)) == []
    assert validations(raised(TF), died(TORCH)) == []


def test_a_refusal_of_a_valid_value_is_no_validation() -> None:
    (verdict,) = validations(raised(TF, message=_NHWC), ok(JAX), ok(TORCH), case=_CONV)
    assert (verdict.category, verdict.recognised) == ("unsupported", "tensorflow-cpu-nchw")


def test_who_does_what_numpy_does_accepts_no_nonsense() -> None:
    """An outer product, as NumPy gives it for no axes."""
    (node,) = CHAIN.graph.nodes[:1]
    name = CHAIN.graph.inputs[0].name
    product = msgspec.structs.replace(
        node, op="keras.ops.tensordot", inputs=(name, name), params={"axes": -1}
    )
    graph = msgspec.structs.replace(CHAIN.graph, nodes=(product,), outputs=(node.id,))
    case = msgspec.structs.replace(CHAIN, graph=graph, stage="forward")
    clear = [raised(t, node=node.id, message="axes must not be negative: -1") for t in (TF, TORCH)]
    (verdict,) = validations(*clear, ok(JAX), suspect="axes", case=case)
    assert (verdict.category, verdict.blamed) == ("unsupported", ())
    assert "NumPy" in verdict.evidence.reason


@pytest.mark.parametrize(
    "message",
    [
        "output dimensions must be positive [Op:ResizeBilinear]",
        "broadcast_in_dim shape must have every element be nonnegative",
        "linalg.matrix_norm: dims must be different",
    ],
)
def test_who_says_what_numbers_have_to_be_has_looked_at_them(message: str) -> None:
    (verdict,) = validations(raised(TF, message=message), raised(JAX), ok(TORCH), suspect="size")
    assert (verdict.category, verdict.blamed) == ("bug", (TORCH,))


def test_a_negative_number_is_part_of_no_shape() -> None:
    (node,) = CHAIN.graph.nodes[:1]
    below = msgspec.structs.replace(node, params={**node.params, "size": -1})
    graph = msgspec.structs.replace(CHAIN.graph, nodes=(below, *CHAIN.graph.nodes[1:]))
    case = msgspec.structs.replace(CHAIN, graph=graph)
    for message, category in (("output (H: 5, W: -1)", "bug"), ("by 0-1, or -1.5", "unsupported")):
        spoken = raised(TF, message=message)
        (verdict,) = validations(spoken, raised(JAX), ok(TORCH), suspect="size", case=case)
        assert verdict.category == category


def test_where_nobody_refuses_and_most_die_of_it_they_are_wrong() -> None:
    fails = [
        raised(target, message="division by zero", exception="builtins.ZeroDivisionError")
        for target in (TF, JAX)
    ]
    (verdict,) = validations(*fails, ok(TORCH), suspect="output_size")
    assert (verdict.category, verdict.blamed) == ("bug", (JAX, TF))
    (verdict,) = validations(fails[0], ok(JAX), ok(TORCH), suspect="output_size")
    assert verdict.category == "unsupported"


def test_who_gives_nothing_but_nan_for_it_is_wrong() -> None:
    clear = raised(TORCH, stage="build", message="units must be positive")
    nothing = {name: np.full(2, np.nan, "float32") for name in ARRAYS if "output:" in name}
    (verdict,) = validations(clear, ok(TF, nothing), ok(JAX, nothing))
    assert (verdict.category, verdict.blamed) == ("bug", (JAX, TF))
    some = {**nothing, "output:n3": np.array([np.nan, 1.0], "float32")}
    (verdict,) = validations(clear, ok(TF, some), ok(JAX, some))
    assert verdict.category == "unsupported"
