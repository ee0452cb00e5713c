"""What a hunt on the three default targets gives, in the shapes that scripts rely on."""

import re
from pathlib import Path
from typing import Any

import pytest

from assay.campaign.events import CampaignFinished, CampaignStarted, TrialFinished
from assay.report.ndjson import decode
from tests.e2e.command import Command, Done, recorded, seed_that_draws

CASES = 40
NUMBER = (int, float)
#: hunt --json: the keys of the contract, then those beyond it.
HUNT = {
    "campaign": str,
    "seed": int,
    "cases": int,
    "trials": int,
    "seconds": NUMBER,
    "cpu_seconds": dict,
    "targets": list,
    "coverage": dict,
    "suppressed": dict,
    "findings": list,
    "store": str,
    "interrupted": bool,
    "faults": int,
    "left_out": list,
    "causes": list,
    "cores": NUMBER,
    "searches": dict,
    "skipped": dict,
    "unexplained": int,
    "untested": str,
}
FINDING = {
    "id": str,
    "kind": str,
    "category": str,
    "stage": str,
    "op": str,
    "params": dict,
    "responsible": list,
    "node": str,
    "targets": list,
    "blamed": list,
    "evidence": dict,
    "magnitude": (int, float, dict),  # JSON has no infinity: {"$float": "inf"}
    "count": int,
    "flaky": bool,
    "fingerprint": str,
    "reproducer": (str, type(None)),
}
TARGET = {
    "name": str,
    "status": str,
    "library": str,
    "backend": str,
    "mode": str,
    "versions": dict,
    "capabilities": list,
    "hint": str,
    "machine": dict,
}


def assert_shape(document: dict[str, Any], shape: dict[str, Any], exact: bool = True) -> None:
    """Every key of the shape, with its type; no other key if ``exact``."""
    assert set(shape) <= set(document)
    if exact:
        assert set(document) == set(shape)
    for key, kind in shape.items():
        assert isinstance(document[key], kind), (key, document[key])


@pytest.fixture(scope="module")
def seed() -> int:
    """A seed that meets a bug of Keras on PyTorch: it counts the padding into the average."""
    op = "keras.layers.AveragePooling2D"
    return seed_that_draws(op, within=CASES, padding="same")


@pytest.fixture(scope="module")
def hunted(seed: int, tmp_path_factory: pytest.TempPathFactory) -> tuple[Command, Done]:
    """One hunt on the default targets."""
    command = Command(tmp_path_factory.mktemp("hunted"))
    arguments = ("--cases", str(CASES), "--seed", str(seed), "--json", "--events", "events.ndjson")
    return command, command("hunt", *arguments, timeout=400)


def test_a_hunt_gives_one_json_document_and_exit_code_1_for_bugs(
    hunted: tuple[Command, Done], seed: int
) -> None:
    _, done = hunted
    assert done.code == 1, done.err
    document = done.document
    assert_shape(document, HUNT)
    assert (document["seed"], document["cases"], document["trials"]) == (seed, CASES, CASES)
    assert document["targets"] == ["keras-tensorflow", "keras-jax", "keras-torch", "reference"]
    assert (document["store"], document["interrupted"]) == ("assay.db", False)
    assert any(finding["category"] == "bug" for finding in document["findings"])
    for key, share in document["coverage"].items():
        assert 0 < share <= 1, key


def test_cpu_seconds_are_told_by_what_they_were_spent_on(hunted: tuple[Command, Done]) -> None:
    spent = hunted[1].document["cpu_seconds"]
    assert set(spent) == {"generate", "execute", "judge", "explain", "total"}
    parts = [spent[name] for name in ("generate", "execute", "judge", "explain")]
    assert all(seconds > 0 for seconds in parts)
    assert sum(parts) < spent["total"]


def test_every_bug_comes_with_a_script_that_was_run(hunted: tuple[Command, Done]) -> None:
    command, done = hunted
    bugs = [finding for finding in done.document["findings"] if finding["category"] == "bug"]
    assert [bug["script"] for bug in bugs] == [{"reason": "", "thorough": False} for _ in bugs]
    for bug in bugs:
        assert bug["evidence"]["anew"]
        script = command.folder / bug["reproducer"]
        last = script.read_text().splitlines()[-1]
        assert re.fullmatch(r"raise SystemExit\((1|0 if .* else 1|1 if .* else 0)\)", last)
        assert command("export", bug["id"]).out == script.read_text()


def test_every_finding_has_the_fields_of_the_contract(hunted: tuple[Command, Done]) -> None:
    for finding in hunted[1].document["findings"]:
        assert_shape(finding, FINDING, exact=False)
        assert finding["fingerprint"].startswith(finding["id"])
        assert set(finding["blamed"]) <= set(finding["targets"])
        assert 1 <= finding["count"] <= CASES
        if isinstance(finding["magnitude"], dict):
            assert finding["magnitude"] in ({"$float": "inf"}, {"$float": "nan"})


