"""Programs of torch.export (.pt2): what the archive says in JSON; nothing is unpickled."""

import builtins
import json
import keyword
import re
import zipfile
from typing import Any

from assay.ir.check import TensorSpec
from assay.models._base import ModelError, ModelFile

_MODEL = re.compile(r"([^/]+/)?models/[^/]+\.json")
_LIMIT = 256 << 20
#: Formats of numbers by their place in torch's schema of exported programs.
_DTYPES = {
    1: "uint8",
    2: "int8",
    3: "int16",
    4: "int32",
    5: "int64",
    6: "float16",
    7: "float32",
    8: "float64",
    12: "bool",
}


def inspect_pt2(path: str) -> ModelFile:
    """The model of a .pt2 archive. Loading it may unpickle: only for files that are trusted."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [item for item in archive.infolist() if _MODEL.fullmatch(item.filename)]
            # Another layout of archive, or several programs: only torch can tell.
            plain = len(found) == 1 and found[0].file_size <= _LIMIT
            text = archive.read(found[0]) if plain else b"{}"
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise ModelError(
            f"{path} is damaged or cut off ({error}). Save or copy it again."
        ) from None
    try:
        program = json.loads(text)
    except ValueError as error:
        raise ModelError(f"{path}: its program is not JSON ({error}).") from None
    return ModelFile(path, "torch", trust=True, inputs=_inputs(program))


def _inputs(program: Any) -> tuple[TensorSpec, ...]:
    """The inputs that a user gives; nothing if one of them is no plain tensor."""
    module = _within(program, "graph_module")
    values = _within(module, "graph", "tensor_values")
    given = _within(module, "signature", "input_specs")
    found = []
    for item in given if isinstance(given, list) else ():
        if "user_input" not in item:
            continue
        name = _within(item, "user_input", "arg", "as_tensor", "name")
        sizes = _within(values, name, "sizes")
        dtype = _DTYPES.get(_within(values, name, "dtype"))
        if not isinstance(sizes, list) or dtype is None:
            return ()
        shape = tuple(_within(size, "as_int") for size in sizes)
        found.append(TensorSpec(str(name), shape, dtype))
    # Names of Python's own, such as "input", are other ones in the loaded program.
    unsure = [hasattr(builtins, item.name) or keyword.iskeyword(item.name) for item in found]
    if len(found) == 1 and unsure[0]:
        return (TensorSpec("", found[0].shape, found[0].dtype),)
    return () if any(unsure) else tuple(found)


def _within(value: Any, *keys: Any) -> Any:
    """What stands under these keys; None if it is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
