"""NumPy has a vote where documentation promises its semantics."""

from typing import Any

import numpy as np

from assay.ir import Array, Case, Evidence, Explicit, Graph, Input, Node, Verdict
from assay.judge.numpy_vote import numpy_answer, numpy_decides, numpy_refuses
from tests.judge.observations import TARGETS, observed, ok


def call(op: str, *arrays: Array, **params: Any) -> Case:
    names = tuple(f"x{place}" for place in range(len(arrays)))
    inputs = tuple(
        Input(name, a.shape, a.dtype.name) for name, a in zip(names, arrays, strict=True)
    )
    graph = Graph(inputs, (Node("n0", op, names, params),), ("n0",))
    return Case(graph, {name: Explicit(a) for name, a in zip(names, arrays, strict=True)})


ROW = np.array([1.0, 2.0, 4.0], "float32")


def test_the_correlation_of_one_row_is_a_number() -> None:
    answer = numpy_answer(call("keras.ops.corrcoef", ROW))
    assert answer is not None
    assert answer.shape == ()


def test_an_int_pads_every_axis() -> None:
    answer = numpy_answer(call("keras.ops.pad", ROW[None], pad_width=1))
    assert answer is not None
    assert answer.shape == (3, 5)


def test_it_says_nothing_of_layers_of_other_words_and_of_what_it_refuses() -> None:
    assert numpy_answer(call("keras.layers.Dense", ROW)) is None
    assert numpy_answer(call("keras.ops.softmax", ROW)) is None
    assert numpy_answer(call("keras.ops.mean", ROW, unheard_of=1)) is None
    assert numpy_answer(call("keras.ops.mean", ROW, axis=7)) is None


def test_it_says_nothing_of_several_results() -> None:
    # Stacked, they would be the answer of whoever stacks them, which is wrong.
    assert numpy_answer(call("keras.ops.nonzero", ROW)) is None
    assert numpy_answer(call("keras.ops.meshgrid", ROW, ROW)) is None


def test_it_refuses_values_that_mean_nothing_and_not_words_it_does_not_know() -> None:
    assert numpy_refuses(call("keras.ops.quantile", ROW, q=1.5))
    assert numpy_refuses(call("keras.ops.mean", ROW, axis=7))
    assert not numpy_refuses(call("keras.ops.quantile", ROW, q=0.5))
    assert not numpy_refuses(call("keras.ops.mean", ROW, unheard_of=1))
    assert not numpy_refuses(call("keras.layers.Dense", ROW))


def test_nan_times_a_scalar_zero_is_nan() -> None:
    """BLAS, which NumPy's dot calls, says 0."""
    answer = numpy_answer(call("keras.ops.dot", np.array([1.0, np.nan], "float32"), np.float32(0)))
    assert answer is not None
    assert np.isnan(answer).tolist() == [False, True]


def test_whole_numbers_that_the_format_does_not_hold_are_no_matter_of_votes() -> None:
    def decided(*values: int) -> tuple[str, ...]:
        case = call("keras.ops.mean", np.array(values, "int32"))
        mean = np.asarray(np.mean(np.array(values, "float32"), dtype="float32") + 1)
        traces = [ok(target, {"output:n0": mean}) for target in TARGETS]
        verdict = Verdict(
            oracle="numeric",
            kind="inconsistency",
            stage="forward",
            category="bug",
            op="keras.ops.mean",
            node="n0",
            params={},
            targets=TARGETS,
            blamed=(),
            evidence=Evidence(observations=(), reason="", where="output:n0"),
        )
        return numpy_decides(observed(*traces, case=case), verdict)

    assert decided(1, 2, 3) == tuple(sorted(TARGETS))
    assert decided(2147483647, -2147483648, 1) == ()


def test_it_refuses_what_its_linear_algebra_refuses_and_not_numbers() -> None:
    matrix = np.zeros((2, 2), "float32")
    assert numpy_refuses(call("keras.ops.norm", matrix, axis=[0, 0]))
    assert not numpy_refuses(call("keras.ops.norm", matrix, axis=[0, 1]))
    assert not numpy_refuses(call("keras.ops.inv", matrix))  # singular
    assert numpy_answer(call("keras.ops.norm", matrix, axis=[0, 1])) is None


def test_what_is_a_matter_of_the_format_is_not_asked_in_another() -> None:
    numbers = np.array([-np.inf, 1.0], "float32")
    assert numpy_answer(call("keras.ops.nextafter", numbers, np.zeros(2, "float32"))) is None
