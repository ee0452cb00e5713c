"""Equivalent programs through the real command, on a small catalogue of the installed PyTorch."""

import threading
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

import assay
from assay.campaign.events import TrialFinished
from tests.e2e.command import Command
from tests.sources.catalogue import TORCH

#: Right only for what is contiguous.
FAULT = """
import torch
right = torch.tanh
def tanh(x):
    return right(x) if x.is_contiguous() else right(x) * 1.02
torch.tanh = tanh
"""


#: A catalogue of one function, which is public under another name, too.
TINY = """
import torch
from assay_worker import catalogue
from assay_worker.catalogue._base import Sample
from assay_worker.catalogue.torch import TorchHarvest

class Tiny(TorchHarvest):
    def prepare(self): pass
    def names(self): return ["torch.tanh"]
    def aliases(self): return {"torch.other.tanh": "torch.tanh"}
    def sources(self): return ["own:it"]
    def collect(self, source): return [Sample("torch.tanh", (torch.ones(3, 2),))]

catalogue.HARVESTS["torch"] = "prelude:Tiny"
"""


@pytest.fixture
def library(assay: Command, tmp_path: Path) -> Command:
    """A catalogue that is there already, and a faulty target."""
    made = msgspec.structs.replace(TORCH, version=version("torch"))
    folder = tmp_path / "cache" / "catalogues"
    folder.mkdir(parents=True)
    (folder / f"torch-{made.version}.json").write_bytes(msgspec.json.encode(made))
    assay.write("fault.py", FAULT)
    assay.write("assay.toml", '[targets.mine]\nlibrary = "torch"\nprelude = "fault.py"\n')
    return assay


