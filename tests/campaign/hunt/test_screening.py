"""Screening: what is said of a trial, whatever goes wrong."""

from assay.campaign.faults import Faults
from assay.campaign.hunt.records import Executed
from assay.campaign.hunt.screening import screen
from assay.execute import InternalWorkerError
from assay.ir import Agreement, Trial
from assay.judge import ORACLES, Observed
from tests.judge.observations import TARGETS, all_ok, one_differs, votes


def screened(seen: Observed, fault: InternalWorkerError | None = None) -> tuple[int, list[str]]:
    told: list[str] = []
    result = screen(Executed(seen.trial, seen, fault=fault), ORACLES, Faults(told.append))
    return len(result.disputes), told


def test_what_oracles_see_is_disputed() -> None:
    assert screened(all_ok()) == (0, [])
    assert screened(one_differs({"output:n2": [[0.25, -2.0]]})) == (1, [])


def test_a_fault_of_the_worker_is_told_and_nothing_is_judged() -> None:
    disputes, told = screened(one_differs({"output:n2": [[0.25, -2.0]]}), InternalWorkerError("x"))
    assert disputes == 0
    assert told == ["trial 0 was not judged, by a fault of Assay's own: x"]


def test_arms_whose_relation_nobody_judges_are_no_agreement() -> None:
    seen = all_ok()
    trial = Trial(
        7, "test", seen.trial.cases, seen.trial.arms, (Agreement("version", TARGETS[:2]),)
    )
    disputes, told = screened(Observed(trial, seen.traces, votes, seen.platforms))
    assert disputes == 0
    (line,) = told
    assert "no oracle judges arms that are related as ['version']" in line
