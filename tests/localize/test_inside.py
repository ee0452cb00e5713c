"""Where calls begin to differ."""

import numpy as np

from assay.ir import Array
from assay.localize.inside import Call, Frame, backend_functions, culprit, innermost, way_in

A, B, C = (np.array([value], "float32") for value in (1.0, 2.0, 3.0))


def call(function: str, parent: int, given: Array, gave: Array) -> Call:
    return Call(function, parent, (given,), (gave,))


def side(backend: str, last: Array) -> list[Call]:
    """A layer that calls two functions of a backend."""
    return [
        call("src/layers/dense.py:Dense.call", -1, A, last),
        call(f"src/backend/{backend}/numpy.py:matmul", 0, A, B),
        call(f"src/backend/{backend}/numpy.py:add", 0, B, last),
    ]


def test_the_innermost_call_that_gives_something_else() -> None:
    found = culprit(side("torch", C), side("jax", A))
    assert found is not None
    assert found.shared == "src/backend/*/numpy.py:add"


def test_what_one_side_calls_beside_is_passed_over() -> None:
    extra = call("src/backend/torch/numpy.py:transpose", 0, A, A)
    wrong = side("torch", C)
    found = culprit([wrong[0], extra, *wrong[1:]], side("jax", A))
    assert found is not None
    assert found.function.endswith(":add")


def test_the_caller_is_to_blame_if_all_that_it_calls_agrees() -> None:
    wrong = [*side("torch", A)]
    wrong[0] = call(wrong[0].function, -1, A, C)
    found = culprit(wrong, side("jax", A))
    assert found is wrong[0]


def test_nobody_is_to_blame_where_inputs_differ_or_all_agrees() -> None:
    assert culprit(side("torch", C), side("jax", C)) is None
    other = [call("src/layers/dense.py:Dense.call", -1, B, A)]
    assert culprit(side("torch", C), other) is None


def test_the_way_in_ends_where_several_are_called_or_at_the_backend() -> None:
    calls = [
        call("src/activations/activations.py:celu", -1, A, B),
        call("src/ops/nn.py:celu", 0, A, B),
        call("src/backend/torch/nn.py:celu", 1, A, B),
        call("src/backend/torch/numpy.py:exp", 2, A, B),
    ]
    found = way_in(calls)
    assert found is calls[2]
    assert backend_functions(calls) == ("src/backend/*/nn.py:celu",)
    several = way_in(side("torch", C))
    assert several is not None
    assert several.function.startswith("src/layers")
    assert way_in([]) is None


def test_the_innermost_line_of_the_library_that_is_no_plumbing() -> None:
    frames = [
        Frame("keras/src/layers/layer.py", "__call__", "outputs = super().__call__(*args)"),
        Frame("keras/src/ops/numpy.py", "add", "return backend.numpy.add(x1, x2)"),
        Frame("keras/src/utils/traceback_utils.py", "error_handler", "return fn(*args)"),
        Frame("tensorflow/python/ops.py", "raise_from", "raise"),
    ]
    assert innermost(frames, "keras") == frames[1]
    assert innermost(frames, "torch") is None
