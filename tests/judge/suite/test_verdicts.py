"""Who is wrong about a case, by the voices of the case and of several implementations."""

import pytest

from assay.ir.suite import Difference, Status
from assay.judge.suite.verdicts import Measured, Voice, judged

APART = Difference("number", 0, "1", "2")
#: Rounding was measured, and does not explain it.
MEASURED = Measured(rounds=False)


def voices(**statuses: Status) -> dict[str, Voice]:
    return {
        name: Voice(name, name, status, (), APART if status == "differs" else None)
        for name, status in statuses.items()
    }


@pytest.mark.parametrize(
    ("said", "known", "category", "rule"),
    [
        (voices(openvino="differs", onnxruntime="passes"), MEASURED, "bug", "others confirm"),
        (voices(openvino="differs", onnx="passes"), MEASURED, "bug", "author confirms"),
        (voices(openvino="differs", onnx="passes"), Measured(), "undecided", "not measured"),
        (voices(openvino="differs"), Measured(), "undecided", "case alone"),
        (
            voices(openvino="differs", onnxruntime="differs", onnx="passes"),
            Measured(alike=("onnxruntime",)),
            "undecided",
            "others contradict",
        ),
        (
            voices(openvino="differs", onnxruntime="differs", onnx="passes"),
            MEASURED,
            "bug",
            "author confirms",
        ),
        (
            voices(openvino="differs", onnx="differs", onnxruntime="passes"),
            Measured(alike=("onnx",), rounds=False),
            "bug",
            "others confirm",
        ),
        (
            voices(openvino="differs", onnx="passes"),
            Measured(rounds=True),
            "rounding",
            "rounding",
        ),
        (
            voices(openvino="differs", onnxruntime="passes"),
            Measured(undefined="open"),
            "convention",
            "undefined",
        ),
        (
            voices(openvino="differs", onnx="passes"),
            Measured(doubt="it denies the text"),
            "undecided",
            "doubtful case",
        ),
        (voices(openvino="refuses", onnx="passes"), Measured(), "bug", "fails alone"),
        (voices(openvino="refuses", onnx="refuses"), Measured(), "undecided", "fails with all"),
        (
            voices(openvino="refuses", onnx="passes"),
            Measured(refusal="it says what it takes"),
            "unsupported",
            "clear refusal",
        ),
        (voices(openvino="crashes"), Measured(), "bug", "death"),
        (voices(openvino="hangs"), Measured(), "bug", "death"),
        (voices(openvino="not implemented"), Measured(), "unsupported", "lacks"),
    ],
)
def test_the_first_voice_is_judged_by_the_others(
    said: dict[str, Voice], known: Measured, category: str, rule: str
) -> None:
    found = judged(said["openvino"], said, known)
    assert found is not None
    assert (found.category, found.rule) == (category, rule)
    assert found.blamed == (category == "bug")
    assert found.reason


def modes(first: Status, second: Status) -> dict[str, Voice]:
    return {
        name: Voice(name, "onnxruntime", status, (), APART)
        for name, status in (("onnxruntime", first), ("onnxruntime+unoptimised", second))
    }


def test_two_modes_of_a_runtime_are_one_voice() -> None:
    said = modes("differs", "differs")
    found = judged(said["onnxruntime"], said, Measured())
    assert found is not None
    assert found.rule == "case alone"


def test_a_mode_that_passes_speaks_against_one_that_does_not() -> None:
    said = modes("differs", "passes")
    found = judged(said["onnxruntime"], said, MEASURED)
    assert found is not None
    assert (found.category, found.blamed) == ("bug", True)
    assert "onnxruntime+unoptimised" in found.reason


def test_the_evaluator_alone_against_its_own_case_is_undecided() -> None:
    said = voices(onnx="differs")
    found = judged(said["onnx"], said, Measured())
    assert found is not None
    assert (found.category, found.rule) == ("undecided", "author contradicts itself")


def test_what_passes_is_not_judged() -> None:
    said = voices(openvino="passes")
    assert judged(said["openvino"], said, Measured()) is None
