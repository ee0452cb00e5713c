"""Arrays come back as they were, or are refused."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from assay.errors import StoreError
from assay.store import artefacts

DTYPES = st.one_of(
    arrays_of.boolean_dtypes(),
    arrays_of.integer_dtypes(endianness="?"),
    arrays_of.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    arrays_of.complex_number_dtypes(endianness="?", sizes=(64, 128)),
    arrays_of.byte_string_dtypes(),
    arrays_of.unicode_string_dtypes(),
    arrays_of.datetime64_dtypes(),
)
ARRAYS = arrays_of.arrays(DTYPES, arrays_of.array_shapes(min_dims=0, min_side=0, max_side=4))
NAMES = st.text(max_size=20).filter(lambda name: name != "__metadata__")


def assert_same(left: np.ndarray, right: np.ndarray) -> None:
    assert (left.dtype, left.shape) == (right.dtype, right.shape)
    assert left.tobytes() == right.tobytes()


@settings(deadline=None, max_examples=150)
@given(arrays=st.dictionaries(NAMES, ARRAYS, max_size=4))
def test_every_plain_array_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory,
    arrays: dict[str, np.ndarray],
) -> None:
    directory = tmp_path_factory.getbasetemp() / "roundtrip-artefacts"
    artefacts.write(directory, "b3f1", arrays)
    loaded = artefacts.read(directory, "b3f1")
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        assert_same(loaded[name], array)
        assert loaded[name].flags.writeable


def test_views_with_strides_come_back_exactly(tmp_path: Path) -> None:
    square = np.arange(12.0).reshape(3, 4)
    views = {"turned": square.T, "every second": square[:, ::2], "reversed": square[::-1]}
    artefacts.write(tmp_path / "a", "b3f1", views)
    loaded = artefacts.read(tmp_path / "a", "b3f1")
    for name, view in views.items():
        assert loaded[name].tolist() == view.tolist()


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    ],
)
def test_an_array_that_no_file_can_hold_is_refused_by_name(tmp_path: Path, array: object) -> None:
    with pytest.raises(ValueError, match=r"'output:n1' of dtype .* cannot be stored"):
        artefacts.write(tmp_path / "a", "b3f1", {"output:n1": array})  # type: ignore[dict-item]
    assert not (tmp_path / "a").exists()


def test_an_extension_dtype_is_refused_and_not_stored_as_something_else(tmp_path: Path) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        with pytest.raises(ValueError, match="cannot be stored"):
            artefacts.write(tmp_path / "a", "b3f1", {"x": np.zeros(2, dtype=dtype)})


def test_reserved_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="__metadata__"):
        artefacts.write(tmp_path / "a", "b3f1", {"__metadata__": np.zeros(1)})
    with pytest.raises(ValueError, match="letters and digits"):
        artefacts.write(tmp_path / "a", "../b3f1", {"x": np.zeros(1)})


def test_a_write_that_fails_keeps_the_old_artefact_and_leaves_no_partial_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artefacts.write(tmp_path, "b3f1", {"x": np.zeros(1)})

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreError, match=r"no space left.*b3f1"):
        artefacts.write(tmp_path, "b3f1", {"x": np.ones(1)})
    assert os.listdir(tmp_path) == ["b3f1.safetensors"]
    assert artefacts.read(tmp_path, "b3f1")["x"].tolist() == [0.0]


def test_missing_and_damaged_artefacts_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        StoreError, match=r"arrays of finding b3f1 are missing: expected .*b3f1.saf"
    ):
        artefacts.read(tmp_path, "b3f1")
    (tmp_path / "b3f1.safetensors").write_bytes(b"nonsense")
    with pytest.raises(StoreError, match=r"b3f1.safetensors is damaged"):
        artefacts.read(tmp_path, "b3f1")


def test_the_directory_is_named_after_the_store() -> None:
    assert artefacts.directory_of(Path("/x/assay.db")) == Path("/x/assay-artefacts")
    assert artefacts.directory_of(Path("/x/assay.sqlite")) == Path("/x/assay.sqlite-artefacts")
