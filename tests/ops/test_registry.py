"""The vocabulary, with real distributions on the path where others add to it."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.ops import OpSpec, register, specs
from assay.ops.shapes import unchanged

STARTER = {
    "keras.layers.Dense",
    "keras.layers.Conv1D",
    "keras.layers.Conv2D",
    "keras.layers.DepthwiseConv2D",
    "keras.layers.AveragePooling1D",
    "keras.layers.AveragePooling2D",
    "keras.layers.MaxPooling2D",
    "keras.layers.GlobalAveragePooling2D",
    "keras.layers.BatchNormalization",
    "keras.layers.LayerNormalization",
    "keras.layers.UnitNormalization",
    "keras.layers.ZeroPadding2D",
    "keras.layers.UpSampling2D",
    "keras.layers.Flatten",
    "keras.layers.Softmax",
    "keras.layers.ReLU",
    "keras.layers.LeakyReLU",
    "keras.layers.Add",
    "keras.layers.Multiply",
    "keras.layers.Concatenate",
    "keras.activations.celu",
    "keras.activations.gelu",
    "keras.activations.softplus",
    "keras.ops.hypot",
    "keras.ops.rot90",
    "keras.ops.maximum",
    "keras.ops.roll",
    "keras.ops.logaddexp",
    "keras.ops.pad",
}


def test_the_vocabulary_has_the_starter_set_under_public_paths() -> None:
    assert set(specs()) >= STARTER
    assert all(name == spec.name for name, spec in specs().items())
    assert {spec.family for spec in specs().values()} >= {"layers", "ops", "activations"}


def test_no_parameter_class_is_listed_twice() -> None:
    for spec in specs().values():
        for item in spec.parameters:
            labels = [choice.label for choice in (*item.valid, *item.boundary)]
            assert len(labels) == len(set(labels)), (spec.name, item.name)
            assert item.valid, (spec.name, item.name)


def test_a_name_that_is_taken_is_refused() -> None:
    specs()
    with pytest.raises(AssayError, match=r'"keras\.layers\.Dense" is described twice'):
        register([OpSpec(name="keras.layers.Dense", rule=unchanged)])


def test_reading_the_vocabulary_imports_no_library_under_test() -> None:
    code = (
        "import sys, assay.ops, assay.sources; assay.ops.specs(); assay.sources.techniques();"
        "print(sorted({'keras', 'torch', 'tensorflow', 'jax'} & set(sys.modules)))"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.stdout.strip() == "[]", finished.stderr


def _distribution(folder: Path, module: str) -> None:
    (folder / "more_ops.py").write_text(module)
    information = folder / "more_ops-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: more-ops\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[assay.ops]\nmore = more_ops:specs\n")


def _list_ops(folder: Path) -> str:
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "from assay.errors import AssayError\n"
        "from assay.ops import specs\n"
        "try:\n    print('more.ops.twice' in specs())\n"
        "except AssayError as error:\n    print('refused:', error)\n"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not finished.stderr
    return finished.stdout.strip()


def test_another_distribution_adds_ops(tmp_path: Path) -> None:
    _distribution(
        tmp_path,
        "from assay.ops import OpSpec\nfrom assay.ops.shapes import unchanged\n"
        "def specs():\n    return [OpSpec(name='more.ops.twice', rule=unchanged)]\n",
    )
    assert _list_ops(tmp_path) == "True"


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def other(): pass\n", "AttributeError"),
        (
            "from assay.ops import OpSpec\nfrom assay.ops.shapes import unchanged\n"
            "def specs():\n    return [OpSpec(name='keras.layers.Dense', rule=unchanged)]\n",
            'op "keras.layers.Dense" is described twice',
        ),
    ],
)
def test_a_broken_distribution_is_named(tmp_path: Path, module: str, expected: str) -> None:
    _distribution(tmp_path, module)
    said = _list_ops(tmp_path)
    assert said.startswith("refused: ")
    assert "more" in said
    assert expected in said
    assert "\n" not in said
