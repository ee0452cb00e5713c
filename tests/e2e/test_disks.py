"""Disks that are read-only or full in the middle of a hunt."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from assay.store import open_store
from tests.e2e.command import Command, one_line, recorded
from tests.e2e.whole import CASES, Whole, prepare

Remount = Callable[[str], None]


def mount(*arguments: str) -> str:
    """Run mount; the reason if it is not possible here."""
    if shutil.which("mount") is None:
        return "there is no mount command"
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Remount]]:
    """A real disk of 320 KiB, and how to mount it again with other options."""
    place = tmp_path / "disk"
    place.mkdir()
    problem = mount("-t", "tmpfs", "-o", "size=320k", "tmpfs", str(place))
    if problem:
        pytest.skip(f"cannot mount a tmpfs here: {problem}")

    def remount(options: str) -> None:
        assert mount("-o", f"remount,{options}", str(place)) == ""

    with ExitStack() as stack:
        stack.callback(subprocess.run, ["umount", "-l", str(place)], check=True)
        yield place, remount


@pytest.mark.stress
def test_a_disk_that_fills_up_during_a_hunt_costs_nothing_that_was_judged(
    assay: Command, disk: tuple[Path, Remount], whole: Whole
) -> None:
    place, remount = disk
    arguments = (*prepare(assay), "--quiet", "--store", "disk/assay.db")
    line = one_line(assay(*arguments))
    assert f"no space left on the disk of {place}" in line
    assert "--resume" in line
    with open_store(str(place / "assay.db"), create=False) as store:
        (campaign,) = store.campaigns()
        assert 0 < campaign.next_trial < CASES
        assert not campaign.finished
        for finding in store.findings():
            store.arrays(finding.id)
    listed = assay("findings", "--all", "--store", "disk/assay.db")
    assert listed.code == 0

    remount("size=16m")
    resumed = assay(*arguments, "--resume")
    assert (resumed.code, resumed.err) == (1, "")
    assert recorded(place / "assay.db") == recorded(whole.store)


def test_a_read_only_disk_is_refused_before_anything_starts(
    assay: Command, disk: tuple[Path, Remount]
) -> None:
    place, remount = disk
    remount("ro")
    line = one_line(assay("hunt", "--cases", "2", "--store", "disk/assay.db"))
    assert f"{place}/assay.db cannot be written" in line
    assert "read-only" in line
    assert "--store" in line


def test_a_store_on_a_read_only_disk_can_be_read_but_not_hunted_with(
    assay: Command, disk: tuple[Path, Remount]
) -> None:
    _, remount = disk
    arguments = ["--targets", "keras-numpy", "--seed", "3", "--store", "disk/assay.db"]
    assert assay("hunt", "--cases", "3", *arguments).code in (0, 1)
    remount("ro")
    assert assay("findings", "--store", "disk/assay.db", "--json").code == 0
    line = one_line(assay("hunt", "--cases", "6", "--quiet", *arguments))
    assert "read-only" in line
