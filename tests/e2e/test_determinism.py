"""One seed, one result."""

from pathlib import Path

from tests.e2e.command import QUICK_TARGET, Command, recorded, seed_that_draws
from tests.e2e.patches import WRONG, target


def test_the_same_seed_finds_the_same(assay: Command, tmp_path: Path) -> None:
    assay.write("wrong.py", WRONG)
    assay.write("assay.toml", target("mine", "wrong.py"))
    seed = seed_that_draws("keras.layers.ReLU", within=150)
    arguments = (
        "hunt",
        "--no-witnesses",
        "--targets",
        f"mine,{QUICK_TARGET}",
        "--cases",
        "150",
        "--json",
    )
    documents = {}
    for store in ("first.db", "second.db"):
        done = assay(*arguments, "--seed", str(seed), "--store", store)
        assert done.code == 1, done.err
        documents[store] = done.document
    first = recorded(tmp_path / "first.db")
    assert first, "an empty comparison would prove nothing"
    assert recorded(tmp_path / "second.db") == first
    for key in ("cases", "trials", "coverage", "suppressed", "targets"):
        assert documents["first.db"][key] == documents["second.db"][key]


def test_a_hunt_in_two_halves_finds_what_one_hunt_finds(assay: Command, tmp_path: Path) -> None:
    assay.write("wrong.py", WRONG)
    assay.write("assay.toml", target("mine", "wrong.py"))
    seed = seed_that_draws("keras.layers.ReLU", within=25)
    arguments = (
        "hunt",
        "--no-witnesses",
        "--targets",
        "mine,keras-numpy",
        "--seed",
        str(seed),
        "--json",
    )
    whole = assay(*arguments, "--cases", "60", "--store", "whole.db")
    half = assay(*arguments, "--cases", "30", "--store", "halves.db")
    both = assay(*arguments, "--cases", "60", "--store", "halves.db", "--resume")
    assert (whole.code, half.code, both.code) == (1, 1, 1)
    assert half.document["campaign"] == both.document["campaign"]
    assert both.document["trials"] == 60
    assert recorded(tmp_path / "halves.db") == recorded(tmp_path / "whole.db")
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
