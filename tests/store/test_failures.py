"""Full, read-only and locked: one clear line, and nothing committed is lost."""

import os
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from assay.errors import StoreError
from assay.store import open_store
from tests.factories import make_arrays, make_finding

Remount = Callable[[str], None]


def mount(*arguments: str) -> str:
    """Run mount; the reason if it is not possible here."""
    if shutil.which("mount") is None:
        return "there is no mount command"
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Remount]]:
    """A real disk of 256 KiB, and how to mount it again with other options."""
    place = tmp_path / "disk"
    place.mkdir()
    problem = mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place))
    if problem:
        pytest.skip(f"cannot mount a tmpfs here: {problem}")

    def remount(options: str) -> None:
        problem = mount("-o", f"remount,{options}", str(place))
        assert problem == ""

    with ExitStack() as stack:
        stack.callback(subprocess.run, ["umount", "-l", str(place)], check=True)
        yield place, remount


def fill(url: str, size: int, with_arrays: bool) -> tuple[int, str]:
    """Record until the disk is full; how many trials were committed, and the error."""
    with open_store(url) as store:
        campaign = store.start_campaign(7, {"seed": 7}, {})
        for index in range(1000):
            arrays = make_arrays(index, size) if with_arrays else {}
            try:
                store.record_trial(campaign.id, index, [(make_finding(index), arrays)], {}, 1.0)
            except StoreError as error:
                return index, str(error)
    raise AssertionError("the disk never filled up")


@pytest.mark.parametrize(
    ("size", "with_arrays", "refused"),
    [(6000, True, "assay-artefacts/"), (12, True, "assay.db"), (0, False, "assay.db")],
    ids=["artefact", "row after its artefact", "row"],
)
def test_a_full_disk_loses_nothing_that_was_committed(
    disk: tuple[Path, Remount], size: int, with_arrays: bool, refused: str
) -> None:
    place, remount = disk
    path = place / "assay.db"
    committed, message = fill(str(path), size, with_arrays)
    assert committed > 0
    assert message.startswith(f"no space left on the disk of {place}/{refused}")
    assert "--resume" in message
    assert "\n" not in message
    written = [path.name for path in place.glob("assay-artefacts/*")]
    kept = [f"{make_finding(index).id}.safetensors" for index in range(committed)]
    assert sorted(written) == (sorted(kept) if with_arrays else [])

    remount("size=4m")
    with open_store(str(path), create=False) as store:
        (campaign,) = store.campaigns()
        assert campaign.next_trial == committed
        assert len(store.findings()) == committed
        for finding in store.findings():
            assert len(store.arrays(finding.id)) == (3 if with_arrays else 0)
        found = [(make_finding(committed), make_arrays(committed))]
        assert store.record_trial(campaign.id, committed, found, {}, 1.0) == (True,)
        assert len(list(place.rglob("*.safetensors"))) == (committed + 1 if with_arrays else 1)


def test_a_disk_too_small_for_a_new_store_stays_empty(disk: tuple[Path, Remount]) -> None:
    place, _ = disk
    filler = place / "filler"
    filler.write_bytes(b"x" * (256 - 24) * 1024)
    with pytest.raises(StoreError, match=r"no space left on the disk of .*assay.db"):
        open_store(str(place / "assay.db"))
    assert os.listdir(place) == ["filler"]


def test_a_store_on_a_disk_that_is_full_when_opened_says_so(disk: tuple[Path, Remount]) -> None:
    place, _ = disk
    path = place / "assay.db"
    open_store(str(path)).close()
    free = shutil.disk_usage(place).free
    (place / "filler").write_bytes(b"x" * free)
    assert shutil.disk_usage(place).free == 0
    with (
        pytest.raises(StoreError, match=r"no space left on the disk of .*assay.db"),
        open_store(str(path)) as store,
    ):
        store.start_campaign(0, {}, {})


def test_a_read_only_disk_can_be_read_but_not_written(disk: tuple[Path, Remount]) -> None:
    place, remount = disk
    path = place / "assay.db"
    with open_store(str(path)) as store:
        campaign = store.start_campaign(7, {"seed": 7}, {})
        store.record_trial(campaign.id, 0, [(make_finding(), make_arrays())], {}, 1.0)
    remount("ro")
    with open_store(str(path)) as store:
        assert store.finding(make_finding().id).count == 1
        assert len(store.arrays(make_finding().id)) == 3
        for act in (
            lambda: store.start_campaign(8, {}, {}),
            lambda: store.record_trial(campaign.id, 1, [(make_finding(1), make_arrays())], {}, 1.0),
        ):
            with pytest.raises(
                StoreError, match=r"assay.db cannot be written: .* read-only"
            ) as told:
                act()
            assert "\n" not in str(told.value)
        assert len(store.campaigns()) == 1
    with pytest.raises(StoreError, match=r"new.db cannot be written: .* read-only.*--store"):
        open_store(str(place / "new.db"))


def test_a_place_where_no_file_can_be_made_is_named() -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("there is no /proc here")
    with pytest.raises(StoreError, match=r"/proc/assay.db cannot be") as raised:
        open_store("/proc/assay.db")
    assert "\n" not in str(raised.value)


def test_a_file_without_permissions_is_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read and write every file")
    path = tmp_path / "assay.db"
    open_store(str(path)).close()
    path.chmod(0)
    with pytest.raises(StoreError, match=r"assay.db cannot be written"):
        open_store(str(path))


def test_a_locked_store_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "assay.db"
    with open_store(str(path), lock_timeout=0.2) as store:
        campaign = store.start_campaign(7, {"seed": 7}, {})
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"assay.db is locked by another process") as raised:
            store.record_trial(campaign.id, 0, [(make_finding(), make_arrays())], {}, 1.0)
        assert "\n" not in str(raised.value)
        assert store.campaigns() == (campaign,)  # readers never wait
        assert not (tmp_path / "assay-artefacts").exists()
    with open_store(str(path), lock_timeout=30) as patient:
        timer = threading.Timer(0.3, other.execute, ["COMMIT"])
        timer.start()
        assert patient.record_trial(campaign.id, 0, [], {}, 1.0) == ()
        timer.join()
    other.close()


def test_a_store_moved_during_a_hunt_is_an_error_until_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "assay.db"
    with open_store(str(path)) as store:
        campaign = store.start_campaign(7, {"seed": 7}, {})
        path.rename(tmp_path / "moved.db")
        for _ in range(2):
            with pytest.raises(StoreError, match="moved or deleted"):
                store.record_trial(campaign.id, 0, [], {}, 1.0)
            path.write_bytes(b"another file")
        (tmp_path / "moved.db").rename(path)
        store.record_trial(campaign.id, 0, [], {}, 1.0)
        assert store.campaigns()[0].next_trial == 1


def test_our_own_mistakes_are_not_dressed_up_as_the_users(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "assay.db")) as store:
        campaign = store.start_campaign(7, {"seed": 7}, {})
        with pytest.raises(ValueError, match="cannot be stored"):
            store.record_trial(
                campaign.id,
                0,
                [(make_finding(), {"x": np.array([object()])})],
                {},
                1.0,
            )
