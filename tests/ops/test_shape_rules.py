"""Our shape rules against what Keras infers and computes, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.ops import Draw, Invalid, specs
from assay.ops.instance import Call, instantiate, spoil
from assay.ops.shapes import Palette
from assay.ops.values import MATRIX_CLASSES

#: Of each op; the rare combinations of many calls are for deep.
CALLS_PER_OP = (12, pytest.param(40, marks=pytest.mark.deep))
#: Op -> calls whose shape Keras' NumPy backend gets wrong.
KERAS_IS_WRONG = {
    # Documented: (N, N). One variable gives a scalar.
    "keras.ops.corrcoef": lambda call: call.shapes[0][0] == 1,
    # Documented: the last axis is the sample. Collected is axis 1.
    "keras.layers.Discretization": lambda call: len(call.shapes[0]) == 3,
    # Scaled along the last axis, whichever axis is normalized.
    "keras.layers.RMSNormalization": lambda call: "axis" in call.params,
    # A mask of steps is stretched along the wrong axes.
    **{f"keras.layers.ConvLSTM{n}D": lambda call: len(call.shapes) == 2 for n in (1, 2, 3)},
    # Documented: (..., M, M). Of a batch, a product of other matrices.
    "keras.ops.cholesky_inverse": lambda call: len(call.shapes[0]) > 2,
    # Of an empty batch, the axes before the last are lost.
    "keras.ops.stft": lambda call: call.shapes[0][0] == 0,
    # Predictions of more than two axes are indexed as if they had two.
    "keras.ops.in_top_k": lambda call: len(call.shapes[0]) > 1,
    # Of an empty batch, the axis of several quantiles is lost.
    **{
        f"keras.ops.{name}": lambda call: call.shapes[0][:1] == (0,)
        for name in ("nanquantile", "nanpercentile")
    },
    # Documented: (batch_size, num_samples). No rows give a vector.
    "keras.random.categorical": lambda call: call.shapes[0][0] == 0,
}
#: Op -> why the shape Keras infers is not the one it computes.
INFERRED_WRONG = {
    "keras.layers.Discretization": "the last axis is the sample; collected is axis 1",
    "keras.layers.EinsumDense": "known lengths remain None; those of an ellipsis are reversed",
    "keras.layers.HashedCrossing": "one_hot of a batch of scalars",
    "keras.layers.Hashing": "one_hot adds an axis",
    "keras.layers.MelSpectrogram": "one frame too many",
}


def _draw_calls(seed: int, per_op: int) -> list[Call]:
    palette, draw = Palette(seed), Draw(seed)
    keras = [spec for name, spec in specs().items() if name.startswith("keras.")]
    return [instantiate(spec, draw, palette) for spec in keras for _ in range(per_op)]


def _fill(call: Call, slot: int) -> str:
    """With what the tensor is filled: values must not matter, but some ops cannot take ones."""
    kind = call.spec.tensor(slot).domain.kind
    if kind in ("corners", "affine"):
        return "corners" if kind == "corners" else "ones"
    if kind in MATRIX_CLASSES:
        return "identity"
    return "zeros" if kind == "ids" and not call.spec.dynamic else "ones"


def _ask_keras(calls: list[Call], backend: str) -> list[dict[str, object]]:
    question = [
        {
            "op": call.spec.name,
            "params": call.params,
            "grouped": call.spec.grouped,
            "arguments": [p.name for p in call.spec.parameters if p.argument],
            "inputs": [
                {
                    "shape": shape,
                    "dtype": dtype,
                    "keyword": call.spec.tensor(slot).keyword,
                    "fill": _fill(call, slot),
                }
                for slot, shape, dtype in zip(call.slots, call.shapes, call.dtypes, strict=True)
            ],
        }
        for call in calls
    ]
    finished = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("infer_with_keras.py")), backend],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    answers: list[dict[str, object]] = json.loads(finished.stdout.splitlines()[-1])
    assert len(answers) == len(calls)
    return answers


@pytest.fixture(scope="module", params=CALLS_PER_OP)
def valid_calls(request: pytest.FixtureRequest) -> list[Call]:
    return _draw_calls(seed=3, per_op=request.param)


@pytest.fixture(scope="module")
def answers(valid_calls: list[Call]) -> list[dict[str, object]]:
    # numpy: keeps to the documentation, and compiles convolutions only.
    return _ask_keras(valid_calls, "numpy")


def _describe(call: Call) -> str:
    return f"{call.spec.name} {call.params} on {call.shapes} {call.dtypes}"


def test_every_shape_keras_computes_is_the_one_the_rule_gives(
    valid_calls: list[Call], answers: list[dict[str, object]]
) -> None:
    wrong = [
        f"{_describe(call)}: rule {call.outputs}, Keras {answer}"
        for call, answer in zip(valid_calls, answers, strict=True)
        if "error" not in answer
        and answer["computed"] != [list(shape) for shape in call.outputs]
        and not KERAS_IS_WRONG.get(call.spec.name, lambda call: False)(call)
    ]
    assert not wrong, "\n".join(wrong)


def test_every_shape_keras_infers_is_the_one_the_rule_gives(
    valid_calls: list[Call], answers: list[dict[str, object]]
) -> None:
    wrong = [
        f"{_describe(call)}: rule {call.outputs}, Keras {answer}"
        for call, answer in zip(valid_calls, answers, strict=True)
        if answer.get("inferred") is not None
        and answer["inferred"] != [list(shape) for shape in call.outputs]
    ]
    assert {item.partition(" ")[0] for item in wrong} <= set(INFERRED_WRONG), "\n".join(wrong)


def test_keras_accepts_98_percent_of_the_calls_meant_valid(
    valid_calls: list[Call], answers: list[dict[str, object]]
) -> None:
    refused = [
        f"{_describe(call)}: {answer['error']}"
        for call, answer in zip(valid_calls, answers, strict=True)
        if "error" in answer
    ]
    assert len(refused) <= 0.02 * len(valid_calls), "\n".join(refused)


def test_keras_refuses_most_of_the_calls_meant_invalid() -> None:
    """Not all: a value that is silently taken is what the validation oracle looks for."""
    draw = Draw(5)
    spoiled = []
    for call in _draw_calls(seed=5, per_op=6):
        try:
            spoiled.append(spoil(call, draw))
        except Invalid:
            assert not any(item.invalid for item in call.spec.parameters)
    answers = _ask_keras(spoiled, "numpy")
    taken = [_describe(c) for c, a in zip(spoiled, answers, strict=True) if "error" not in a]
    assert len(taken) <= 0.1 * len(spoiled), "\n".join(taken)
