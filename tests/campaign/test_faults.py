"""Faults of Assay's own: told, counted, and gone past; whatever else is raised is passed on."""

import errno

import pytest

from assay.campaign.faults import Faults
from assay.errors import Interrupted, StoreError, TargetError
from assay.execute import InternalWorkerError


def test_a_fault_is_told_with_its_type_message_and_place() -> None:
    told: list[str] = []
    faults = Faults(told.append, count=2)
    with faults.excused("trial 3 was not judged"):
        {}["lost"]
    with faults.excused("trial 4 was not judged"):
        pass
    with faults.excused("trial 5 was not judged"):
        raise InternalWorkerError("mine: KeyError: 'lost'\nmore")
    assert faults.count == 4
    place = "(test_faults.py line "
    assert told[0].startswith(
        f"trial 3 was not judged, by a fault of Assay's own: KeyError: 'lost' {place}"
    )
    assert told[1:] == ["trial 5 was not judged, by a fault of Assay's own: mine: KeyError: 'lost'"]


@pytest.mark.parametrize(
    "error",
    [
        StoreError("the store is gone"),
        TargetError("too few remain"),
        Interrupted(),
        MemoryError(),
        OSError(errno.ENOSPC, "No space left on device"),
        PermissionError(errno.EACCES, "Permission denied"),
        KeyboardInterrupt(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_is_no_fault_of_ours_ends_the_campaign(error: BaseException) -> None:
    told: list[str] = []
    with pytest.raises(type(error)), Faults(told.append).excused("trial 3 was not judged"):
        raise error
    assert told == []


def test_a_file_that_is_not_there_is_the_matter_of_one_finding() -> None:
    told: list[str] = []
    with Faults(told.append).excused("no script"):
        open("/nowhere/at/all")  # noqa: SIM115
    assert told[0].startswith("no script, by a fault of Assay's own: FileNotFoundError: ")
