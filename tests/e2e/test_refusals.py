"""What a user can get wrong: exit code 2 and one line with the value and the way out."""

import os
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli.main import run
from tests.e2e.command import Command, Done, one_line


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """The command in an empty folder and in this process: what is refused starts no other.

    That a process of its own ends with this code and these words is seen in a few tests below.
    """
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Done:
        began = time.monotonic()
        code = run(list(arguments))
        out, err = capsys.readouterr()
        return Done(code, out, err, time.monotonic() - began)

    return command


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (
            "hunt --targets keras-tensorflwo",
            ['"keras-tensorflwo"', 'Did you mean "keras-tensorflow"?', "keras-jax", "assay doctor"],
        ),
        ("hunt --targets keras-numpy,zzz", ['"zzz"', "Known here: ", "assay doctor"]),
        ("hunt --technique singel-op", ['"singel-op"', 'Did you mean "single-op"?']),
        ("hunt --casess 3", ['"--casess"', 'Did you mean "--cases"?', "assay hunt --help"]),
        ("hunt surplus", ["surplus", "assay hunt --help"]),
        ("hnut", ['"hnut"', 'Did you mean "hunt"?', "assay --help"]),
        ("hunt --preset mufin", ['"mufin"', 'Did you mean "muffin"?']),
        ("rules --pairs --targets onnxruntime", ["onnxruntime", "jax, tensorflow, torch"]),
        ("rules --config assay.toml", ["--config", "--pairs"]),
        ("hunt --cases 0", ["--cases", "at least 1", "received 0"]),
        ("hunt --cases -5", ["--cases", "at least 1", "received -5"]),
        ("hunt --cases many", ["--cases", "whole number", '"many"']),
        ("hunt --budget nonsense", ["--budget", "90s, 2m", '"nonsense"']),
        ("hunt --budget 0", ["--budget", "more than 0", '"0"']),
        ("hunt --seed x", ["--seed", "whole number", '"x"']),
        ("hunt --seed -1", ["--seed", "at least 0", "received -1"]),
        ("hunt --targets ,", ["--targets", "at least one name", '","']),
        ("hunt --config none.toml", ['"none.toml"', "leave out --config"]),
        ("hunt --store no/such/assay.db", ["no/such/assay.db", "does not exist", "mkdir -p"]),
        ("hunt --store mysql://u:secret@h/d", ['"mysql://…@h/d"', "sqlite:///PATH"]),
        ("hunt --events no/such/events --cases 1", ["no/such/events", "No such file"]),
        ("findings", ["there is no store at ", "assay.db", "assay hunt", "--store"]),
        ("findings --kind crsh", ['"crsh"', 'Did you mean "crash"?', "inconsistency"]),
        ("findings --category bgu", ['"bgu"', 'Did you mean "bug"?', "convention"]),
        ("show", ['"ID"', "assay show --help"]),
        ("show b3f1", ["there is no store at ", "assay hunt"]),
        ("replay", ['"ID..."', "assay replay --help"]),
        ("replay b3f1 --attempts 0", ["--attempts", "from 1 to 1000", "received 0"]),
        ("doctor keras-trch", ['"keras-trch"', 'Did you mean "keras-torch"?']),
        ("explain flakey", ['"flakey"', 'Did you mean "flaky"?']),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_command_line_is_refused_in_one_line(
    said: Callable[..., Done], tmp_path: Path, arguments: str, parts: list[str]
) -> None:
    line = one_line(said(*arguments.split()))
    for part in parts:
        assert part in line
    assert "secret" not in line
    assert os.listdir(tmp_path) == [], "what is refused leaves nothing behind"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[targets.mine\n", ["assay.toml line 1", "not valid TOML"]),
        (
            "colour = 'red'\n",
            ["assay.toml line 1", '"colour"', "Expected: store, prelude, targets, hunt"],
        ),
        (
            "[targets.mine]\nlibrary = 'keras'\nprelud = 'p.py'\n",
            ["assay.toml line 3", '"prelud"', 'Did you mean "prelude"?', "library, backend"],
        ),
        ("[targets.mine]\nbackend = 'torch'\n", ["assay.toml", "targets.mine", '"library"']),
        ("[hunt]\ncases = 'ten'\n", ["assay.toml line 2", "hunt.cases", '"ten"']),
        ("[hunt]\ncases = 0\n", ["assay.toml", "hunt.cases", "at least 1", "received 0"]),
        ("[hunt]\nbudget = 'soon'\n", ["assay.toml", "hunt.budget", '"soon"', "90s"]),
        ("[hunt]\ntargets = ['keras-trch']\n", ['"keras-trch"', 'Did you mean "keras-torch"?']),
    ],
    ids=["TOML", "key", "target key", "no library", "type", "zero", "duration", "target"],
)
def test_a_wrong_configuration_is_refused_in_one_line(
    said: Callable[..., Done], tmp_path: Path, text: str, parts: list[str]
) -> None:
    (tmp_path / "assay.toml").write_text(text, encoding="utf-8")
    line = one_line(said("hunt"))
    for part in parts:
        assert part in line


