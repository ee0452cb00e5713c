"""Interpreters that wait, and what bugs' scripts say in them."""

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assay.campaign.triage.confirm import scripted
from assay.campaign.triage.interpreters import Interpreters
from assay.ir import Platform, ScriptRun
from assay.targets import Target
from tests.reproduce.examples import inconsistency, renamed

NUMPY = Platform("keras", "numpy")


@pytest.fixture(scope="module")
def interpreters() -> Iterator[Interpreters]:
    """Those of a hunt with a target of the user's own."""
    with closing(Interpreters([Target("mine", "keras", "tensorflow")])) as opened:
        yield opened


def test_scripts_end_as_in_an_interpreter_of_their_own(interpreters: Interpreters) -> None:
    script = "import keras; print(keras.backend.backend())"
    told = interpreters.verify(script, "keras-numpy", NUMPY)
    assert (told.code, told.output) == (0, "numpy\n")
    assert interpreters.verify("raise SystemExit(1)", "keras-numpy", NUMPY).code == 1
    broken = interpreters.verify("raise KeyError('lost')", "keras-numpy", NUMPY)
    assert broken.code is None
    assert "KeyError: 'lost'" in broken.error
    aborted = interpreters.verify("import os; os.abort()", "keras-numpy", NUMPY)
    assert aborted.code == -signal.SIGABRT


def test_without_its_interpreter_a_script_gets_a_fresh_one(interpreters: Interpreters) -> None:
    # The fork's parent is the interpreter that waits.
    killed = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)\n"
    script = f"import os, sys\nif os.path.exists(sys.argv[0] + '.out'):\n    {killed}"
    told = interpreters.verify(script, "keras-numpy", NUMPY)
    assert told.code == 0
    assert interpreters.verify("raise SystemExit(1)", "keras-numpy", NUMPY).code == 1


_STARTS_ITSELF = """
import subprocess, sys
if sys.argv[1:] != ["child"]:
    command = [sys.executable, __file__, "child"]
    child = subprocess.run(command, capture_output=True, text=True)
    print(child.returncode, child.stdout + child.stderr[:7], end="")
    raise SystemExit(7)
print("keras" in sys.modules, flush=True)
import os, keras
sys.stderr.write("aborted")
sys.stderr.flush()
os.abort()
"""


def test_a_script_that_starts_itself_once_more_to_die_need_not_import_again() -> None:
    with closing(Interpreters()) as opened:
        forked = opened.verify(_STARTS_ITSELF, "keras-numpy", NUMPY)
        fresh = opened.verify_fresh(_STARTS_ITSELF, "keras-numpy", NUMPY)
    assert (forked.code, forked.output) == (7, f"{-signal.SIGABRT} True\naborted")
    assert (fresh.code, fresh.output) == (7, f"{-signal.SIGABRT} False\naborted")


@pytest.mark.parametrize("wanted", ["in a fork", "in one of its own"])
def test_only_what_a_fork_denies_is_asked_of_an_interpreter_of_its_own(
    interpreters: Interpreters, wanted: str
) -> None:
    forked = "import os, sys; forked = os.path.exists(sys.argv[0] + '.out')"
    place = "('in a fork' if forked else 'in one of its own')"
    script = f"{forked}; print({place}); raise SystemExit({place} != {wanted!r})"
    told = interpreters.verify_denied(script, "keras-numpy", NUMPY)
    assert (told.code, told.output) == (0, f"{wanted}\n")


def test_what_a_script_calls_is_imported_once_for_all_that_call_it() -> None:
    known = "import sys, keras; print('tensorflow' in sys.modules)"
    with closing(Interpreters()) as opened:
        plain = opened.verify(known, "keras-numpy", NUMPY)
        seeding = opened.verify(f"{known}; keras.utils.set_random_seed(0)", "keras-numpy", NUMPY)
    assert (plain.output, seeding.output) == ("False\n", "True\n")


def test_what_lies_where_assay_was_started_is_no_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(tmp_path, "keras.py").write_text("raise SystemExit(5)")
    monkeypatch.chdir(tmp_path)
    with closing(Interpreters()) as opened:
        told = opened.verify("import keras, os; print('keras.py' in os.listdir())", "", NUMPY)
    assert (told.code, told.output) == (0, "False\n")


def test_nothing_runs_after_the_end() -> None:
    ended = Interpreters()
    ended.close()
    assert ended.verify("raise SystemExit(0)", "keras-numpy", NUMPY).code is None


def test_only_a_bug_that_its_script_shows_is_confirmed_by_it(interpreters: Interpreters) -> None:
    bug, arrays = inconsistency()
    assert scripted(bug, arrays, interpreters).script == ScriptRun()
    given = arrays[f"keras-tensorflow/{bug.evidence.where}"]
    alike = {name: given if "/" in name else array for name, array in arrays.items()}
    told = scripted(bug, alike, interpreters).script
    assert told is not None
    assert told.reason.startswith("expected exit code 0 on tensorflow; received exit code 1")


def test_a_change_that_fails_confirms_nothing() -> None:
    bug, arrays = inconsistency()
    changed = Target("keras-tensorflow", "keras", "tensorflow", prelude="missing.py")
    with closing(Interpreters([changed])) as opened:
        assert scripted(bug, arrays, opened).script is None


def test_a_script_runs_in_the_environment_of_the_very_target_it_is_about() -> None:
    targets = [
        Target("keras-numpy", "keras", "numpy"),
        Target("mine", "keras", "numpy", env={"MINE": "yes"}),
    ]
    script = "import os; raise SystemExit(0 if os.environ.get('MINE') == 'yes' else 1)"
    with closing(Interpreters(targets)) as opened:
        for name, code in (("mine", 0), ("keras-numpy", 1), ("nobody-knows", 1)):
            assert opened.verify(script, name, NUMPY).code == code
            assert opened.verify_fresh(script, name, NUMPY).code == code


def test_a_name_that_means_another_backend_now_lends_nothing() -> None:
    """The finding is of another day: its target was called as one of another backend is now."""
    renamed = Target("mine", "keras", "torch", env={"MINE": "yes"})
    script = "import os; raise SystemExit(0 if os.environ.get('MINE') == 'yes' else 1)"
    with closing(Interpreters([renamed])) as opened:
        assert opened.verify_fresh(script, "mine", NUMPY).code == 1


def test_an_interpreter_that_is_gone_is_said() -> None:
    gone = Target("mine", "keras", "numpy", python="/nowhere/python")
    with closing(Interpreters([gone])) as opened:
        told = opened.verify("raise SystemExit(0)", "mine", NUMPY)
    assert told.code is None
    assert told.error == "/nowhere/python does not start: No such file or directory"


def test_a_bug_of_a_target_with_a_name_of_its_own_has_a_script(interpreters: Interpreters) -> None:
    bug, arrays = renamed(*inconsistency(), "keras-tensorflow", "mine")
    assert scripted(bug, arrays, interpreters).script == ScriptRun()


def test_what_a_prelude_prints_is_no_answer(tmp_path: Path) -> None:
    prelude = tmp_path / "loud.py"
    prelude.write_text("import sys\nprint(0)\nsys.stdout.buffer.write(b'\\xff\\n')\n")
    with closing(Interpreters([Target("mine", "keras", "numpy", prelude=str(prelude))])) as opened:
        for code in (1, 0, 1):
            assert opened.verify(f"raise SystemExit({code})", "mine", NUMPY).code == code
