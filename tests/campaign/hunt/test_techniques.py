"""Techniques of others: what they get wrong is said as theirs, before anything is missed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from assay.campaign.hunt.techniques import Turns
from assay.errors import AssayError
from assay.ir import Agreement, Arm, Trace, Trial, Verdict
from assay.sources import Memoryless, Triple
from tests.judge.observations import CHAIN

GOOD = Trial(0, "odd", (CHAIN,), (Arm("a"), Arm("b")))


class Odd(Memoryless):
    """A source that gives whatever it was made with."""

    name = "odd"

    def __init__(self, trial: Any = GOOD, state: Any = None) -> None:
        self._trial, self._state = trial, state
        self.generation = 0 if state is None else 2

    def ask(self, index: int) -> Trial:
        if isinstance(self._trial, Exception):
            raise self._trial
        return self._trial  # type: ignore[no-any-return]

    def tell(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> None:
        raise RuntimeError("lost count")

    def state(self) -> dict[str, Any]:
        return {"known": self._state}

    def universe(self) -> frozenset[Triple]:
        return frozenset()


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        (RuntimeError("no idea"), "trial 4 could not be asked for: RuntimeError: no idea"),
        ("a trial", "expected a Trial; received str"),
        (Trial(0, "odd", (CHAIN,), ()), "at least one arm"),
        (Trial(0, "odd", (CHAIN,), (Arm("a", 3),)), "'a' names case 3 of 1"),
        (Trial(0, "odd", (CHAIN,), (Arm("elsewhere"),)), "'elsewhere' is on no target of the hunt"),
        (Trial(0, "odd", (CHAIN,), (Arm("a"), Arm("a"))), "two arms of the trial have one name"),
        (
            Trial(0, "odd", (CHAIN,), (Arm("a"),), (Agreement("equivalent", ("a", "a#x")),)),
            "arms that are not there must agree: a#x",
        ),
    ],
)
def test_a_trial_that_would_not_be_compared_is_refused(trial: Any, message: str) -> None:
    with pytest.raises(AssayError, match=message) as caught:
        Turns([Odd(trial)], {}, {"a", "b"}).ask(4)
    assert str(caught.value).startswith('technique "odd": ')


def test_what_fails_to_learn_or_to_be_saved_is_said_as_its_own() -> None:
    with pytest.raises(AssayError, match="trial 1 could not be told: RuntimeError: lost count"):
        Turns([Odd()], {}, {"a", "b"}).tell(1, (), ())
    with pytest.raises(AssayError, match="what it knows could not be saved"):
        Turns([Odd(state=np.float32(1))], {}, {"a", "b"}).state()
    assert Turns([Odd(state=1.0)], {}, {"a", "b"}).state()["odd"]["state"] == {"known": 1.0}