def test_an_unreadable_configuration_is_refused_in_one_line(
    said: Callable[..., Done], tmp_path: Path
) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    assert "binary.toml is not UTF-8" in one_line(said("hunt", "--config", "binary.toml"))
    assert "cannot read" in one_line(said("hunt", "--config", "."))


@pytest.mark.parametrize("arguments", ["hunt --cases 1", "findings", "show b3f1", "replay b3f1"])
def test_a_file_that_is_no_store_is_refused_and_left_alone(
    said: Callable[..., Done], tmp_path: Path, arguments: str
) -> None:
    text, foreign = tmp_path / "text.db", tmp_path / "foreign.db"
    text.write_text("dear diary\n")
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()
    for path in (text, foreign):
        before = path.read_bytes()
        line = one_line(said(*arguments.split(), "--store", path.name))
        assert f"/{path.name} is " in line
        assert "not an Assay store" in line
        assert "--store" in line
        assert path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["foreign.db", "text.db"]


def test_a_directory_is_no_store(assay: Command) -> None:
    line = one_line(assay("hunt", "--cases", "1", "--store", "."))
    assert str(assay.folder) in line


def test_an_unknown_finding_is_refused_with_one_that_is_near(assay: Command) -> None:
    from assay.store import open_store
    from tests.factories import make_arrays, make_finding

    with open_store(str(assay.folder / "assay.db")) as store:
        campaign = store.start_campaign(7, {"seed": 7}, {})
        finding = make_finding()
        store.record_trial(campaign.id, 0, [(finding, make_arrays())], {}, 1.0)
    mistyped = finding.id[:-1] + ("0" if finding.id[-1] != "0" else "1")
    for command in ("show", "replay"):
        line = one_line(assay(command, mistyped))
        assert f'has no finding "{mistyped}"' in line
        assert f'Did you mean "{finding.id}"?' in line
        assert 'has no finding "zzzz". See: assay findings' in one_line(assay(command, "zzzz"))


def test_without_a_command_the_overview_is_shown(assay: Command) -> None:
    done = assay()
    assert (done.code, done.out) == (2, "")
    assert "Start with:" in done.err


def test_the_version(assay: Command) -> None:
    from assay import __version__

    done = assay("--version")
    assert (done.code, done.out, done.err) == (0, f"assay {__version__}\n", "")


def test_the_installed_script_is_the_command(assay: Command) -> None:
    import subprocess

    script = Path(sys.executable).with_name("assay")
    if not script.exists():
        pytest.skip("Assay is not installed in this interpreter's environment")
    done = subprocess.run([script, "hunt", "--cases", "0"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == assay("hunt", "--cases", "0").err


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("doctor", []),
        ("hunt", ["--technique", "--targets", "--budget", "--cases", "--seed", "--resume"]),
        ("hunt", ["--preset", "--events", "--all"]),
        ("findings", ["--kind", "--category", "--op", "--campaign", "--all"]),
        ("show", []),
        ("replay", ["--attempts"]),
        ("explain", []),
    ],
)
def test_help_tells_every_option_and_gives_an_example(
    said: Callable[..., Done], command: str, options: list[str]
) -> None:
    done = said(command, "--help")
    assert (done.code, done.err) == (0, "")
    for option in [*options, "--json", "--store", "--config", "--quiet"]:
        assert option in done.out
    assert f"  assay {command}" in done.out.partition("Example")[2]
    assert command in said("--help").out
