"""Arrays in files (.npy, .npz, .safetensors) and in memory: read as they are needed.

A data set of 10,000 images does not fit into memory; a batch does. Arrays are read
without pickle.
"""

import os
import zipfile
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np

from assay.ir import Array
from assay.models._base import DataError

#: Formats of .safetensors that NumPy has.
_SAFE = {
    **{f"F{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"I{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"U{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "BOOL": "bool",
}


class Column:
    """One array of a data set, read from front to back. ``constant`` if it has no instances.

    ``dtype`` is None for numbers in text, which have no format of their own.
    """

    def __init__(self, name: str, shape: Sequence[int], dtype: "np.dtype[Any] | None") -> None:
        self.name, self.shape, self.dtype = name, tuple(shape), dtype
        self.constant = self.shape == ()

    @property
    def row_bytes(self) -> int:
        """What one instance takes."""
        size = 8 if self.dtype is None else self.dtype.itemsize
        return int(np.prod(self.shape[1:], dtype="int64")) * size

    def open(self) -> Callable[[int], Array]:
        """A reader: called with a count, it gives the next instances."""
        raise NotImplementedError


class InMemory(Column):
    """An array that is there already; ``typed`` False if it was text."""

    def __init__(self, name: str, array: Array, typed: bool = True) -> None:
        self._array = array
        super().__init__(name, array.shape, array.dtype if typed else None)

    def open(self) -> Callable[[int], Array]:
        """See ``Column``."""
        start = 0

        def read(count: int) -> Array:
            nonlocal start
            if self.constant:
                return self._array
            start += count
            return self._array[start - count : start]

        return read


class Mapped(Column):
    """Another column with every batch changed; ``shape`` and ``dtype`` are those afterwards."""

    def __init__(
        self,
        column: Column,
        change: Callable[[Array], Array],
        shape: Sequence[int],
        dtype: "np.dtype[Any] | None",
    ) -> None:
        self._column, self._change = column, change
        super().__init__(column.name, shape, dtype)

    def open(self) -> Callable[[int], Array]:
        """See ``Column``."""
        read = self._column.open()
        return lambda count: self._change(read(count))


class _Stored(Column):
    """An array of a .npy file or of a .npz archive, read (and decompressed) as it is needed.

    Not mapped into memory: pages that were read would count as ours until someone needs them.
    """

    def __init__(self, path: str, name: str, opener: Callable[[], IO[bytes]]) -> None:
        self._path, self._opener = path, opener
        with opener() as stream:
            shape, fortran, dtype = _header(stream, path, name)
        if dtype.hasobject:
            raise DataError(f"{path}: {name} holds Python objects (a pickle). Save plain arrays.")
        if fortran and len(shape) > 1:
            raise DataError(
                f"{path}: {name} is stored in Fortran order. Save it with np.ascontiguousarray."
            )
        super().__init__(name, shape, dtype)

    def open(self) -> Callable[[int], Array]:
        stream = self._opener()
        _header(stream, self._path, self.name)
        assert self.dtype is not None
        dtype, row = self.dtype, int(np.prod(self.shape[1:], dtype="int64"))

        def read(count: int) -> Array:
            rows = 1 if self.constant else count
            data = stream.read(rows * row * dtype.itemsize)
            if len(data) < rows * row * dtype.itemsize:
                raise DataError(f"{self._path} ends before the last instance of {self.name}.")
            array = np.frombuffer(data, dtype)
            return array.reshape(self.shape if self.constant else (rows, *self.shape[1:]))

        return read


class _Safe(Column):
    """An array of a .safetensors file."""

    def __init__(self, path: str, name: str, shape: Sequence[int], dtype: str) -> None:
        self._path = path
        if dtype not in _SAFE:
            raise DataError(
                f"{path}: {name} has the format {dtype}, which NumPy has not. Save it as F32."
            )
        super().__init__(name, shape, np.dtype(_SAFE[dtype]))

    def open(self) -> Callable[[int], Array]:
        from safetensors import safe_open

        file: Any = safe_open(self._path, framework="numpy")
        start = 0

        def read(count: int) -> Array:
            nonlocal start
            if self.constant:
                return np.asarray(file.get_tensor(self.name))
            start += count
            return np.asarray(file.get_slice(self.name)[start - count : start])

        return read


def read_npy(path: str) -> list[Column]:
    """The array of a .npy file, as ``x``."""

    def opener() -> IO[bytes]:
        return open(path, "rb")  # closed with its reader

    column = _Stored(path, "x", opener)
    expected = column.row_bytes * (1 if column.constant else column.shape[0])
    if os.path.getsize(path) < expected:
        raise ValueError(f"{expected:,} bytes of numbers expected")
    return [column]


def read_npz(path: str) -> list[Column]:
    """The arrays of a .npz archive."""
    with zipfile.ZipFile(path) as archive:
        members = [name for name in archive.namelist() if name.endswith(".npy")]

    def stored(member: str) -> Column:
        def opener() -> IO[bytes]:
            return zipfile.ZipFile(path).open(member)

        return _Stored(path, member.removesuffix(".npy"), opener)

    return [stored(name) for name in members]


def read_safetensors(path: str) -> list[Column]:
    """The arrays of a .safetensors file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118  no dict
            return [
                _Safe(path, name, item.get_shape(), item.get_dtype())
                for name, item in slices.items()
            ]
    except SafetensorError as error:
        raise ValueError(str(error)) from None


def _header(stream: IO[bytes], path: str, member: str) -> tuple[Any, bool, "np.dtype[Any]"]:
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            return np.lib.format.read_array_header_1_0(stream)
        return np.lib.format.read_array_header_2_0(stream)
    except ValueError as error:
        raise DataError(f"{path}: {member} is no array ({error}).") from None
