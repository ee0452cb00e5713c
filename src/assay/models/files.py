"""Which format a file has, by its content; each format has its own reader."""

import hashlib
import os
from typing import Literal

from assay.models import keras_file, onnx_file, torch_file
from assay.models._base import ModelError, ModelFile

_HDF5 = b"\x89HDF\r\n\x1a\n"
_ENDINGS: dict[str, Literal["zip", "hdf5", "onnx", "pt2"]] = {
    ".keras": "zip",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".onnx": "onnx",
    ".pt2": "pt2",
}


def sha256_of(path: str) -> str:
    """Hex SHA-256 of a file's content; ``ModelError`` if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}.") from None


def inspect(path: str, trust: bool = False, architecture: str = "") -> ModelFile:
    """The model in a file, if loading it runs no code of the file; else ``ModelError``.

    Nothing of the file is executed, whatever it holds. With ``trust`` what would
    run code is let through.
    """
    kind = _ENDINGS.get(os.path.splitext(path)[1].lower())
    if kind is None:
        raise ModelError(f'expected {", ".join(_ENDINGS)} or zoo:NAME; received "{path}".')
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except FileNotFoundError:
        raise ModelError(f'no model file "{path}". Check the path.') from None
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}.") from None
    if not head:
        raise ModelError(f"{path} is empty.")
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise ModelError(
            f"{path} is a pickle, which can run any code when loaded. Assay never opens pickles: "
            "save the model as .keras or .onnx."
        )
    if kind == "zip" or kind == "hdf5":
        if head.startswith(_HDF5):
            return keras_file.inspect_hdf5(path, trust, architecture)
        if head.startswith(b"PK"):
            return keras_file.inspect_archive(path, trust)
        expected = "a zip archive" if kind == "zip" else "HDF5"
        raise ModelError(f"{path} is damaged or no Keras model: expected {expected}.")
    if kind == "onnx":
        return onnx_file.inspect_onnx(path)
    if not trust:
        raise ModelError(
            f"{path}: loading a .pt2 archive can run code from it. If you trust it, add --trust."
        )
    if not head.startswith(b"PK"):
        raise ModelError(f"{path} is damaged or no .pt2 archive: expected a zip archive.")
    return torch_file.inspect_pt2(path)
