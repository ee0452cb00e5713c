"""Data sets are read in batches, and fit the model or are refused in one line."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from assay.ir.check import TensorSpec
from assay.models import Batch, DataError, Dataset, generated, in_memory, open_data, readable

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
        ({"x": np.zeros((3, 4, 4))}, "x has 3×4×4."),
        ({"x": np.zeros((3, 4, 4, 1), "uint8")}, "x holds uint8. Add --scale 1/255"),
        ({"x": np.zeros((3, 4, 4, 1), "complex64")}, "expected numbers for x"),
        ({"x": np.zeros((3, 9, 4, 1))}, "Add --resize to change"),
        ({"x": np.zeros((3, 4, 4, 3))}, "Add --grey to change"),
        ({"x": np.zeros((3, 5, 5, 3))}, "Add --grey --resize to change"),
        ({"x": np.zeros((3, 5, 5, 2))}, "x has 3×5×5×2."),
    ],
    ids=[
        "shape",
        "empty",
        "names",
        "counts",
        "pickle",
        "rank",
        "whole",
        "complex",
        "size",
        "colours",
        "both",
        "channels",
    ],
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
    x = np.arange(70 * 16, dtype="float64").reshape(70, 4, 4, 1)
    path = tmp_path / "d.npy"
    np.save(path, x)
    batches = list(open_data(str(path), [IMAGE]).batches())
    assert [batch.count for batch in batches] == [32, 32, 6]
    np.testing.assert_array_equal(np.concatenate([b.inputs[0] for b in batches]), x)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataError, match="damaged"):
        open_data(str(path), [IMAGE])


def test_arrays_in_memory_are_read_as_those_of_a_file() -> None:
    x = np.arange(70.0 * 16).reshape(70, 4, 4, 1)
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


def first(data: Dataset) -> Batch:
    return next(iter(data.batches()))


def test_numbers_of_another_width_are_taken_and_said(tmp_path: Path) -> None:
    specs = [TensorSpec("a", (None, 2), "float32"), TensorSpec("b", (None, 2), "int32")]
    data = open_data(save(tmp_path / "d.npz", a=np.ones((5, 2)), b=np.ones((5, 2), "int64")), specs)
    assert data.said == ("a: float64 → float32", "b: int64 → int32")
    data = open_data(save(tmp_path / "d.npz", x=np.ones((5, 4, 4, 1), "float32")), [IMAGE])
    assert data.said == ()


def test_whole_numbers_are_never_cut_off(tmp_path: Path) -> None:
    specs = [TensorSpec("ids", (None, 2), "int32")]
    with pytest.raises(DataError, match=r"takes int32; x holds float64. Save it as int32."):
        open_data(save(tmp_path / "d.npz", x=np.full((1, 2), 1.5)), specs)
    large = open_data(save(tmp_path / "d.npz", x=np.full((1, 2), 1 << 40)), specs)
    with pytest.raises(DataError, match=f"received {1 << 40}"):
        first(large)


def test_ids_are_whole_numbers_whatever_the_input_takes(tmp_path: Path) -> None:
    specs = [TensorSpec("text", (None, 2), "float32")]
    path = save(tmp_path / "d.npz", x=np.array([[3, 4]]))
    with pytest.raises(DataError, match="--scale 1 to take them"):
        open_data(path, specs)
    data = open_data(path, specs, ids={"text": 9})
    assert data.said == ("x: int64 → float32",)
    np.testing.assert_array_equal(first(data).inputs[0], np.array([[3, 4]], "float32"))


def test_what_is_not_used_is_said(tmp_path: Path) -> None:
    x = np.ones((5, 4, 4, 1), "float32")
    data = open_data(save(tmp_path / "d.npz", x=x, Y=np.arange(5), extra=np.ones(2)), [IMAGE])
    assert data.said == ("ignored: Y, extra",)
    assert first(data).labels is None
    labelled = open_data(save(tmp_path / "d.npz", x=x, label=np.arange(5)), [IMAGE])
    np.testing.assert_array_equal(first(labelled).labels, np.arange(5))


def test_the_first_instances_of_many(tmp_path: Path) -> None:
    path = save(tmp_path / "d.npz", x=np.zeros((70, 4, 4, 1)), y=np.arange(70))
    data = open_data(path, [IMAGE], limit=33)
    assert [batch.count for batch in data.batches()] == [32, 1]
    with pytest.raises(DataError, match="has 70 instances; --instances asks for 71"):
        open_data(path, [IMAGE], limit=71)


def test_safetensors_are_read_in_batches(tmp_path: Path) -> None:
    x = np.arange(70 * 16, dtype="float32").reshape(70, 4, 4, 1)
    path = tmp_path / "d.safetensors"
    save_file({"x": x, "y": np.arange(70), "rate": np.array(3.0)}, path)
    data = open_data(str(path), [IMAGE])
    assert data.said == ("ignored: rate",)
    batches = list(data.batches())
    assert [batch.count for batch in batches] == [32, 32, 6]
    np.testing.assert_array_equal(np.concatenate([b.inputs[0] for b in batches]), x)
    np.testing.assert_array_equal(np.concatenate([b.labels for b in batches]), np.arange(70))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match="damaged"):
        open_data(str(path), [IMAGE])


def test_safetensors_in_a_format_that_numpy_lacks_are_refused(tmp_path: Path) -> None:
    header = b'{"x":{"dtype":"BF16","shape":[1,4,4,1],"data_offsets":[0,32]}}'
    path = tmp_path / "d.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(32))
    with pytest.raises(DataError, match=r"BF16, which NumPy has not\. Save it as F32"):
        open_data(str(path), [IMAGE])


@pytest.mark.parametrize("name", ["none.npz", "none.csv", "none"])
def test_data_that_is_not_there_is_said_without_a_model(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=f'no data file ".*{name}"'):
        readable(str(tmp_path / name))


def test_what_is_no_data_is_said_without_a_model(tmp_path: Path) -> None:
    for name in ("d.npz", "d.npy", "d.safetensors", "d.csv"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00 nothing of that sort \x00")
        with pytest.raises(DataError, match=f"{name}"):
            readable(str(tmp_path / name))
    (tmp_path / "d.pkl").touch()
    with pytest.raises(DataError, match=r"expected data as .npz, .npy, .safetensors, .csv or a"):
        readable(str(tmp_path / "d.pkl"))


def test_an_only_input_without_a_name_takes_any_array_but_the_labels(tmp_path: Path) -> None:
    item = TensorSpec("", (None, 2), "float32")
    rows = np.ones((5, 2), "float32")
    for name in ("x", "input_layer"):
        data = open_data(save(tmp_path / "d.npz", **{name: rows, "y": np.arange(5)}), [item])
        assert first(data).inputs[0].shape == (5, 2)
    assert open_data(save(tmp_path / "d.npz", a=np.ones(2), b=rows), [item]).instances == 5
    with pytest.raises(DataError, match="expected arrays named x"):
        open_data(save(tmp_path / "d.npz", y=rows), [item])
    with pytest.raises(DataError, match="the input of the model expects any×2; x has 5×3"):
        open_data(save(tmp_path / "d.npz", x=np.ones((5, 3))), [item])
