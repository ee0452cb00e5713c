"""Why a runtime does not run a case, by what it says. Every message was said by a real one."""

import pytest

from assay.ir import Failure
from assay.judge.suite.failing import clear_refusal, gist, lacks

FAIL = "onnxruntime.capi.onnxruntime_pybind11_state.Fail"
OPENVINO = "builtins.RuntimeError"


def failure(message: str, exception: str = FAIL) -> Failure:
    return Failure("build", exception, message)


@pytest.mark.parametrize(
    "said",
    [
        failure("Fatal error: ai.onnx.preview.training:Adam(-1) is not a registered function/op"),
        failure(
            "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for "
            "TopK(24) node with name ''"
        ),
        failure("Opset 28 is under development and support for this is limited."),
        failure("Unsupported model IR version: 14, max supported IR version: 13"),
        failure("INVALID_GRAPH : Error Unrecognized attribute: left_window_size for Attention"),
        failure(
            "Unexpected: CPU plug-in doesn't support Unsqueeze operation with dynamic rank",
            OPENVINO,
        ),
        failure("GridSample is only supported for 4D input tensors. Got rank: 5", OPENVINO),
    ],
)
def test_who_says_that_it_lacks_something_has_not_implemented_it(said: Failure) -> None:
    assert lacks(said)


@pytest.mark.parametrize(
    "said",
    [
        failure("If the input type is floating point, then `fmod` attribute must be set to 1."),
        failure("SplitToSequence: 'split' input must be a constant", OPENVINO),
        failure("Failed to construct locale en_US.UTF-8: Please, install necessary language-pack"),
    ],
)
def test_who_asks_for_something_else_refuses_clearly(said: Failure) -> None:
    assert not lacks(said)
    assert clear_refusal(said)


@pytest.mark.parametrize(
    "said",
    [
        failure("Type parameter (T) of Optype (Add) bound to different types (tensor(bfloat16)"),
        failure("The split number is invalid", OPENVINO),
        failure("Arguments do not have the same element type (arg0: f16, arg1: f32).", OPENVINO),
        failure("x and y have different dtype: <class 'NoneType'> != <class 'numpy.ndarray'>"),
        failure("ReduceMax is not defined for empty set with bool type"),
    ],
)
def test_other_failures_are_neither(said: Failure) -> None:
    assert not lacks(said)
    assert not clear_refusal(said)


def test_the_gist_has_no_places_in_a_source() -> None:
    told = failure(
        "Exception from src/inference/src/cpp/core.cpp:105:\nCheck 'false' failed at "
        "src/frontends/common_translators/src/unconverted_ops_report.cpp:134:\nFrontEnd API failed "
        "with OpConversionFailure:\nModel wasn't fully converted. Failed operations detailed log:\n"
        "-- Split-18 with a message:\nThe split number is invalid\n\nSummary:\n"
        "-- Conversion is failed for: Split-18\n"
    )
    assert gist(told) == "The split number is invalid"
    assert gist(failure("only this")) == "only this"
