"""``assay export`` on a real store; what the scripts do is in tests/reproduce."""

import json
from pathlib import Path

import msgspec
import pytest

from assay.cli.main import run
from assay.store import open_store
from assay.targets import Target
from tests.reproduce.examples import error, inconsistency
from tests.reproduce.test_keras2_scripts import pooling


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store with an inconsistency (b3f1c0de), an error (90ac), and one without script (77d0)."""
    monkeypatch.chdir(tmp_path)
    wrong, arrays = inconsistency()
    raising, _ = error()
    raising = msgspec.structs.replace(raising, id="90ac", fingerprint="90ac" + "0" * 60)
    compiled = msgspec.structs.replace(
        raising,
        id="77d0",
        fingerprint="77d0" + "0" * 60,
        blamed=("keras-torch+compile",),
        targets=("keras-torch+compile", "keras-jax"),
    )
    with open_store("assay.db") as opened:
        campaign = opened.start_campaign(seed=7, config={}, versions={})
        found = [(wrong, arrays), (raising, {}), (compiled, {})]
        opened.record_trial(campaign.id, 0, found, {}, 1.0)


def ran(capsys: pytest.CaptureFixture[str], line: str, code: int) -> tuple[str, str]:
    assert run(line.split()) == code
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_a_script_goes_to_stdout_or_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = ran(capsys, "export b3f1", 0)
    assert err == ""
    assert out.startswith("# keras 3.15.1, tensorflow 2.21.0: keras.ops.unravel_index(")
    assert ran(capsys, "export b3f1 -o -", 0) == (out, "")
    out_file, err = ran(capsys, "export b3f1 -o repro.py", 0)
    assert (out_file, err.count("\n")) == ("", 1)
    assert Path("repro.py").read_text() == out
    assert ran(capsys, "export b3f1 -o repro.py -q", 0) == ("", "")


def test_markdown_is_an_issue_with_the_same_script(capsys: pytest.CaptureFixture[str]) -> None:
    script, _ = ran(capsys, "export 90ac", 0)
    issue, _ = ran(capsys, "export 90ac --markdown", 0)
    assert issue.startswith("# keras.ops.roll(shift=2, axis=(1,)) raises InvalidArgumentError")
    assert f"```python\n{script}```\n" in issue
    assert "tensorflow 2.21.0" in issue


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    script, _ = ran(capsys, "export 90ac", 0)
    document = json.loads(ran(capsys, "export 90ac --json", 0)[0])
    assert document["id"] == "90ac"
    assert document["script"] == script


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("export nope", 'has no finding "nope"'),
        ("export 77d0", "77d0 has no script: scripts of keras run in eager mode"),
        ("export b3f1 -o missing/repro.py", "cannot write missing/repro.py: No such file"),
        ("export b3f1 -o .", "cannot write .: Is a directory"),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], line: str, told: str) -> None:
    out, err = ran(capsys, line, 2)
    assert out == ""
    assert err.startswith("assay: ")
    assert err.count("\n") == 1
    assert told in err


def test_the_command_names_the_environment_that_has_the_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    finding, arrays = pooling()
    with open_store("assay.db") as opened:
        campaign = opened.start_campaign(seed=8, config={}, versions={})
        kept = msgspec.structs.replace(finding, id="5e5e", fingerprint="5e5e" + "0" * 60)
        opened.record_trial(campaign.id, 0, [(kept, arrays)], {}, 1.0)
    _, err = ran(capsys, "export 5e5e -o repro.py", 0)
    assert "It cannot run yet: keras-theano@keras-2.3.1: the environment keras-2.3.1 was not" in err
    place = tmp_path / "python"
    target = Target(
        "keras-theano@keras-2.3.1", "keras2", "theano", python=str(place), env={"FLAGS": "a b"}
    )
    monkeypatch.setattr("assay.targets.resolve", lambda names, known: (target,))
    _, err = ran(capsys, "export 5e5e -o repro.py", 0)
    assert err.endswith(f"Run it with:\nFLAGS='a b' {place} repro.py\n")
