"""Scripts run in fresh interpreters with the real libraries."""

import sys
from collections.abc import Iterator
from contextlib import closing

import msgspec
import pytest

from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.reproducer import checked, verify
from assay.ir import Platform, platform_of
from assay.reproduce import script, sides_of
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


@pytest.fixture(scope="module")
def interpreters() -> Iterator[Interpreters]:
    with closing(Interpreters()) as opened:
        yield opened


@pytest.mark.parametrize("name", PRESENT)
def test_a_script_tells_a_faulty_backend_from_a_sound_one(
    name: str, interpreters: Interpreters
) -> None:
    result = checked(*EXAMPLES[name](), interpreters.verify)
    assert result.reason == ""
    assert result.faulty is not None
    assert result.faulty.code == 0


@pytest.mark.parametrize("name", ABSENT)
def test_a_script_for_a_fault_that_is_not_there_says_so(
    name: str, interpreters: Interpreters
) -> None:
    finding, arrays = EXAMPLES[name]()
    faulty = sides_of(finding, arrays).faulty[0]
    platform = platform_of(finding, faulty)
    outcome = interpreters.verify(script(finding, arrays), faulty, platform)
    assert outcome.code == 1, outcome


def test_a_script_chooses_its_backend_in_a_fresh_interpreter() -> None:
    assert verify(script(*EXAMPLES["inconsistency"]())).code == 0


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


def test_a_call_that_does_not_return_is_given_up(interpreters: Interpreters) -> None:
    finding, arrays = EXAMPLES["crash"]()
    evidence = msgspec.structs.replace(finding.evidence, message="timeout")
    text = script(msgspec.structs.replace(finding, evidence=evidence), arrays)
    assert "keras.ops.irfft(fft_length=0) does not return" in text
    place = ("keras-tensorflow", Platform("keras", "tensorflow"))
    assert interpreters.verify(text, *place).code == 1  # it dies, which is not the same
    impatient = interpreters.verify(text.replace("timeout=60", "timeout=0.1"), *place)
    assert impatient.code == 0
    assert impatient.output == "expected an answer, actual none within 60 seconds\n"


def test_a_process_that_ends_by_itself_is_told_from_one_that_goes_on() -> None:
    """On NumPy the call raises or works: neither is the process ending in the middle of it."""
    finding, arrays = EXAMPLES["crash"]()
    evidence = msgspec.structs.replace(finding.evidence, message="exit 0")
    text = script(msgspec.structs.replace(finding, evidence=evidence), arrays)
    before, call, after = text.rpartition("print(keras.ops.irfft")
    assert call
    place = {"backend": "numpy"}
    assert verify(text, **place).code == 1
    assert verify(before + "print(1)\n" + after.partition("\n")[2], **place).code == 1
    ending = "import os; os._exit(0)\n"
    assert verify(before + ending + call + after, **place).code == 0
