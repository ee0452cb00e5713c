"""Data sets are read in batches, and fit the model or are refused in one line."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.ir.check import TensorSpec
from assay.models import DataError, generated, in_memory, open_data

IMAGE = TensorSpec("x", (None, 4, 4, 1), "float32")


def save(path: Path, **arrays: Any) -> str:
    np.savez_compressed(path, **arrays)
    return str(path)


def test_batches_hold_every_instance_once_in_order(tmp_path: Path) -> None:
    x = np.arange(70 * 16, dtype="float32").reshape(70, 4, 4, 1)
    data = open_data(save(tmp_path / "d.npz", x=x, y=np.arange(70)), [IMAGE])
    assert data.instances == 70
    for _ in range(2):  # readable again
        batches = list(data.batches())
        np.testing.assert_array_equal(np.concatenate([b.inputs[0] for b in batches]), x)
        np.testing.assert_array_equal(np.concatenate([b.labels for b in batches]), np.arange(70))


def test_inputs_are_found_by_name_and_cast(tmp_path: Path) -> None:
    specs = [TensorSpec("a", (None, 2), "float32"), TensorSpec("b", (None, 3), "int32")]
    path = save(tmp_path / "d.npz", b=np.ones((5, 3), "int64"), a=np.ones((5, 2)))
    (batch,) = open_data(path, specs).batches()
    assert [array.dtype.name for array in batch.inputs] == ["float32", "int32"]
    assert [array.shape for array in batch.inputs] == [(5, 2), (5, 3)]


def test_an_axis_more_than_the_model_has_counts_instances(tmp_path: Path) -> None:
    specs = [
        TensorSpec("input", (None, None), "float32"),
        TensorSpec("state", (2, None, 3), "float32"),
        TensorSpec("rate", (), "int64"),
    ]
    path = save(
        tmp_path / "d.npz",
        input=np.ones((4, 1, 8)),
        state=np.zeros((4, 2, 1, 3)),
        rate=np.int64(16000),
    )
    batches = list(open_data(path, specs).batches())
    assert [batch.count for batch in batches] == [1, 1, 1, 1]
    assert [array.shape for array in batches[0].inputs] == [(1, 8), (2, 1, 3), ()]


@pytest.mark.parametrize(
    ("arrays", "word"),
    [
        ({"x": np.zeros((3, 5, 4, 1))}, "expects any×4×4×1"),
        ({"x": np.zeros((0, 4, 4, 1))}, "0 instances"),
        ({"z": np.zeros((3, 4, 4, 1)), "w": np.zeros(3)}, "expected arrays named x"),
        ({"x": np.zeros((3, 4, 4, 1)), "y": np.zeros(2)}, "differ in their number"),
        ({"x": np.array([{"a": 1}] * 3)}, "Python objects"),
    ],
    ids=["shape", "empty", "names", "counts", "pickle"],
)
def test_data_that_does_not_fit_is_refused(
    tmp_path: Path, arrays: dict[str, Any], word: str
) -> None:
    with pytest.raises(DataError) as caught:
        open_data(save(tmp_path / "d.npz", **arrays), [IMAGE])
    assert word in str(caught.value)


def test_a_cut_off_archive_is_damaged(tmp_path: Path) -> None:
    path = Path(save(tmp_path / "d.npz", x=np.zeros((3, 4, 4, 1))))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match="damaged"):
        open_data(str(path), [IMAGE])


def test_a_npy_file_is_read_in_batches_and_refused_when_cut_off(tmp_path: Path) -> None:
    x = np.arange(70 * 16, dtype="uint8").reshape(70, 4, 4, 1)
    path = tmp_path / "d.npy"
    np.save(path, x)
    batches = list(open_data(str(path), [IMAGE]).batches())
    assert [batch.count for batch in batches] == [32, 32, 6]
    np.testing.assert_array_equal(np.concatenate([b.inputs[0] for b in batches]), x)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataError, match="damaged"):
        open_data(str(path), [IMAGE])


def test_arrays_in_memory_are_read_as_those_of_a_file() -> None:
    x = np.arange(70 * 16).reshape(70, 4, 4, 1)
    for given in ({"x": x, "y": np.arange(70)}, [x]):
        data = in_memory(given, [IMAGE])
        for _ in range(2):
            batches = list(data.batches())
            assert [batch.count for batch in batches] == [32, 32, 6]
            np.testing.assert_array_equal(np.concatenate([b.inputs[0] for b in batches]), x)
            assert batches[0].inputs[0].dtype == np.float32
            assert (batches[0].labels is None) == isinstance(given, list)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ([np.zeros((2, 4, 4, 1))] * 2, r"the model has 1 inputs \(x\); received 2 arrays"),
        ({"z": np.zeros((2, 4, 4, 1))}, "expected arrays named x"),
        ([np.zeros((2, 4, 4))], "expects any×4×4×1"),
        ([np.array([["a", None]], object)], "holds Python objects"),
    ],
    ids=["number", "name", "shape", "objects"],
)
def test_arrays_in_memory_that_do_not_fit_are_refused(given: Any, word: str) -> None:
    with pytest.raises(DataError, match=word):
        in_memory(given, [IMAGE])


def test_memory_does_not_grow_with_the_data(tmp_path: Path) -> None:
    spec = TensorSpec("x", (None, 64, 64, 3), "float32")
    path = save(tmp_path / "d.npz", x=np.zeros((500, 64, 64, 3), "float32"))  # 25 MB
    tracemalloc.start()
    assert sum(batch.count for batch in open_data(path, [spec]).batches()) == 500
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12e6


def test_generated_instances_follow_from_seed_and_index() -> None:
    specs = [IMAGE, TensorSpec("ids", (None, 5), "int32")]
    few = next(generated(specs, {"ids": 7}, 3, 1).batches())
    many = next(generated(specs, {"ids": 7}, 9, 1).batches())
    for one, two in zip(few.inputs, many.inputs, strict=True):
        np.testing.assert_array_equal(one, two[:3])
    assert many.inputs[1].min() >= 0
    assert many.inputs[1].max() <= 6
    other = next(generated(specs, {"ids": 7}, 3, 2).batches())
    assert not np.array_equal(few.inputs[0], other.inputs[0])
