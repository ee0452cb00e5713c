"""One seed, one result."""

from pathlib import Path

from tests.e2e.command import QUICK_TARGET, Command, recorded
from tests.e2e.whole import CASES, Whole, prepare


def test_the_same_seed_finds_the_same(assay: Command, tmp_path: Path, whole: Whole) -> None:
    again = assay(*prepare(assay), "--json")
    assert again.code == 1, again.err
    assert recorded(tmp_path / "assay.db") == recorded(whole.store)
    for key in ("cases", "trials", "coverage", "suppressed", "targets"):
        assert again.document[key] == whole.document[key]


def test_a_hunt_in_two_halves_finds_what_one_hunt_finds(
    assay: Command, tmp_path: Path, whole: Whole
) -> None:
    half = assay(*prepare(assay, CASES // 2), "--json")
    both = assay(*prepare(assay), "--json", "--resume")
    assert (half.code, both.code) == (1, 1)
    assert half.document["campaign"] == both.document["campaign"]
    assert (half.document["trials"], both.document["trials"]) == (CASES // 2, CASES)
    assert recorded(tmp_path / "assay.db") == recorded(whole.store)
    for key in ("coverage", "suppressed"):
        assert both.document[key] == whole.document[key]
    spent = both.document["cpu_seconds"]
    assert spent["total"] > sum(seconds for name, seconds in spent.items() if name != "total")
    assert spent["total"] > half.document["cpu_seconds"]["total"]


def test_resume_on_a_store_without_that_campaign_starts_it(assay: Command) -> None:
    done = assay(
        "hunt", "--targets", QUICK_TARGET, "--cases", "5", "--seed", "3", "--resume", "--json"
    )
    assert done.code in (0, 1)
    assert done.document["trials"] == 5
    assert "started: seed 3" in done.err


def test_a_finished_hunt_that_is_resumed_has_nothing_left_to_do(assay: Command) -> None:
    arguments = (
        "hunt",
        "--no-witnesses",
        "--targets",
        QUICK_TARGET,
        "--cases",
        "5",
        "--seed",
        "3",
        "--json",
    )
    first = assay(*arguments)
    again = assay(*arguments, "--resume")
    assert again.code == first.code
    for key in ("campaign", "trials", "findings", "coverage"):
        assert again.document[key] == first.document[key]
