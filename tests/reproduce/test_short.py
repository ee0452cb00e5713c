"""The few lines that a person would type, and what NumPy says."""

import subprocess
import sys

import msgspec
import numpy as np
import pytest

from assay.ir import Node, fix
from assay.ir.cause import made
from assay.reproduce import issue, numpy_says, short
from tests.reproduce.examples import Example, case_of, error, finding_of, inconsistency

PAD = Node("n", "keras.ops.pad", ("x",), {"pad_width": 1})


def padded() -> Example:
    """A wrong shape, which NumPy knows better."""
    case = case_of(PAD, {"x": np.ones((2, 2), "float32")})
    finding = finding_of(
        case,
        "inconsistency",
        "keras-torch",
        {"keras-torch": "shape [2, 4]", "keras-jax": "shape [4, 4]"},
    )
    evidence = msgspec.structs.replace(
        finding.evidence, message="shape [2, 4] where others have [4, 4]", where="output:n"
    )
    finding = msgspec.structs.replace(finding, evidence=evidence)
    arrays = {
        "keras-torch/output:n": np.ones((2, 4), "float32"),
        "keras-jax/output:n": np.ones((4, 4), "float32"),
    }
    return finding, arrays


def test_a_call_with_its_tensors_in_it() -> None:
    assert short(*padded()).splitlines() == [
        'import os; os.environ["KERAS_BACKEND"] = "torch"',
        "import keras, numpy as np",
        'print(keras.ops.pad(np.ones((2, 2), "float32"), pad_width=1))',
        "# shape (2, 4); right: (4, 4)",
    ]


@pytest.mark.parametrize("example", [error, inconsistency])
def test_the_lines_do_what_they_say(example: type) -> None:
    finding, arrays = example()
    lines = short(finding, arrays)
    ran = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, timeout=120, check=False
    )
    if finding.kind == "error":
        told = lines.splitlines()[-1].removeprefix("# raises ").partition(":")[0]
        assert told in ran.stderr
        assert ran.returncode == 1
    else:
        assert ran.returncode == 0, ran.stderr


def test_what_takes_more_has_none() -> None:
    finding, arrays = padded()
    long = case_of(PAD, {"x": np.linspace(0, 1, 60, dtype="float32").reshape(6, 10)})
    assert short(msgspec.structs.replace(finding, case=long), arrays) == ""
    assert short(finding, {}) == ""  # what it gave is not stored


def test_numpy_itself_is_in_the_table() -> None:
    finding, arrays = padded()
    told = numpy_says(finding)
    assert told is not None
    assert told.summary == "shape [4, 4]"
    text = issue(finding, arrays, "pass")
    assert f"| numpy {np.__version__}, which the op promises to follow | shape [4, 4] |" in text
    # The few lines come first, then the script.
    assert text.index("import os; os.environ") < text.index("## Script")


def test_numpy_says_nothing_of_what_it_does_not_have_or_takes_otherwise() -> None:
    finding, _ = padded()
    change = msgspec.structs.replace
    for op in ("keras.ops.image.pad", "keras.ops.in_top_k", "keras.layers.Add"):
        assert numpy_says(change(finding, op=op)) is None
    assert numpy_says(change(finding, stage="gradient")) is None
    node = Node("n", "keras.ops.pad", ("x",), {"unheard_of": 1})
    other = case_of(node, {"x": np.ones((2, 2), "float32")})
    assert numpy_says(change(finding, case=other)) is None
    wrong = Node("n", "keras.ops.pad", ("x",), {"pad_width": [[1, 1], [1, 1], [1, 1]]})
    refused = numpy_says(change(finding, case=case_of(wrong, {"x": np.ones((2, 2), "float32")})))
    assert refused is not None
    assert refused.summary.startswith("ValueError")


def test_whose_code_has_to_change() -> None:
    finding, _ = padded()
    assert fix(finding).startswith("undecided")
    change = msgspec.structs.replace
    shared = made("keras/src/ops/nn.py:f", "numbers", "forward", ("torch",))
    assert fix(change(finding, cause=shared)).startswith("in keras: it comes from code")
    raises = made("keras/src/backend/torch/nn.py:f", "error", "forward", ("torch",), "raise X")
    assert fix(change(finding, cause=raises)) == "in keras: its own code raises it"
    inner = made("keras/src/backend/torch/nn.py:f", "numbers", "forward", ("torch",))
    assert fix(change(finding, cause=inner)).startswith("undecided")
    native = change(finding, blamed=("torch",))
    assert fix(native).startswith("upstream, in torch")
    right = change(finding, targets=(*finding.targets, "torch"))
    assert fix(right).startswith("in keras: torch, called directly")
