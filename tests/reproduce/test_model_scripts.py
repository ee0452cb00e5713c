"""Scripts about models really run, on every runtime, and tell the right answer from a wrong one."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assay.campaign.triage.reproducer import Outcome, verify
from assay.ir import Array, Evidence, Finding, Observation
from assay.ir.model import CheckedModel, Place, model_case
from assay.reproduce import CannotReproduce, issue, model_script
from tests.models_on_disk import (
    INSTANCE,
    LAYERS,
    RIGHT,
    custom_keras,
    dense_keras,
    dense_onnx,
    dense_torch,
)
from tests.report.records import finding

Built = Callable[[str], str]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The path of a model by its format, each made once."""
    folder = tmp_path_factory.mktemp("models")
    makers = {"keras": dense_keras, "onnx": dense_onnx, "torch": dense_torch}
    known: dict[str, str] = {}

    def path(format: str) -> str:
        if format not in known:
            known[format] = makers[format](folder)
        return known[format]

    return path


def about(path: str, format: str, place: Place, **changes: object) -> Finding:
    """A finding about a model that blames that place."""
    model = CheckedModel(
        title=os.path.basename(path),
        path=path,
        format=format,
        sha256="",
        trust=format == "torch",
        inputs=("x",),
        places={"faulty": place, "sound": place},
    )
    case = model_case(model, [INSTANCE])
    evidence = Evidence(
        observations=(
            Observation("faulty", "a", "", 5.0),
            Observation("sound", "b", "", float(RIGHT[0, 1])),
        ),
        reason="reference and sound agree",
        where="output:model",
        position=(0, 1),
        tolerance=1e-4,
    )
    made = finding(
        targets=("faulty", "sound"),
        blamed=("faulty",),
        versions={"faulty": {"library": "1.0"}},
        op=f"model.{format}",
        node="",
        params={},
        magnitude=0.5,
        evidence=evidence,
        case=case,
        original=case,
    )
    return msgspec.structs.replace(made, **changes)


def arrays(right: Array) -> dict[str, Array]:
    return {"faulty/output:model": right + 0.5, "sound/output:model": right}


def ran(found: Finding, right: Array) -> Outcome:
    made = model_script(found, arrays(right))
    return verify(made.text, beside=made.beside)


@pytest.mark.parametrize(
    ("format", "place"),
    [
        ("keras", Place("keras", "numpy")),
        ("keras", Place("keras", "jax", "jit")),
        ("keras", Place("keras", "tensorflow", "onnxruntime")),
        ("keras", Place("keras", "tensorflow", "openvino")),
        ("keras", Place("keras", "tensorflow", "litert")),
        ("onnx", Place("onnxruntime", mode="optimised")),
        ("onnx", Place("onnxruntime", mode="unoptimised")),
        ("onnx", Place("openvino")),
        ("onnx", Place("onnx")),
        ("torch", Place("torch")),
    ],
    ids=lambda item: (
        item if isinstance(item, str) else f"{item.library}-{item.backend}+{item.mode}"
    ),
)
def test_a_right_answer_is_not_the_bug(built: Built, format: str, place: Place) -> None:
    outcome = ran(about(built(format), format, place), RIGHT)
    assert outcome.code == 1, outcome


@pytest.mark.parametrize("right", [RIGHT + 1.0, np.array([[np.nan, -3.0]], "float32"), RIGHT[0]])
def test_another_answer_is(built: Built, right: Array) -> None:
    outcome = ran(about(built("onnx"), "onnx", Place("onnxruntime", mode="optimised")), right)
    assert outcome.code == 0, outcome


def test_what_is_not_there_cannot_run(built: Built) -> None:
    place = Place("onnxruntime", mode="optimised")
    gone = ran(about(built("onnx") + ".gone", "onnx", place), RIGHT)
    assert gone.code == 2
    assert "cannot run: no file" in gone.output


def test_many_numbers_lie_beside_the_script(built: Built) -> None:
    found = about(built("onnx"), "onnx", Place("onnxruntime", mode="optimised"))
    assert model_script(found, arrays(RIGHT)).beside == b""
    many = np.repeat(INSTANCE, 200, axis=0)
    model = msgspec.convert(found.case.graph.nodes[0].params, CheckedModel)
    large = msgspec.structs.replace(found, case=model_case(model, [many]))
    right = np.repeat(RIGHT, 200, axis=0)
    made = model_script(large, arrays(right))
    assert made.beside
    assert verify(made.text, beside=made.beside).code == 1


def test_a_process_that_dies_is_told_by_its_end(built: Built, tmp_path: Path) -> None:
    prelude = tmp_path / "dying.py"
    prelude.write_text("import os, sys\nif 'child' in sys.argv: os.abort()\n", encoding="utf-8")
    evidence = Evidence(
        observations=(Observation("faulty", "a", "the process died: SIGABRT"),),
        reason="a process must not die of its input",
        message="SIGABRT",
    )
    for path, code in ((str(prelude), 0), ("", 1)):
        place = Place("onnxruntime", mode="optimised", prelude=path)
        found = about(built("onnx"), "onnx", place, kind="crash", evidence=evidence)
        outcome = ran(found, RIGHT)
        assert outcome.code == code, outcome


def test_custom_layers_are_those_of_the_prelude(tmp_path: Path) -> None:
    path, layers = custom_keras(tmp_path), tmp_path / "layers.py"
    layers.write_text(LAYERS, encoding="utf-8")
    found = about(path, "keras", Place("keras", "numpy", prelude=str(layers)))
    model = msgspec.convert(found.case.graph.nodes[0].params, CheckedModel)
    told = msgspec.structs.replace(model, trust=True, custom=("mine>Doubled", "Halved"))
    named = msgspec.structs.replace(found, case=model_case(told, [INSTANCE]))
    assert ran(named, RIGHT).code == 1  # loaded and run; there is no fault
    assert ran(found, RIGHT).code not in (0, 1)


def test_an_issue_names_the_model_and_the_layer(built: Built) -> None:
    place = Place("onnx")
    found = about(built("onnx"), "onnx", place, op="onnx.MatMul", node="dense")
    text = issue(found, arrays(RIGHT), "print()")
    assert text.startswith("# dense.onnx, layer dense (onnx.MatMul) gives 5 instead of ")


def test_a_runtime_that_no_script_knows_is_said(built: Built) -> None:
    with pytest.raises(CannotReproduce, match="no script of ours runs models with mine"):
        model_script(about(built("onnx"), "onnx", Place("mine")), arrays(RIGHT))
