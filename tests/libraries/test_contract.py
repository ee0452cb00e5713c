"""Every adapter keeps the contract that is shipped for those of others."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from assay.targets import Target, builtin_targets, contract

#: Every adapter; compiled modes are those of an engine, and one of them will do in the gate.
NAMES = (
    "torch",
    "tensorflow",
    "jax",
    "jax+jit",
    "onnxruntime",
    "openvino",
    "onnx-reference",
    "keras-torch",
    *(
        pytest.param(name, marks=pytest.mark.deep)
        for name in (
            "torch+compile",
            "tensorflow+graph",
            "tensorflow+xla",
            "onnxruntime+unoptimised",
            "keras-numpy",
        )
    ),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_target_keeps_the_contract(name: str) -> None:
    target = builtin_targets()[name]
    module = target.backend or target.library
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    contract.check_all(target)


def test_a_target_that_gives_wrong_numbers_does_not(tmp_path: Path) -> None:
    prelude = tmp_path / "wrong.py"
    prelude.write_text("import torch\nright = torch.tanh\ntorch.tanh = lambda x: right(x) * 1.01\n")
    with pytest.raises(AssertionError, match=r"output:n. is wrong"):
        contract.check_all(Target("wrong", library="torch", prelude=str(prelude)))
