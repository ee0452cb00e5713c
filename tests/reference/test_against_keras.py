"""The reference against real Keras backends, on every case of the sweep.

Backends that differ from it are listed with the reason. An entry that no longer
differs fails the test: the library was put right, or we broke the reference.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay_worker.libraries.reference import ReferenceAdapter
from tests.reference.sweep import cases

ROOT = Path(__file__).parents[2]
_SPARSEMAX = (
    "sparsemax of (1, 2, 1.5) is (0, 0, 0): with two or more in the support it does not sum to 1"
)
_AVERAGE = "K01: 'same' average pooling counts invented cells where padding is asymmetric"
_ROLL = "K16: one shift for several axes is refused"
_PAD_WIDTH = "an integer pad_width reaches one axis only, though documented for all"
_PAD_MODE = "documented: this backend lacks the padding mode"
_LAYOUT = "convolutions of channels_first tensors are refused on CPU"

#: Backend -> case -> why its arrays differ from the reference.
DIFFERENT = {
    "jax": {"activation-sparsemax-axis": _SPARSEMAX, "activation-sparsemax-support": _SPARSEMAX},
    "tensorflow": {
        "activation-sparsemax-axis": _SPARSEMAX,
        "activation-sparsemax-support": _SPARSEMAX,
        "op-rot90-2": "K05: two quarter turns of a non-square array are wrong",
        "special-op-hypot": "K07: hypot(inf, -inf) is NaN instead of infinity",
        "gradient-hypot-ties": "N05: the gradient of hypot at |x1| = |x2| is wrong",
        "gradient-celu-zero": "N03: the gradient of celu at 0 is twice what it is",
    },
    "torch": {
        "activation-sparsemax-axis": _SPARSEMAX,
        "activation-sparsemax-support": _SPARSEMAX,
        "average-pool-2": _AVERAGE,
        "average-pool-6": _AVERAGE,
        "average-pool-7": _AVERAGE,
        "average-pool-8": _AVERAGE,
        "average-pool-10": _AVERAGE,
        "average-pool-19": _AVERAGE,
        "op-pad-symmetric": "K02: symmetric padding repeats the edge",
        "op-pad-value": _PAD_WIDTH,
        "special-op-sign": "convention: torch's sign of NaN is 0",
    },
}
_NUMPY_MODES = ["edge", "linear_ramp", "maximum", "mean", "median", "minimum", "wrap"]
#: Backend -> case -> why it raises where the reference computes.
REFUSED = {
    "jax": {"op-pad-circular": _PAD_MODE},
    "tensorflow": {
        "conv-3": _LAYOUT,
        "conv-13": _LAYOUT,
        "conv-16": _LAYOUT,
        "conv-20": _LAYOUT,
        "op-roll-axes": _ROLL,
        "op-pad-value": _PAD_WIDTH,
        **{f"op-pad-{mode}": _PAD_MODE for mode in [*_NUMPY_MODES, "circular"]},
    },
    "torch": {
        "op-roll-axes": _ROLL,
        "layer-middle": "LayerNormalization of another axis than the last is refused",
        **{f"op-pad-{mode}": _PAD_MODE for mode in _NUMPY_MODES},
    },
}


def _agree(expected: Any, received: Any, undecided: Any, scale: float) -> bool:
    if expected.shape != received.shape or expected.dtype.kind != received.dtype.kind:
        return False
    with np.errstate(all="ignore"):
        # What float32 cannot hold is infinite there.
        expected, received = (
            expected.astype("float32").astype("float64"),
            received.astype("float64"),
        )
        same = (expected == received) | (np.isnan(expected) & np.isnan(received))
        same |= np.abs(expected - received) <= 1e-5 * scale
    return bool(np.all(same | undecided))


def _scale(arrays: dict[str, Any], name: str) -> float:
    """The largest finite magnitude; gradients share one, as they are terms of the same sums."""
    family = [k for k in arrays if k.startswith("gradient:")] if "gradient" in name else [name]
    finite = [np.abs(arrays[k][np.isfinite(arrays[k])]) for k in family]
    return max((float(part.max()) for part in finite if part.size), default=0.0)


@pytest.mark.parametrize(
    "backend",
    ["tensorflow", "torch", pytest.param("jax", marks=pytest.mark.deep)],  # compiles each call
)
def test_backend_agrees_but_for_known_differences(backend: str, tmp_path: Path) -> None:
    questions = cases()
    (tmp_path / "cases.json").write_text(json.dumps(questions))
    runner = Path(__file__).with_name("keras_runner.py")
    subprocess.run(
        [sys.executable, runner, backend, tmp_path / "cases.json", tmp_path / "results.npz"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=True,
        capture_output=True,
        timeout=500,
    )
    received = np.load(tmp_path / "results.npz")
    summaries = json.loads(str(received["summaries"]))
    reference = ReferenceAdapter("", "eager")
    different, refused = set(), set()
    for name, question in questions.items():
        (result,) = reference.execute(question)
        assert result["status"] == "ok", (name, result)
        if summaries[name]["status"] != "ok":
            refused.add(name)
            continue
        arrays = result["arrays"]
        compared = [key for key in arrays if not key.startswith("undecided:")]
        for key in compared:
            undecided = arrays.get("undecided:" + key, np.zeros(arrays[key].shape, bool))
            # Random cases do not hit kinks: a reference that claims nothing would pass all.
            assert not undecided.any(), (name, key)
            theirs = received[f"{name}|{key}"]
            if not _agree(arrays[key], theirs, undecided, _scale(arrays, key)):
                different.add(name)
        if name not in different:
            assert summaries[name]["digest"] == result["digest"], name
        theirs_only = {k.partition("|")[2] for k in received.files if k.startswith(name + "|")}
        missing = {k for k in theirs_only - set(compared) if not k.startswith("gradient:output:")}
        assert not missing, (name, missing)
    assert different == set(DIFFERENT[backend])
    assert refused == set(REFUSED[backend])
