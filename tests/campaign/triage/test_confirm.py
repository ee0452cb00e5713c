"""The last confirmation goes on past a bug that Assay itself fails on."""

import threading

import msgspec
import pytest

from assay.campaign.faults import Faults
from assay.campaign.triage import confirm
from assay.campaign.triage.interpreters import Interpreters
from assay.ir import Array, Finding
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