def test_progress_goes_to_stderr_as_plain_lines(hunted: tuple[Command, Done], seed: int) -> None:
    _, done = hunted
    assert f"assay hunt started: seed {seed} · {CASES} cases · single-op · " in done.err
    assert "\x1b" not in done.err


def test_findings_and_show_give_what_the_hunt_gave(hunted: tuple[Command, Done]) -> None:
    assay, done = hunted
    listed = assay("findings", "--json")
    assert (listed.code, listed.err) == (0, "")
    told = {"causes": done.document["causes"], "findings": done.document["findings"]}
    assert listed.document == told
    # Of each sort one: a page is a process.
    sorts = {(item["kind"], item["category"]): item for item in done.document["findings"]}
    for finding in sorts.values():
        shown = assay("show", finding["id"][:6], "--json")
        assert (shown.code, shown.err) == (0, "")
        assert shown.document == finding


def test_the_page_of_a_finding_names_what_matters(hunted: tuple[Command, Done]) -> None:
    assay, done = hunted
    bug = done.document["findings"][0]
    page = assay("show", bug["id"])
    assert page.code == 0
    for word in (bug["id"], "bug", bug["kind"], bug["op"].rpartition(".")[2], *bug["blamed"]):
        assert word in page.out
    assert f"assay replay {bug['id']}" in page.out


def test_events_are_lines_that_decode(hunted: tuple[Command, Done]) -> None:
    assay, done = hunted
    lines = (assay.folder / "events.ndjson").read_text(encoding="utf-8").splitlines()
    events = [decode(line) for line in lines]
    (started,) = [event for event in events if isinstance(event, CampaignStarted)]
    assert started.campaign == done.document["campaign"]
    trials = [event.index for event in events if isinstance(event, TrialFinished)]
    assert sorted(trials) == list(range(CASES))  # in whatever order they were judged
    assert isinstance(events[-1], CampaignFinished)
    told = [finding.id for finding in events[-1].summary.findings]
    assert told == [finding["id"] for finding in done.document["findings"]]


def test_every_finding_reproduces_when_it_is_replayed(hunted: tuple[Command, Done]) -> None:
    assay, done = hunted
    ids = [finding["id"] for finding in done.document["findings"]]
    replayed = assay("replay", *ids, "--json")
    assert replayed.code == 1
    results = replayed.document["replays"]
    assert [result["id"] for result in results] == ids
    for result in results:
        assert_shape(
            result,
            {
                "id": str,
                "reproduced": int,
                "attempts": int,
                "message": str,
                "versions_differ": str,
                "machine_differs": str,
                "still": list,
                "fixed": list,
            },
        )
        assert (result["reproduced"], result["attempts"]) == (2, 2), result
        assert result["versions_differ"] == ""


@pytest.mark.stress
def test_the_same_seed_finds_the_same_on_the_default_targets(
    hunted: tuple[Command, Done], seed: int, assay: Command, tmp_path: Path
) -> None:
    first, done = hunted
    again = assay("hunt", "--cases", str(CASES), "--seed", str(seed), "--quiet", timeout=400)
    assert (again.code, again.out, again.err) == (1, "", "")
    assert recorded(tmp_path / "assay.db") == recorded(first.folder / "assay.db")
    assert done.document["findings"], "an empty comparison would prove nothing"


def test_doctor_tells_what_works(assay: Command) -> None:
    config = "[targets.nowhere]\nlibrary = 'keras'\nbackend = 'numpy'\npython = '/nowhere/python'\n"
    assay.write("assay.toml", config)
    done = assay("doctor", "keras-numpy", "reference", "nowhere", "--json")
    assert (done.code, done.err) == (0, "")
    assert list(done.document) == ["targets"]
    works, reference, broken = done.document["targets"]
    for target in (works, reference, broken):
        assert_shape(target, TARGET)
    assert (works["name"], works["status"], works["hint"]) == ("keras-numpy", "works", "")
    assert set(works["versions"]) == {"keras", "numpy", "python"}
    assert works["capabilities"] == ["forward", "model"]
    assert (reference["status"], reference["capabilities"]) == ("works", ["forward", "gradient"])
    assert (broken["name"], broken["status"]) == ("nowhere", "broken")
    assert "/nowhere/python" in broken["hint"]


@pytest.mark.deep
def test_hunt_says_which_share_of_a_package_ran(assay: Command) -> None:
    options = ("--targets", "keras-numpy", "--no-witnesses", "--cases", "3", "--seed", "1")
    few = ("--ops", "keras.layers.ReLU", "--technique", "single-op", "--json")
    done = assay("hunt", *options, *few, "--lines", "keras")
    assert 0.05 < done.document["coverage"]["lines"] < 0.6, done.err
    refused = assay("hunt", *options, *few, "--lines", "keras.src")
    assert refused.code == 2
    assert "keras.src" in refused.err
