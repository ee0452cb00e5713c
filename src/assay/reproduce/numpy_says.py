"""What NumPy itself gives, where an op promises to do what NumPy does."""

import warnings
from collections.abc import Callable

import numpy as np

from assay.ir import Finding, Observation

#: How NumPy is called among targets; behind it stands its version.
NUMPY = "numpy "
_NAMESPACE = "keras.ops."
_ASKED = ("error", "inconsistency", "nan", "crash", "validation")
#: Same names, other functions: of sizes and shapes, of several tensors, or of no tensors.
_OTHERS = ("shape", "size", "copy", "convert_to_tensor", "vectorize", "einsum", "array", "cast")


def numpy_says(finding: Finding) -> Observation | None:
    """What ``numpy.NAME`` gives for the call of ``keras.ops.NAME``; None if that is not asked.

    Only of results, and only where NumPy takes the same arguments.
    """
    function = _function(finding)
    if function is None or finding.stage not in ("build", "forward"):
        return None
    nodes, inputs = finding.case.graph.nodes, finding.case.input_arrays()
    if len(nodes) != 1 or nodes[0].arguments or finding.kind not in _ASKED:
        return None
    given = [
        inputs[item] if isinstance(item, str) else [inputs[name] for name in item]
        for item in nodes[0].inputs
    ]
    keywords = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in nodes[0].params.items()
    }
    name = f"{NUMPY}{np.__version__}"
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = function(*given, **keywords)
    except TypeError:  # it does not take these arguments: it has nothing to say
        return None
    except (ArithmeticError, AttributeError, LookupError, MemoryError, ValueError) as error:
        return Observation(name, "numpy", f"{type(error).__name__}: {error}")
    return _observation(finding, name, found)


def _function(finding: Finding) -> Callable[..., object] | None:
    name = finding.op.removeprefix(_NAMESPACE)
    if not finding.op.startswith(_NAMESPACE) or "." in name or name in _OTHERS:
        return None
    function = getattr(np, name, None)
    return function if callable(function) and not isinstance(function, type) else None


def _observation(finding: Finding, name: str, found: object) -> Observation:
    parts = found if isinstance(found, tuple) else (found,)
    place = finding.evidence.where.split(":")
    index = int(place[2]) if len(place) == 3 else 0
    if finding.kind in ("error", "crash", "validation") or index >= len(parts):
        return Observation(name, "numpy", "works")
    array, position = np.asarray(parts[index]), finding.evidence.position
    within = len(position) == array.ndim and all(map(int.__lt__, position, array.shape))
    if finding.evidence.message or not within or array.dtype.kind not in "biuf" or not array.size:
        shape = f"shape {list(array.shape)}"
        several = isinstance(found, tuple) and "tuple" in finding.evidence.message
        told = f"a tuple of arrays, the first of {shape}" if several else shape
        return Observation(name, "numpy", told)
    value = float(array[position])
    return Observation(name, "numpy", f"{value:.9g}", value)
