"""A model as a case: nothing of it is lost, and records from before there were any still load."""

import json

import numpy as np

from assay.ir import Case, Finding, from_json, to_json, validate_case
from assay.ir.model import CheckedModel, Place, model_case, model_of, output_name, output_place
from tests.report.records import finding

MODEL = CheckedModel(
    title="m.onnx",
    path="/models/m.onnx",
    format="onnx",
    sha256="ab" * 32,
    instance=3,
    labels=np.array([[0.5, np.nan]], "float32"),
    inputs=("x:0", "state"),
    places={"mine": Place("onnx", env={"A": "1"})},
)
ARRAYS = [np.arange(6, dtype="float32").reshape(1, 6), np.array(2, "int64")]


def test_a_model_comes_back_as_it_was() -> None:
    case = validate_case(from_json(to_json(model_case(MODEL, ARRAYS)), Case))
    found = model_of(case)
    assert found is not None
    assert to_json(found) == to_json(MODEL)
    for array, expected in zip(case.input_arrays().values(), ARRAYS, strict=True):
        np.testing.assert_array_equal(array, expected)
        assert array.dtype == expected.dtype


def test_a_case_of_ops_is_no_model() -> None:
    assert model_of(finding().case) is None


def test_a_model_that_cannot_be_loaded_has_no_inputs() -> None:
    assert model_case(MODEL, []).graph.inputs == ()


def test_outputs_are_named_as_in_traces() -> None:
    assert [output_name(place) for place in (0, 2)] == ["output:model", "output:model:2"]
    assert [output_place(output_name(place)) for place in (0, 12)] == [0, 12]


def test_a_finding_recorded_before_models_had_any_loads() -> None:
    record = json.loads(to_json(finding()))
    del record["layers"]
    assert from_json(json.dumps(record), Finding) == from_json(to_json(finding()), Finding)
