"""Every oracle keeps the contract, and the shipped checks catch those that do not."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from assay.ir import Verdict
from assay.judge import ORACLES, Observed, Oracle, contract, oracle
from tests.judge import test_rewriting as rewriting
from tests.judge.examples import EXAMPLES
from tests.judge.test_equivalent import DECIDED, RIGHT, TORCH, answers

#: For the oracle of equivalent programs: (failing, healthy).
PROGRAMS = (
    [answers(*given) for given in DECIDED.values()],
    [answers((TORCH, RIGHT), (f"{TORCH}#rule:r", RIGHT))],
)
#: For the oracle of a rule's program.
REWRITTEN = (
    [
        rewriting.answers(rewriting.RIGHT, rewriting.RIGHT[:3]),
        rewriting.answers(rewriting.RIGHT, 1 - rewriting.RIGHT),
    ],
    [rewriting.answers(rewriting.RIGHT, rewriting.RIGHT)],
)


@pytest.mark.parametrize("tested", ORACLES, ids=lambda item: item.name)
def test_every_oracle_keeps_the_contract(tested: Oracle) -> None:
    own = {"equivalence": PROGRAMS, "rewrite": REWRITTEN}
    failing, healthy = {**EXAMPLES, **own}[tested.name]
    contract.check_all(tested, failing, healthy)


def test_oracles_are_found_by_name() -> None:
    assert [oracle(item.name) for item in ORACLES] == list(ORACLES)
    assert len({item.name for item in ORACLES}) == len(ORACLES)


class Faulty:
    """The numeric oracle with one fault."""

    name = "numeric"

    def __init__(self, change: Callable[[list[Verdict], int], list[Verdict]]) -> None:
        self._change, self._calls = change, 0

    def judge(self, observed: Observed) -> list[Verdict]:
        self._calls += 1
        return self._change(oracle("numeric").judge(observed), self._calls)


def _with(**changes: Any) -> Callable[[list[Verdict], int], list[Verdict]]:
    def change(verdicts: list[Verdict], call: int) -> list[Verdict]:
        return [msgspec.structs.replace(verdict, **changes) for verdict in verdicts]

    return change


def _unstable(verdicts: list[Verdict], call: int) -> list[Verdict]:
    return [msgspec.structs.replace(verdict, magnitude=float(call)) for verdict in verdicts]


(SOME, *_), HEALTHY = EXAMPLES["numeric"]
ALWAYS = oracle("numeric").judge(SOME)


@pytest.mark.parametrize(
    ("faulty", "message"),
    [
        (Faulty(lambda verdicts, call: []), "sees nothing in failing 0"),
        (Faulty(lambda verdicts, call: ALWAYS), "sees a fault in healthy 0"),
        (Faulty(_unstable), "differently the second time"),
        (Faulty(_with(oracle="other")), "says it is of 'other'"),
        (Faulty(_with(kind="oddity")), "unknown kind 'oddity'"),
        (Faulty(_with(stage="sideways")), "unknown stage 'sideways'"),
        (Faulty(_with(category="meh")), "unknown category 'meh'"),
        (Faulty(_with(op="")), "which op"),
        (Faulty(_with(node="n9")), "unknown node 'n9'"),
        (Faulty(_with(targets=("keras-mxnet",))), "did not run: .'keras-mxnet'"),
        (Faulty(_with(targets=("keras-jax",))), "not about: .'keras-torch'"),
        (Faulty(_with(evidence=msgspec.structs.replace(ALWAYS[0].evidence, reason=""))), "reason"),
        (
            Faulty(_with(evidence=msgspec.structs.replace(ALWAYS[0].evidence, observations=()))),
            "no observations",
        ),
        (Faulty(_with(magnitude=1)), "changes in JSON"),
    ],
)
def test_a_broken_promise_is_named(faulty: Faulty, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        contract.check_all(faulty, [SOME], HEALTHY)


def test_an_oracle_that_changes_what_it_is_given_is_named() -> None:
    def spoil(verdicts: list[Verdict], call: int) -> list[Verdict]:
        observed.traces["keras-jax"].arrays["loss"] += 1
        return verdicts

    from tests.judge.observations import one_differs

    observed = one_differs({"output:n2": [[0.25, -2.0]]})
    with pytest.raises(AssertionError, match="changes the traces"):
        contract.check_deterministic(Faulty(spoil), [observed])


def test_checks_without_examples_are_no_checks() -> None:
    with pytest.raises(AssertionError, match="no failing observation"):
        contract.check_all(oracle("numeric"), [], HEALTHY)
    with pytest.raises(AssertionError, match="no healthy observation"):
        contract.check_all(oracle("numeric"), [SOME], [])
