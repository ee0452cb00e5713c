"""Interpreters that wait, and what bugs' scripts say in them."""

import signal
from collections.abc import Iterator
from contextlib import closing

import pytest

from assay.campaign.triage.confirm import scripted
from assay.campaign.triage.interpreters import Interpreters
from assay.ir import ScriptRun
from assay.targets import Target
from tests.reproduce.examples import inconsistency


@pytest.fixture
def interpreters() -> Iterator[Interpreters]:
    with closing(Interpreters()) as opened:
        yield opened


def test_scripts_end_as_in_an_interpreter_of_their_own(interpreters: Interpreters) -> None:
    told = interpreters.verify("import keras; print(keras.backend.backend())", "numpy")
    assert (told.code, told.output) == (0, "numpy\n")
    assert interpreters.verify("raise SystemExit(1)", "numpy").code == 1
    broken = interpreters.verify("raise KeyError('lost')", "numpy")
    assert broken.code is None
    assert "KeyError: 'lost'" in broken.error
    assert interpreters.verify("import os; os.abort()", "numpy").code == -signal.SIGABRT


def test_without_its_interpreter_a_script_gets_a_fresh_one(interpreters: Interpreters) -> None:
    # The fork's parent is the interpreter that waits.
    killed = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)\n"
    told = interpreters.verify(
        f"import os, sys\nif os.path.exists(sys.argv[0] + '.out'):\n    {killed}", "numpy"
    )
    assert told.code == 0
    assert interpreters.verify("raise SystemExit(1)", "numpy").code == 1


def test_nothing_runs_after_the_end() -> None:
    ended = Interpreters()
    ended.close()
    assert ended.verify("raise SystemExit(0)", "numpy").code is None


def test_only_a_bug_that_its_script_shows_is_confirmed_by_it(interpreters: Interpreters) -> None:
    bug, arrays = inconsistency()
    assert scripted(bug, arrays, interpreters).script == ScriptRun()
    given = arrays[f"keras-tensorflow/{bug.evidence.where}"]
    alike = {name: given if "/" in name else array for name, array in arrays.items()}
    told = scripted(bug, alike, interpreters).script
    assert told is not None
    assert told.reason.startswith("expected exit code 0 on tensorflow; received exit code 1")


def test_a_changed_library_is_not_asked() -> None:
    bug, arrays = inconsistency()
    changed = Target("keras-tensorflow", "keras", "tensorflow", prelude="patch.py")
    with closing(Interpreters([changed])) as opened:
        assert scripted(bug, arrays, opened).script is None


def test_the_environment_of_a_target_is_that_of_its_scripts() -> None:
    mine = Target("keras-numpy", "keras", "numpy", env={"MINE": "yes"})
    script = "import os; raise SystemExit(0 if os.environ.get('MINE') == 'yes' else 1)"
    with closing(Interpreters([mine])) as opened:
        assert opened.verify(script, "numpy").code == 0
        assert opened.verify_fresh(script, "numpy").code == 0
