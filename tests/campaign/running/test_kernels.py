"""A target with other kernels speaks only where these differ."""

import numpy as np
import pytest

from assay.campaign.running.kernels import usual_of, without_echoes
from assay.ir import AGAIN, REFERENCE, Arm, Failure, Trace, Trial
from assay.targets import Target, builtin_targets
from tests.factories import make_finding

USUAL, OTHER = "keras-tensorflow", "keras-tensorflow+onednn"
CASE = make_finding().case
ONE = np.array([1.0], "float32")


def trial(again: bool = False) -> Trial:
    made = Trial(0, "test", (CASE,), tuple(map(Arm, (USUAL, OTHER, "keras-torch", REFERENCE))))
    return made.again() if again else made


def ok(name: str, *values: float) -> Trace:
    return Trace(name, "ok", {"output:n0": np.array(values, "float32")})


def failed(name: str, exception: str, node: str = "n0", status: str = "error") -> Trace:
    return Trace(name, status, {}, Failure("forward", exception, "words", node))  # type: ignore[arg-type]


def heard(*traces: Trace, again: bool = False) -> tuple[str, ...]:
    """The targets that are judged."""
    known = {trace.arm: trace for trace in traces}
    asked, left = without_echoes(trial(again), known, {OTHER: USUAL})
    assert set(left) <= {arm.name for arm in asked.arms}
    assert (OTHER in left) is (OTHER in asked.targets)
    return asked.targets


def test_the_usual_kernels_are_those_of_the_same_interpreter_and_prelude() -> None:
    known = builtin_targets()
    both = (known[USUAL], known[OTHER], known["keras-torch"])
    assert usual_of(both) == {OTHER: USUAL}
    assert usual_of(both[1:]) == {}
    patched = Target("mine", "keras", "tensorflow", prelude="mine.py")
    assert usual_of((patched, known[OTHER])) == {}


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        (ok(USUAL, 1.0), ok(OTHER, 1.0)),
        (ok(USUAL, 1.0), ok(OTHER, 1.0000001)),
        (failed(USUAL, "UnimplementedError"), failed(OTHER, "InvalidArgumentError")),
    ],
    ids=["same", "rounding", "another exception"],
)
def test_who_says_the_same_is_not_heard(usual: Trace, other: Trace) -> None:
    assert heard(usual, other, ok("keras-torch", 1.0)) == (USUAL, "keras-torch", REFERENCE)


def test_who_was_not_asked_is_not_asked_to_explain_either() -> None:
    assert OTHER not in heard(ok(USUAL, 1.0), ok("keras-torch", 2.0))


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        (ok(USUAL, 1.0), ok(OTHER, 2.0)),
        (ok(USUAL, 1.0), ok(OTHER, 1.0, 1.0)),
        (ok(USUAL, 1.0), failed(OTHER, "InvalidArgumentError")),
        (failed(USUAL, "ValueError"), failed(OTHER, "SIGFPE", status="crash")),
        (failed(USUAL, "ValueError"), failed(OTHER, "ValueError", node="n1")),
    ],
    ids=["number", "shape", "raises", "dies", "elsewhere"],
)
def test_who_differs_is_heard(usual: Trace, other: Trace) -> None:
    assert OTHER in heard(usual, other, ok("keras-torch", 1.0))
    assert OTHER in heard(other, ok("keras-torch", 1.0))  # nobody with the usual kernels


@pytest.mark.parametrize(("second", "is_heard"), [(5.0, False), (1.0, True)])
def test_of_two_that_are_unsteady_one_is_enough(second: float, is_heard: bool) -> None:
    usual, other = Arm(USUAL, variant=AGAIN).name, Arm(OTHER, variant=AGAIN).name
    found = heard(ok(USUAL, 1), ok(usual, second), ok(OTHER, 1), ok(other, 7), again=True)
    assert (OTHER in found) is is_heard
