"""Scripts run in fresh interpreters with the real libraries."""

import sys

import pytest

from assay.campaign.reproducer import checked, verify
from assay.reproduce import script
from tests.reproduce.examples import EXAMPLES

pytestmark = pytest.mark.stress

#: What the pinned versions show: 0 on the first backend, 1 on the second if there is one.
PRESENT = (
    "inconsistency",
    "nan",
    "gradient",
    "error",
    "error_in_the_gradient",
    "validation",
    "crash",
    "saving",
)
ABSENT = ("weight_gradient", "nondeterminism", "configuration", "optimizer", "metric")


def test_every_example_is_run() -> None:
    assert {*PRESENT, *ABSENT} == set(EXAMPLES)


@pytest.mark.parametrize("name", PRESENT)
def test_a_script_tells_a_faulty_backend_from_a_sound_one(name: str) -> None:
    result = checked(*EXAMPLES[name]())
    assert result.reason == ""
    assert result.faulty is not None
    assert result.faulty.code == 0


@pytest.mark.parametrize("name", ABSENT)
def test_a_script_for_a_fault_that_is_not_there_says_so(name: str) -> None:
    outcome = verify(script(*EXAMPLES[name]()))
    assert outcome.code == 1, outcome


def test_a_missing_library_is_told_in_a_line() -> None:
    text = script(*EXAMPLES["error"]())
    hidden = text.replace("    import keras\n", "    import keras_that_is_missing as keras\n")
    outcome = verify(hidden)
    assert outcome.code == 2
    assert outcome.output == "cannot run: No module named 'keras_that_is_missing'\n"


def test_a_traceback_is_no_verdict() -> None:
    assert verify("raise ValueError('no')\n", python=sys.executable).code is None
    assert verify("raise SystemExit(1)\n").code == 1


def test_a_script_that_does_not_end_is_stopped() -> None:
    outcome = verify("import time\ntime.sleep(600)\n", seconds=2)
    assert outcome.code is None
    assert "2 seconds" in outcome.error