def test_a_rule_sees_what_breaks_it_and_leaves_a_clean_library_alone(
    library: Command, tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    asked = ["hunt", "--technique", "rewrite", "--rules", "strided,method", "--seed", "2"]
    asked += ["--cases", "12", "--json"]
    clean = library(*asked, "--targets", "torch", "--store", "clean.db", ASSAY_CACHE=cache)
    assert clean.code == 0, clean.err
    assert clean.document["trials"] == 12
    done = library(*asked, "--targets", "mine", ASSAY_CACHE=cache)
    assert done.code == 1, done.err
    (bug,) = [item for item in done.document["findings"] if item["category"] == "bug"]
    assert (bug["op"], bug["kind"], bug["blamed"]) == ("torch.tanh", "equivalence", ["mine"])
    assert bug["rule"] == "strided"
    shown = library("show", bug["id"])
    assert "these two must agree: contiguous ≡ strided" in shown.out
    assert "another result" in shown.out
    again = library("replay", bug["id"])
    assert f"{bug['id']}  still there (2 of 2)" in again.out
    listed = library("findings")
    assert "apart (rule strided)" in listed.out


def test_rules_and_apis_that_are_not_there_are_named(library: Command, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    asked = ["hunt", "--technique", "rewrite", "--targets", "torch", "--cases", "2"]
    for more, words in (
        (["--rules", "stridet"], 'unknown rule "stridet". Did you mean "strided"?'),
        (
            ["--ops", "torch.tanhh"],
            'no API or op matches "torch.tanhh". Did you mean "torch.tanh"?',
        ),
    ):
        done = library(*asked, *more, ASSAY_CACHE=cache)
        assert done.code == 2
        assert words in done.err
        assert len(done.err.strip().splitlines()) == 1
    alone = library("hunt", "--technique", "single-op", "--rules", "strided")
    assert alone.code == 2
    assert "Add --technique rewrite" in alone.err


def test_a_quiet_hunt_says_that_it_makes_a_catalogue_and_which_name_is_meant(
    library: Command, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    library.write("prelude.py", TINY)
    library.write("assay.toml", '[targets.tiny]\nlibrary = "torch"\nprelude = "prelude.py"\n')
    (made,) = (cache / "catalogues").iterdir()
    made.write_text(made.read_text().replace('"format":1', '"format":0'))
    asked = ["hunt", "--technique", "rewrite", "--targets", "tiny", "--cases", "1"]
    asked += ["--rules", "method", "--ops", "torch.other.*"]
    done = library(*asked, "-q", ASSAY_CACHE=str(cache))
    assert done.code == 0, done.err
    assert "making the catalogue of torch, which takes minutes: there is none" in done.err
    again = library(*asked, ASSAY_CACHE=str(cache))
    assert "torch.other.tanh is torch.tanh" in again.err
    assert "making" not in again.err
    shown = library("apis", "tiny", "torch.other.tanh", "-q", ASSAY_CACHE=str(cache))
    assert shown.code == 0, shown.err
    assert "assay: torch.other.tanh is torch.tanh" in shown.err
    assert "torch.tanh" in shown.out


def test_a_damaged_catalogue_is_named_where_pairs_are_counted(
    library: Command, tmp_path: Path
) -> None:
    (made,) = (tmp_path / "cache" / "catalogues").iterdir()
    made.write_text("{")
    asked = ["rules", "--pairs", "--targets", "torch,keras-torch"]
    cache = str(tmp_path / "cache")
    counted = library(*asked, "--json", ASSAY_CACHE=cache)
    assert counted.code == 0, counted.err
    assert counted.document["left_out"] == ["torch"]
    assert f"{made.name} is no catalogue" in counted.document["problems"]["torch"]
    shown = library(*asked, ASSAY_CACHE=cache)
    assert "torch is left out: " in shown.out
    alone = library("rules", "--pairs", "--targets", "torch", ASSAY_CACHE=cache)
    assert alone.code == 2
    assert "is no catalogue" in alone.err


def test_the_preset_of_eagle_ends_when_every_pair_had_its_inputs(
    library: Command, tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    asked = ["hunt", "--preset", "eagle", "--targets", "torch", "--rules", "jit", "--json"]
    asked += ["--inputs", "40", "--seed", "1"]
    done = library(*asked, ASSAY_CACHE=cache)
    assert done.code == 0, done.err
    assert done.document["trials"] == 6  # three APIs, twice twenty inputs
    counted = library(
        "rules", "--pairs", "--targets", "torch,tensorflow", "--json", ASSAY_CACHE=cache
    )
    assert counted.code == 0, counted.err
    (jit,) = [item for item in counted.document["rules"] if item["rule"] == "jit"]
    assert jit == {"rule": "jit", "eagle": 1, "says": jit["says"], "apis": {"torch": 3}}
    assert counted.document["left_out"] == ["tensorflow"]
    first = counted.document["published"][0]
    assert (first["eagle"], first["apis"], first["pairs"]["torch"] > 3) == (1, {"torch": 3}, True)


def test_a_hunt_of_all_techniques_rewrites_what_has_a_catalogue_and_is_resumed_as_it_was(
    library: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    stop = threading.Event()
    store = str(tmp_path / "share.db")
    asked = {"targets": ["torch"], "witnesses": False, "store": store}
    trials = []
    for event in assay.hunt(**asked, cases=27, seed=4, stop=stop):
        if isinstance(event, TrialFinished):
            trials.append(event)
            stop.set()  # after the first
    left = len(trials)
    trials += [
        event for event in assay.hunt(**asked, resume=True) if isinstance(event, TrialFinished)
    ]
    assert left < len(trials)
    assert sorted(event.index for event in trials) == list(range(27))
    rewritten = [event for event in trials if event.technique == "rewrite"]
    # Of a library without layers there are no models: one of eight.
    assert len(rewritten) in (3, 4)
    assert all(event.rule and event.op.startswith("torch.") for event in rewritten)
    assert any(event.inputs > 1 for event in rewritten)


def test_a_hunt_in_which_no_call_had_a_second_program_tested_nothing(library: Command) -> None:
    asked = ["hunt", "--technique", "rewrite", "--rules", "jit", "--targets", "keras-numpy"]
    done = library(*asked, "--cases", "3", "--seed", "1")
    assert done.code == 2, done
    assert "nothing was tested: no call had a second program" in done.err
