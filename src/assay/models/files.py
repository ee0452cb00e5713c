"""Which format a file has, by its content; each format has its own reader."""

import contextlib
import hashlib
import os
from typing import Literal

from assay.models import keras_file, onnx_file, torch_file
from assay.models._base import ModelError, ModelFile

_HDF5 = b"\x89HDF\r\n\x1a\n"
#: Where a LiteRT file has these letters.
_LITERT = slice(4, 8), b"TFL3"
#: What says that a folder is a SavedModel.
_SAVED = "saved_model.pb"
_ENDINGS: dict[str, Literal["zip", "hdf5", "onnx", "pt2", "litert", "openvino"]] = {
    ".keras": "zip",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".onnx": "onnx",
    ".pt2": "pt2",
    ".tflite": "litert",
    ".xml": "openvino",
}
#: Endings of what torch pickles; TorchScript has them, too.
_PICKLED = (".pt", ".pth")
_EXPORT = (
    "Make a .pt2 of the module: program = torch.export.export(module.eval(), (example,)); "
    'torch.export.save(program, "model.pt2")'
)


def sha256_of(path: str) -> str:
    """Hex SHA-256 of a model's content; ``ModelError`` if it cannot be read.

    Of a model in several files, over all of them: a folder, a .xml file with its .bin, an ONNX
    file with the data it names.
    """
    try:
        parts = _parts(path)
        found = hashlib.sha256()
        for part in parts:
            with open(part, "rb") as file:
                digest = hashlib.file_digest(file, "sha256")
            if len(parts) == 1 and not os.path.isdir(path):
                return digest.hexdigest()
            found.update(os.path.relpath(part, path).replace(os.sep, "/").encode())
            found.update(digest.digest())
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}.") from None
    return found.hexdigest()


def size_of(path: str) -> int:
    """The bytes of a model's file, or files."""
    return sum(os.path.getsize(part) for part in _parts(path))


def _parts(path: str) -> list[str]:
    """Every file of a model."""
    if os.path.isdir(path):
        return sorted(
            os.path.join(where, name) for where, _, names in os.walk(path) for name in names
        )
    if path.lower().endswith(".xml"):
        return [path, *filter(os.path.exists, [_weights(path)])]
    if path.lower().endswith(".onnx"):
        with contextlib.suppress(ModelError):  # one that is damaged has a content, too
            return [path, *onnx_file.data_files(path)]
    return [path]


def _weights(path: str) -> str:
    """Where OpenVINO keeps the weights of a model."""
    return os.path.splitext(path)[0] + ".bin"


def inspect(path: str, trust: bool = False, architecture: str = "") -> ModelFile:
    """The model in a file, if loading it runs no code of the file; else ``ModelError``.

    Nothing of the file is executed, whatever it holds. With ``trust`` what would
    run code is let through.
    """
    ending = os.path.splitext(path)[1].lower()
    if os.path.isdir(path) and ending != ".keras":
        return _saved(path, trust)
    kind = _ENDINGS.get(ending)
    if ending in _PICKLED:
        raise ModelError(
            f"{path}: Assay never opens pickles, which .pt and .pth files are, or hold. {_EXPORT}"
        )
    if kind is None:
        raise ModelError(
            f"expected {', '.join(_ENDINGS)}, the folder of a SavedModel or zoo:NAME; "
            f'received "{path}".'
        )
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
    if kind == "litert":
        if head[_LITERT[0]] != _LITERT[1]:
            raise ModelError(f"{path} is damaged or no LiteRT model: expected TFL3 at byte 4.")
        return ModelFile(path, "litert")
    if kind == "openvino":
        return _openvino(path)
    if not trust:
        raise ModelError(
            f"{path}: loading a .pt2 archive can run code from it. If you trust it, add --trust."
        )
    if not head.startswith(b"PK"):
        raise ModelError(f"{path} is damaged or no .pt2 archive: expected a zip archive.")
    return torch_file.inspect_pt2(path)


def _saved(path: str, trust: bool) -> ModelFile:
    """The SavedModel in a folder."""
    if not os.path.exists(os.path.join(path, _SAVED)):
        raise ModelError(f"{path} is a folder, but no SavedModel: it has no {_SAVED}.")
    if not trust:
        raise ModelError(
            f"{path}: a SavedModel is a program, which may read and write files. If you trust it, "
            "add --trust."
        )
    return ModelFile(path, "savedmodel", trust=True)


def _openvino(path: str) -> ModelFile:
    """The model of OpenVINO in a .xml file and the .bin file beside it."""
    with open(path, "rb") as file:
        start = file.read(4096)
    if b"<net" not in start:
        raise ModelError(f"{path} is no model of OpenVINO: expected <net> near its beginning.")
    if not os.path.exists(_weights(path)):
        raise ModelError(f"{path}: its weights are missing. Put {_weights(path)} beside it.")
    return ModelFile(path, "openvino")
