"""The last confirmation goes on past a bug that Assay itself fails on."""

import threading

import msgspec
import pytest

from assay.campaign.faults import Faults
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.triage import confirm
from assay.campaign.triage.interpreters import Interpreters
from assay.ir import Array, Finding, Trial
from assay.judge import Observed
from assay.targets import builtin_targets, resolve
from tests.reproduce.examples import error, inconsistency


def test_a_fault_in_one_script_or_replay_leaves_the_others_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = inconsistency()
    bad, arrays = error()
    bad = msgspec.structs.replace(bad, id="0bad", oracle="no-such-oracle")
    scripted = confirm.scripted

    def sometimes(bug: Finding, own: dict[str, Array], interpreters: Interpreters) -> Finding:
        if bug.id == bad.id:
            raise KeyError("lost")
        return scripted(bug, own, interpreters)

    monkeypatch.setattr(confirm, "scripted", sometimes)
    told: list[str] = []
    faults, stop = Faults(told.append), threading.Event()
    names = [name for name in good[0].targets if name != "reference"]
    targets = resolve([*names, "reference"], builtin_targets())
    confirmed = list(confirm.confirmed_anew([(bad, arrays), good], targets, faults, stop))
    assert [(item.id, item.category, item.evidence.anew) for item in confirmed] == [
        (good[0].id, "bug", True)
    ]
    # Neither its script nor its case could be asked: both are said, and it stays unconfirmed.
    assert faults.count == 2
    what = f"0bad (error of {bad.op})"
    assert told[0].startswith(
        f"the script of {what} was not run, by a fault of Assay's own: KeyError: 'lost'"
    )
    assert told[1].startswith(f"{what} was not replayed, by a fault of Assay's own: ")


class _Workers(Laboratory):
    """Keeps whom it was asked of."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def observe(self, trial: Trial, *given: object, **named: object) -> Observed:  # type: ignore[override]
        self.asked.append(trial.targets)
        return Observed(trial, {}, lambda target, op: target)


@pytest.mark.parametrize(
    ("enough", "asked", "category"),
    [(3, [3], "bug"), (4, [3, 4], "bug"), (5, [3, 4, 4, 4], "flaky")],
)
def test_fresh_workers_of_all_targets_are_asked_only_if_few_do_not_show_it(
    monkeypatch: pytest.MonkeyPatch, enough: int, asked: list[int], category: str
) -> None:
    def shows(bug: Finding, seen: Observed) -> bool:
        return len(seen.trial.targets) >= enough

    monkeypatch.setattr(confirm, "shows", shows)
    workers = _Workers()
    seen = confirm.seen_afresh(inconsistency()[0], workers, 1.0)
    assert [len(targets) for targets in workers.asked] == asked
    assert "keras-jax" not in workers.asked[0]
    assert seen.category == category
