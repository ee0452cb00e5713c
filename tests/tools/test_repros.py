"""tools/repros.py and tools/verifying.py: a few lines on every backend, and how scripts end."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from assay.campaign.triage.reproducer import Outcome

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def repros(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(TOOLS)
    return importlib.import_module("repros")


def test_a_repro_in_numpys_words_is_the_same_with_another_prefix(repros: ModuleType) -> None:
    repro = "x = np.ones(2)\nkeras.ops.norm(keras.ops.pad(x, 1), ord=2)"
    assert repros.in_numpy(repro) == "x = np.ones(2)\nnp.linalg.norm(np.pad(x, 1), ord=2)"
    assert repros.in_numpy("keras.ops.celu(1.0)") == ""
    assert repros.in_numpy("keras.layers.Add()([1, 2])") == ""
    assert repros.in_numpy("grad(keras.ops.sin, 1.0)") == ""


def test_a_repro_imports_what_it_uses(repros: ModuleType) -> None:
    assert repros.imports("keras.ops.sin(np.ones(2))") == "import keras\nimport numpy as np\n"
    assert "from grad import grad" in repros.imports("grad(keras.ops.sin, 1.0)")
    assert repros.imports("import mlx.core as mx\nmx.grad(f)(x)") == ""


def test_what_a_repro_sets_in_its_environment_stands_before_the_imports(
    repros: ModuleType, tmp_path: Path
) -> None:
    first = 'import os; os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # why'
    assert repros.whole(f"\n{first}\nkeras.ops.ones(1)\n") == (
        f"{first}\nimport keras\nkeras.ops.ones(1)\n"
    )
    assert repros.whole("np.ones(1)\n") == "import numpy as np\nnp.ones(1)\n"
    shown = repros.showing(f"{first}\nkeras.ops.ones(1)\n", tmp_path)
    assert shown.index(first) < shown.index("import keras")


@pytest.mark.parametrize(
    ("repro", "told"),
    [
        ("x = np.ones((1, 2))\nx + x", "[[2., 2.]]"),
        (
            "(np.ones((1, 2)).shape, [None], np.zeros((0, 2)))",
            "((1, 2), [None], empty, shape (0, 2))",
        ),
        ("np.ones(2)[3]", "raises IndexError: index 3 is out of bounds for axis 0 with size 2"),
        ("import os\nos.kill(os.getpid(), 6)", "kills the process (SIGABRT)"),
    ],
)
def test_what_the_last_line_gives_is_told_in_one_line(
    repros: ModuleType, tmp_path: Path, repro: str, told: str
) -> None:
    assert repros.result_of(repro, sys.executable, tmp_path) == told


def test_lines_that_do_not_return_are_ended(
    repros: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repros, "SECONDS", 2)
    repro = "import itertools\nsum(itertools.count())"
    assert repros.result_of(repro, sys.executable, tmp_path) == "does not return"


def test_lines_that_end_with_no_expression_are_refused(repros: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="expected an expression in the last line, received: 'x = 1'"
    ):
        repros.showing("x = 1", tmp_path)


def test_words_of_the_library_around_a_message_are_left_out(repros: ModuleType) -> None:
    text = (
        "gives: raises ValueError: Exception encountered when calling Pad.call(). \x1b[1mno\x1b[0m"
    )
    said = repros.said(Outcome(0, f"{text} Arguments received by Pad.call(): x\n", ""))
    assert said == "raises ValueError: no"


def test_a_script_is_run_on_everybody_blamed_and_on_one_believed(repros: ModuleType) -> None:
    verifying, records = (importlib.import_module(name) for name in ("verifying", "records"))
    record = records.Record(
        fingerprint="0123abcd",
        op="keras.ops.sin",
        what="",
        kind="nan",
        stage="forward",
        blamed=("keras-jax", "keras-torch"),
        tensors="",
        params={},
        versions="",
        evidence="",
        outputs=(
            records.Ran("KERAS_BACKEND=jax", 0, ""),
            records.Ran("KERAS_BACKEND=numpy", 1, ""),
        ),
    )
    asked = [(item.platform.backend, item.code) for item in verifying.expected([record])]
    assert asked == [("jax", 0), ("torch", 0), ("numpy", 1)]
    native, absent = (
        msgspec.structs.replace(record, blamed=(name,), outputs=()) for name in ("torch", "mlx")
    )
    places = [(item.platform.identity, item.code) for item in verifying.expected([native, absent])]
    assert places == [("torch", 0)]
    kernels = msgspec.structs.replace(record, blamed=("tensorflow+onednn",), outputs=())
    (asked,) = verifying.expected([kernels])
    assert (asked.platform.library, asked.platform.mode) == ("tensorflow", "onednn")


def test_the_gradient_beside_the_scripts_is_that_of_the_sum() -> None:
    """The helper beside the scripts, on one backend; --run uses it on all three."""
    code = "from grad import grad; import keras; print(float(grad(keras.ops.square, 3.0)))"
    folder = TOOLS.parent / "docs" / "found" / "scripts"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"KERAS_BACKEND": "torch", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["6.0"], done.stderr
