"""Names of targets: of environments, of other interpreters, and how mistakes in them are told."""

import os
import sys
from pathlib import Path

import pytest

from assay.config import Config, EnvironmentConfig, OfferedConfig, TargetConfig
from assay.errors import TargetError
from assay.targets import known_targets, resolve
from assay.targets.environments.definitions import AD_HOC, Definition, shipped
from tests.targets.manifests import made

PIP = (("keras==3.6.0", "torch==2.13.0"),)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def refusal(name: str, config: Config | None = None) -> str:
    with pytest.raises(TargetError) as caught:
        resolve([name], known_targets(config or Config()))
    return str(caught.value)


def test_a_target_of_an_environment_has_its_interpreter_and_its_variables() -> None:
    prefix = made(shipped()["keras-2.3.1"])
    known = known_targets(Config())
    (target,) = resolve(["keras-cntk@keras-2.3.1"], known)
    assert target in known.values()
    assert target.name == "keras-cntk@keras-2.3.1"
    assert (target.library, target.backend, target.mode) == ("keras2", "cntk", "eager")
    assert (target.python, target.environment) == (f"{prefix}/bin/python", "keras-2.3.1")
    assert target.env["LD_LIBRARY_PATH"].split(":")[:2] == [f"{prefix}/lib/mpi-stub", "/base/lib"]
    assert target.env["OMP_NUM_THREADS"] == "2"


def test_tensorflow_is_pinned_in_environments_too() -> None:
    for name in ("keras-2.3.1", "tf-2.6"):
        made(shipped()[name])
    names = ["keras-tensorflow@keras-2.3.1", "keras-theano@keras-2.3.1", "tensorflow@tf-2.6"]
    targets = resolve(names, known_targets(Config()))
    assert [target.env.get("TF_ENABLE_ONEDNN_OPTS") for target in targets] == ["0", None, "0"]


def test_another_version_has_one_vote_with_the_version_of_today() -> None:
    for name in ("keras-3.6", "keras-2.3.1"):
        made(shipped()[name])
    known = known_targets(Config())
    for old, new in (
        ("keras-torch@keras-3.6", "keras-torch"),
        ("keras-tensorflow@keras-2.3.1", "keras-tensorflow"),
        (f"keras-jax@{sys.executable}", "keras-jax"),
    ):
        first, second = resolve([old, new], known)
        assert first.name != second.name
        assert first.implementation == second.implementation


def test_what_an_environment_sets_may_change_without_a_new_installation() -> None:
    before = EnvironmentConfig("3.11", PIP, variables={"A": "1"})
    prefix = made(Definition("mine", before))
    targets = {"keras-torch": OfferedConfig("keras", "torch", env={"B": "{prefix}"})}
    after = EnvironmentConfig("3.11", PIP, variables={"A": "2"}, targets=targets)
    known = known_targets(Config(environments={"mine": after}))
    (target,) = resolve(["keras-torch@mine"], known)
    assert target.env == {"A": "2", "B": prefix}


def test_an_environment_of_another_definition_has_to_be_made_anew() -> None:
    made(Definition("mine", EnvironmentConfig("3.11", PIP)))
    for changed in (
        EnvironmentConfig("3.12", PIP),
        EnvironmentConfig("3.11", (("keras==3.7.0",),)),
        EnvironmentConfig("3.11", PIP, steps=("cntk-mpi-stub",)),
    ):
        config = Config(environments={"mine": changed})
        assert refusal("keras-torch@mine", config).endswith("assay env create mine")


def test_without_targets_of_its_own_it_offers_those_it_has_modules_for() -> None:
    made(Definition("mine", EnvironmentConfig("3.11", PIP), AD_HOC), ("keras", "torch", "numpy"))
    known = known_targets(Config())
    offered = {name for name in known if name.endswith("@mine")}
    assert offered == {
        "keras-torch@mine",
        "keras-torch+compile@mine",
        "keras-numpy@mine",
        "torch@mine",
        "torch+compile@mine",
    }
    said = refusal("keras-jax@mine")
    assert said.startswith('unknown target "keras-jax@mine".')
    assert "mine offers: keras-numpy, keras-torch," in said


def test_an_environment_that_was_not_made_says_how_to_make_it() -> None:
    assert refusal("keras-theano@keras-2.3.1") == (
        "keras-theano@keras-2.3.1: the environment keras-2.3.1 was not made yet. "
        "Make it with: assay env create keras-2.3.1"
    )
    assert "keras-2.3.1 offers: keras-cntk, keras-tensorflow, keras-theano." in refusal(
        "keras-torch@keras-2.3.1"
    )
    assert refusal("keras-torch@keras-3.66").startswith(
        'unknown environment "keras-3.66". Did you mean "keras-3.6"?'
    )


def test_a_folder_without_a_manifest_is_not_there(cache: Path) -> None:
    prefix = Path(made(shipped()["keras-3.6"]))
    (manifest,) = prefix.iterdir()
    text = manifest.read_text()
    for broken in ("", text[:-5], "{}"):
        manifest.write_text(broken)
        assert "assay env create keras-3.6" in refusal("keras-torch@keras-3.6")
    manifest.write_text(text)
    assert resolve(["keras-torch@keras-3.6"], known_targets(Config()))


def test_any_interpreter_stands_behind_the_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = TargetConfig("keras", "tensorflow", env={"A": "1"})
    known = known_targets(Config(targets={"mine": mine}))
    folder, name = os.path.split(sys.executable)
    monkeypatch.chdir(folder)
    first, second = resolve([f"mine@./{name}", f"keras-torch@{sys.executable}"], known)
    assert first.name == f"mine@{sys.executable}"  # the same wherever it is replayed
    assert first.python == second.python == sys.executable
    assert first.env == {"TF_ENABLE_ONEDNN_OPTS": "0", "A": "1"}
    assert set(known) >= {first.name, second.name}
    assert second.extra == ""


def test_interpreters_that_are_none_are_told(tmp_path: Path) -> None:
    assert f"there is no interpreter at {tmp_path}." in refusal(f"keras-torch@{tmp_path}")
    assert "there is no interpreter at" in refusal("keras-torch@./nope/python")
    assert refusal(f"keras-troch@{sys.executable}").startswith(
        'unknown target "keras-troch". Did you mean "keras-torch"?'
    )
    assert refusal(f"reference@{sys.executable}").startswith('unknown target "reference".')


def test_a_configured_target_wins_over_one_of_an_environment() -> None:
    made(shipped()["keras-3.6"])
    name = "keras-torch@keras-3.6"
    known = known_targets(Config(targets={name: TargetConfig("keras", "torch", python="python9")}))
    assert known[name].python == "python9"
