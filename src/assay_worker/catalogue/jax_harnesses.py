"""Calls that JAX's own tests of its primitives make, where public functions make the same."""

import collections
import importlib

import jax
import numpy as np

from assay_worker.catalogue._base import Sample

_MODULE = "jax._src.internal_test_util.test_harnesses"
#: Public functions of groups that are not called like them.
_PUBLIC = {
    "add_any": "jax.lax.add",
    "and": "jax.lax.bitwise_and",
    "or": "jax.lax.bitwise_or",
    "not": "jax.lax.bitwise_not",
    "xor": "jax.lax.bitwise_xor",
    "regularized_incomplete_beta": "jax.lax.betainc",
}
#: Harnesses of a group that are looked at: evenly spread over those of its first dtype.
MOST = 12
MOST_ELEMENTS = 2000


def groups():
    """Names of the groups of harnesses; none if this JAX comes without its tests."""
    return sorted(_harnesses())


def collect(group, public):
    """The samples of a group; ``public`` gives path and function by the identity of functions."""
    by_path = dict(public.values())
    found = []
    for harness in _chosen(_harnesses()[group]):
        function, named = harness.fun, {}
        while hasattr(function, "func"):  # functools.partial
            named = dict(function.keywords, **named)
            function = function.func
        values = harness.args_maker(np.random.RandomState(0))
        path = public.get(id(function), (None,))[0]
        if path is None:
            # Bound to a primitive: the public function of its name, of the arrays alone.
            path = _PUBLIC.get(group, "jax.lax." + group)
            if path not in by_path or any(
                type(item).__name__ == "StaticArg" for item in harness.arg_descriptors
            ):
                continue
            if group in ("argmax", "argmin", "transpose", "concatenate") or "reduce" in group:
                continue
        if sum(np.size(value) for value in values if _array(value)) <= MOST_ELEMENTS:
            values = [jax.numpy.asarray(value) if _array(value) else value for value in values]
            found.append(Sample(path, values, named))
    return found


def _array(value):
    return isinstance(value, (np.ndarray, jax.Array))


def _harnesses():
    """Harnesses by group. The order in which they are defined is none: it is that of sets."""
    try:
        module = importlib.import_module(_MODULE)
    except ImportError:  # another version, or without the packages that tests need
        return {}
    found = collections.defaultdict(list)
    for harness in module.all_harnesses:
        found[harness.group_name].append(harness)
    return {group: sorted(found[group], key=_order) for group in found}


def _order(harness):
    dtype = np.dtype(harness.dtype).name
    return (dtype != "float32", dtype, harness.name)


def _chosen(harnesses):
    """Some of them, evenly spread over those of the first dtype; then one of each other dtype."""
    dtypes = collections.OrderedDict()
    for harness in harnesses:
        dtypes.setdefault(np.dtype(harness.dtype).name, []).append(harness)
    first, *rest = dtypes.values()
    step = max(1, len(first) // MOST)
    return first[::step][:MOST] + [others[0] for others in rest]
