"""Models that are objects in the caller's process: saved to a file, which is then checked.

Assay imports no library under test. Whoever has such an object has imported its library already,
and only that is used here.
"""

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.ir import Array


class Saved(msgspec.Struct, frozen=True):
    """The file of an object, and its data as arrays."""

    path: str
    data: Any
    trust: bool = False


def is_object(model: Any) -> bool:
    """Is it a module of PyTorch or a model of Keras?"""
    return _is_a(model, "torch", "nn", "Module") or _is_a(model, "keras", "Model")


def saved(model: Any, data: Any, folder: str) -> Saved:
    """The model as a file in ``folder``; ``AssayError`` if its library cannot save it.

    ``data`` are arrays or tensors; a module of PyTorch needs some, as its example inputs.
    """
    if _is_a(model, "torch", "nn", "Module"):
        return _exported(sys.modules["torch"], model, data, folder)
    path = os.path.join(folder, f"{model.name}.keras")
    try:
        model.save(path)
    except Exception as error:
        raise AssayError(f"Keras cannot save {model.name}: {_line(error)}.") from error
    return Saved(path, _arrays(data))


def _is_a(model: Any, module: str, *path: str) -> bool:
    kind: Any = sys.modules.get(module)
    for name in path:
        kind = getattr(kind, name, None)
    return isinstance(kind, type) and isinstance(model, kind)


def _exported(torch: Any, module: Any, data: Any, folder: str) -> Saved:
    """The module in a .pt2 file, as it is for inference, on any number of instances if it can."""
    if data is None or isinstance(data, str | Mapping):
        raise AssayError(
            "a module of PyTorch is exported with example inputs, in the order of its forward: "
            f"a tensor or several; received {type(data).__name__}."
        )
    arrays = _arrays(data)
    examples = tuple(torch.from_numpy(np.array(array)) for array in arrays)
    elsewhere = {str(p.device) for p in module.parameters()} - {"cpu"}
    if elsewhere:
        raise AssayError(f"expected a module on the CPU; received one on {elsewhere.pop()}.")
    training = {part: part.training for part in module.modules()}
    module.eval()
    try:
        program = _program(torch, module, examples)
    except Exception as error:
        kind = type(module).__name__
        raise AssayError(f"torch.export cannot export {kind}: {_line(error)}.") from error
    finally:
        for part, flag in training.items():
            part.training = flag
    path = os.path.join(folder, f"{type(module).__name__}.pt2")
    torch.export.save(program, path)
    return Saved(path, arrays, trust=True)


def _program(torch: Any, module: Any, examples: tuple[Any, ...]) -> Any:
    """Exported with a free first axis if all inputs have one of the same size; else as they are."""
    counts = {tensor.shape[0] if tensor.ndim else 0 for tensor in examples}
    if len(counts) == 1 and counts != {0}:
        # An axis of size 1 would be taken for one that is always 1.
        several = tuple(torch.cat([t, t]) if t.shape[0] == 1 else t for t in examples)
        axes = tuple({0: torch.export.Dim.AUTO} for _ in several)
        with contextlib.suppress(Exception):  # other faults show without free axes, too
            return torch.export.export(module, several, dynamic_shapes=axes)
    return torch.export.export(module, examples)


def _arrays(data: Any) -> Any:
    """Tensors as arrays; names of labels and inputs stay."""
    if data is None or isinstance(data, str):
        return data
    if isinstance(data, Mapping):
        return {name: _array(item) for name, item in data.items()}
    given = data if isinstance(data, Sequence) else (data,)
    return tuple(_array(item) for item in given)


def _array(item: Any) -> Array:
    if hasattr(item, "detach"):
        item = item.detach().cpu().numpy()
    return np.asarray(item)


def _line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[0][:300].rstrip(".")
