"""The contract of an oracle as checks: run them on your own oracle in your tests.

    from assay.judge import contract

    def test_my_oracle_keeps_the_contract():
        contract.check_all(MyOracle(), failing=[observed_with_the_fault], healthy=[all_agree])

``failing`` are observations in which the oracle must see a disagreement,
``healthy`` those in which it must see none. Each check raises ``AssertionError``
saying which promise is broken.
"""

from collections.abc import Sequence

from assay.ir import CATEGORIES, KINDS, STAGES, Verdict, content_hash, from_json, to_json
from assay.judge._base import Observed, Oracle
from assay.judge.identity import fingerprint


def check_all(oracle: Oracle, failing: Sequence[Observed], healthy: Sequence[Observed]) -> None:
    """Every check."""
    _require(bool(failing), "no failing observation to check with")
    _require(bool(healthy), "no healthy observation to check with")
    check_sees(oracle, failing, healthy)
    check_deterministic(oracle, failing)
    check_well_formed(oracle, failing)
    check_round_trip(oracle, failing)


def _require(holds: bool, message: str) -> None:
    if not holds:  # not an assert statement: those vanish under python -O
        raise AssertionError(message)


def check_sees(oracle: Oracle, failing: Sequence[Observed], healthy: Sequence[Observed]) -> None:
    """A verdict for every failing observation, none for a healthy one."""
    for place, observed in enumerate(failing):
        _require(bool(oracle.judge(observed)), f"{oracle.name} sees nothing in failing {place}")
    for place, observed in enumerate(healthy):
        _require(not oracle.judge(observed), f"{oracle.name} sees a fault in healthy {place}")


def check_deterministic(oracle: Oracle, failing: Sequence[Observed]) -> None:
    """Judging twice gives equal verdicts, and changes nothing it was given."""
    for place, observed in enumerate(failing):
        before = content_hash(dict(observed.traces))
        first, second = oracle.judge(observed), oracle.judge(observed)
        same = content_hash(first) == content_hash(second)
        _require(same, f"{oracle.name} judges failing {place} differently the second time")
        unchanged = content_hash(dict(observed.traces)) == before
        _require(unchanged, f"{oracle.name} changes the traces of failing {place}")


def check_well_formed(oracle: Oracle, failing: Sequence[Observed]) -> None:
    """Verdicts use the vocabulary, name what exists, and say why."""
    for observed in failing:
        nodes = {"", "loss"}.union(n.id for case in observed.trial.cases for n in case.graph.nodes)
        for verdict in oracle.judge(observed):
            name = f"{oracle.name}'s verdict on {verdict.op or 'no op'}"
            _require(verdict.oracle == oracle.name, f"{name} says it is of {verdict.oracle!r}")
            _require(verdict.kind in KINDS, f"{name} has the unknown kind {verdict.kind!r}")
            _require(verdict.stage in STAGES, f"{name} has the unknown stage {verdict.stage!r}")
            known = verdict.category in CATEGORIES
            _require(known, f"{name} has the unknown category {verdict.category!r}")
            _require(bool(verdict.op), f"{name}: which op disagrees?")
            _require(verdict.node in nodes, f"{name} names the unknown node {verdict.node!r}")
            _check_targets(name, verdict, observed)
            _require(bool(verdict.evidence.reason), f"{name} gives no reason")
            _require(bool(verdict.evidence.observations), f"{name} shows no observations")


def _check_targets(name: str, verdict: Verdict, observed: Observed) -> None:
    strangers = sorted(set(verdict.targets) - set(observed.trial.targets))
    _require(not strangers, f"{name} is about targets that did not run: {strangers}")
    strangers = sorted(set(verdict.blamed) - set(verdict.targets))
    _require(not strangers, f"{name} blames targets it is not about: {strangers}")


def check_round_trip(oracle: Oracle, failing: Sequence[Observed]) -> None:
    """Verdicts survive JSON unchanged, and so does what identifies them."""
    for observed in failing:
        for verdict in oracle.judge(observed):
            again = from_json(to_json(verdict), Verdict)
            same = content_hash(again) == content_hash(verdict)
            _require(same, f"{oracle.name}'s verdict on {verdict.op} changes in JSON")
            blamed = observed.implementations(list(verdict.blamed), verdict.op)
            same = fingerprint(again, blamed) == fingerprint(verdict, blamed)
            _require(same, f"{oracle.name}'s verdict on {verdict.op} changes identity in JSON")
