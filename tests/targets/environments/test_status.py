"""What ``assay env list`` and ``assay env doctor`` say of every state."""

import os
import sys
from pathlib import Path

import pytest

from assay.config import Config, EnvironmentConfig
from assay.report.console import render
from assay.report.environments import created_text, diagnoses_table, environments_table
from assay.targets.environments import places
from assay.targets.environments.definitions import AD_HOC, Definition, ad_hoc, shipped
from assay.targets.environments.locking import Busy, is_locked, locked
from assay.targets.environments.status import diagnose, ready, statuses
from tests.targets.manifests import made

SHIPPED = shipped()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def states(config: Config | None = None) -> dict[str, str]:
    return {item.name: item.state for item in statuses(config or Config())}


def test_nothing_was_made_at_first(cache: Path) -> None:
    assert states() == dict.fromkeys(SHIPPED, "absent")
    assert not cache.exists(), "looking writes nothing"


def test_each_state_has_its_word() -> None:
    made(SHIPPED["keras-3.6"])
    made(ad_hoc("3.7", ["numpy"], "mine"))
    made(Definition("theirs", EnvironmentConfig("3.7", (("numpy",),)), "/project/assay.toml"))
    left = places.home() / SHIPPED["torch-1.4"].address("3.7.16")
    left.mkdir()
    busy = places.home() / SHIPPED["torch-1.6"].address("3.7.16")
    busy.mkdir()
    made(Definition("tf-2.0", EnvironmentConfig("3.7", (("tensorflow==2.0.1",),))))
    with locked(places.lock_of(busy)):
        found = states()
        assert is_locked(places.lock_of(busy))
        with pytest.raises(Busy), locked(places.lock_of(busy)):
            pass
    expected = {
        "keras-3.6": "ready",
        "mine": "ready",
        "theirs": "elsewhere",
        "torch-1.4": "unfinished",
        "torch-1.6": "busy",
        "torch-1.9": "absent",
        "tf-2.0": "outdated",
    }
    assert {name: found[name] for name in expected} == expected
    assert states()["torch-1.6"] == "unfinished", "whoever made it is gone"
    table = render(environments_table(statuses(Config())))
    assert "Keras 3.6 on PyTorch 2.13" in table
    assert "14 environments, 2 are ready. Next: assay env doctor keras-3.6" in table


def test_what_is_removed_is_gone_with_all_that_attempts_left() -> None:
    prefix = made(SHIPPED["keras-3.6"])
    left = places.home() / SHIPPED["keras-3.6"].address("3.11.8")
    left.mkdir()
    places.log_of(left).touch()
    assert sorted(places.remove("keras-3.6")) == sorted([prefix, str(left)])
    assert os.listdir(places.home()) == []


def test_an_environment_whose_interpreter_is_gone_is_told() -> None:
    made(SHIPPED["keras-3.6"])
    found = diagnose(SHIPPED["keras-3.6"])
    assert found.problem.startswith("its interpreter was Python 3.11.7 in /base: ")
    assert found.hint == "assay env remove keras-3.6, then assay env create keras-3.6"
    assert "broken" in render(diagnoses_table([found]), width=300)


def test_one_that_can_be_made_says_how() -> None:
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = diagnose(ad_hoc(ours, ["numpy"], "mine"))
    assert (found.problem, found.hint) == ("", "assay env create mine")
    assert found.interpreter


def test_what_was_made_is_said_with_its_targets() -> None:
    definition = Definition("mine", EnvironmentConfig("3.11", (("keras",),)), AD_HOC)
    made(definition, ("keras", "torch"))
    current = places.current(definition)
    assert current is not None
    text = created_text(ready(current, definition), new=True)
    assert text.startswith("mine is ready: Python 3.11.7, 1 package, 1 MB, 0:01\nIn ")
    assert "Targets: keras-torch@mine, " in text
