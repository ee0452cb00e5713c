"""The command as a process: start-up, pipes, encodings, and our own bugs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import main as command
from assay.store import open_store
from tests.report.records import FINDINGS

HEAVY = ("numpy", "rich", "sqlalchemy", "scipy", "keras", "torch", "tensorflow", "jax")


def assay(*arguments: str, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "assay", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_store(str(tmp_path / "assay.db")) as opened:
        campaign = opened.start_campaign(seed=7, config={"seed": 7}, versions={})
        for index, finding in enumerate(FINDINGS):
            opened.record_trial(campaign.id, index, [(finding, {})], {}, float(index))
    return tmp_path


@pytest.mark.parametrize("arguments", ["['--help']", "['hunt', '--help']", "['--version']"])
def test_help_imports_nothing_heavy(arguments: str) -> None:
    script = (
        "import sys; from assay.cli.main import run; "
        f"assert run({arguments}) == 0; "
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == "[]\n"


def test_python_m_assay_is_the_command(tmp_path: Path) -> None:
    done = assay("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(b"Usage: assay ")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("arguments", [("findings", "--all"), ("show", "b3f1")])
def test_no_encoding_of_stdout_is_fatal(
    folder: Path, encoding: str, arguments: tuple[str, ...]
) -> None:
    done = assay(*arguments, cwd=folder, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert "b3f1" in text
    assert "?" not in text, "every character we print ourselves has an equivalent"


def test_json_is_utf8_whatever_the_terminal_says(folder: Path) -> None:
    plain = assay("findings", "--json", cwd=folder, PYTHONIOENCODING="utf-8")
    other = assay("findings", "--json", cwd=folder, PYTHONIOENCODING="ascii")
    assert plain.stdout == other.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("arguments", ["findings --all", "findings --json", "explain", "--help"])
def test_a_reader_that_goes_away_is_no_error(folder: Path, arguments: str) -> None:
    done = subprocess.run(
        f"{{ {sys.executable} -m assay {arguments}; echo $? >&2; }} | true",
        shell=True,
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == b"0\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["findings", "findings --json", "explain", "--help"])
def test_a_full_disk_is_told_in_one_line(folder: Path, arguments: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -m assay {arguments} > /dev/full",
        shell=True,
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, b"assay: No space left on device.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_closed_streams_are_no_crash(folder: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m assay findings >&-; echo $?",
        shell=True,
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_colours_only_where_they_are_wanted(folder: Path) -> None:
    coloured = assay("findings", cwd=folder, FORCE_COLOR="1", TERM="xterm-256color").stdout
    plain = assay(
        "findings", cwd=folder, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color"
    ).stdout
    assert b"\x1b[1;31m" in coloured
    assert b"31m" not in plain
    assert b"\x1b" not in assay("findings", cwd=folder).stdout


def test_our_own_bug_is_one_line_and_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(arguments: object) -> int:
        raise ZeroDivisionError("deep\ninside")

    monkeypatch.setattr(command, "_invoke", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert command.run([]) == 3
    out, err = capsys.readouterr()
    (details,) = tmp_path.glob("assay-error-*.txt")
    assert out == ""
    assert err == (
        "assay: internal error: ZeroDivisionError: deep inside; this is a bug in Assay; "
        f"details in {details}\n"
    )
    assert "raise ZeroDivisionError" in details.read_text()


def test_our_own_bug_on_a_full_disk_is_still_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(arguments: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(command, "_invoke", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    assert command.run([]) == 3
    assert capsys.readouterr().err.endswith(
        "details could not be written (No such file or directory)\n"
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt, command.Interrupted])
def test_an_interruption_is_130(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: type[BaseException],
) -> None:
    def interrupted(arguments: object) -> int:
        raise error

    monkeypatch.setattr(command, "_invoke", interrupted)
    assert command.run([]) == 130
    assert capsys.readouterr().err == "assay: interrupted\n"
