"""What belongs to a finding: its arrays (a safetensors file) and its script, beside the store."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from assay.errors import StoreError
from assay.ir import Array
from assay.store.failures import translated

#: What safetensors gives back as it was. Everything else travels as bytes.
_CODES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
_NATIVE = frozenset(np.dtype(code) for code in _CODES)
#: Key of the file's metadata: JSON of {array name: [dtype, shape]} of arrays kept as bytes.
_AS_BYTES = "assay-as-bytes"
_PARTIAL = ".partial"


def directory_of(store: Path) -> Path:
    """Where the artefacts of a store are: ``assay.db`` has ``assay-artefacts``."""
    return store.with_name(store.name.removesuffix(".db") + "-artefacts")


def write(directory: Path, finding_id: str, arrays: Mapping[str, Array]) -> Path:
    """Write the artefact of a finding; it appears whole or not at all.

    Only one process may write at a time: the store's write transaction sees to it.
    ``ValueError`` for an array that no file can hold (objects, for example).
    """
    return _write(directory, _path(directory, finding_id), _encode(arrays))


def write_script(directory: Path, finding_id: str, text: str) -> Path:
    """Write the script of a finding; it appears whole or not at all. As ``write``."""
    path = _path(directory, finding_id).with_suffix(".py")
    return _write(directory, path, text.encode("utf-8"))


def _write(directory: Path, path: Path, content: bytes) -> Path:
    with translated(path):
        directory.mkdir(exist_ok=True)
        partial = path.with_name(path.name + _PARTIAL)
        try:
            with partial.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # a row must never outlive its artefact
            partial.replace(path)
        except BaseException:
            with suppress(OSError):  # the first error is the one to report
                partial.unlink(missing_ok=True)
            raise
    return path


def read(directory: Path, finding_id: str) -> dict[str, Array]:
    """The arrays of a finding, exactly as they were written."""
    path = _path(directory, finding_id)
    if not path.is_file():
        raise StoreError(
            f"the arrays of finding {finding_id} are missing: expected {path}. "
            "Keep that directory beside the store when you move it."
        )
    try:
        with translated(path), safe_open(path, framework="np") as file:
            described = json.loads((file.metadata() or {}).get(_AS_BYTES, "{}"))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise StoreError(f"{path} is damaged ({error}). Restore it from a backup.") from error
    for name, (dtype, shape) in described.items():
        arrays[name] = np.frombuffer(arrays[name].tobytes(), dtype=dtype).reshape(shape).copy()
    return arrays


def remove_partial(directory: Path) -> None:
    """Remove what a killed process left half written. Call it as the only writer."""
    if directory.is_dir():
        for partial in directory.glob(f"*{_PARTIAL}"):
            partial.unlink(missing_ok=True)


def _path(directory: Path, finding_id: str) -> Path:
    if not finding_id.isalnum():
        raise ValueError(f"expected a finding id of letters and digits; received {finding_id!r}")
    return directory / f"{finding_id}.safetensors"


def _encode(arrays: Mapping[str, Array]) -> bytes:
    tensors: dict[str, Array] = {}
    described: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, array in arrays.items():
        if name == "__metadata__":
            raise ValueError(
                f"an array cannot be named {name!r}: safetensors keeps that for itself"
            )
        # safetensors copies raw memory, so a view with strides must become solid first;
        # the reshape undoes that ascontiguousarray makes a scalar one-dimensional.
        solid = np.ascontiguousarray(array).reshape(array.shape)
        if array.dtype in _NATIVE:
            tensors[name] = solid
        else:
            described[name] = (_dtype_name(name, array), array.shape)
            tensors[name] = np.frombuffer(solid.tobytes(), dtype=np.uint8)
    return save(tensors, metadata={_AS_BYTES: json.dumps(described)} if described else None)


def _dtype_name(name: str, array: Array) -> str:
    """A name from which NumPy alone makes this dtype again."""
    try:
        restored = np.dtype(array.dtype.str)
    except TypeError:
        restored = None
    if array.dtype.hasobject or restored != array.dtype:
        raise ValueError(
            f"array {name!r} of dtype {array.dtype} cannot be stored; convert it to a plain one"
        )
    return array.dtype.str
