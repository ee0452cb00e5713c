"""Equivalent programs through the real command, on a small catalogue of the installed PyTorch."""

from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

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
