# jax 0.10.2: jax.scipy.stats.vonmises.logpdf gives NaN or infinity (f of jax.scipy ≡ SciPy's
#   function of the same name)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import jax
    import jax.numpy
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = jax.numpy.array(np.array([9, 1, -2, -3, -7], "int32"))
x1 = jax.numpy.array(np.array([6, 9, 0, 6, 1], "int32"))


def mapped(change, value):
    """``value`` with ``change`` applied to each leaf of its lists, tuples and dicts."""
    if isinstance(value, dict):
        return {key: mapped(change, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(change, item) for item in value])
    return change(value)


def jax_scipy(function):
    import importlib

    import jax
    import jax.numpy as jnp
    import numpy as np

    # jax._src.scipy.stats.norm, where it is defined, is scipy.stats.norm.
    places = function.__module__.partition("scipy.")[2].replace("._core", "").split(".")
    own = importlib.import_module("scipy." + places[0])
    for name in places[1:] + [function.__name__]:
        own = getattr(own, name)

    def wide(value):
        if not isinstance(value, jax.Array) or not jnp.issubdtype(value.dtype, jnp.inexact):
            return np.asarray(value) if isinstance(value, jax.Array) else value
        return np.asarray(value, "complex128" if value.dtype.kind == "c" else "float64")

    def second(*args, **kwargs):
        with np.errstate(all="ignore"):
            found = own(*mapped(wide, args), **mapped(wide, kwargs))
        leaves, tree = jax.tree_util.tree_flatten(function(*args, **kwargs))
        others = jax.tree_util.tree_leaves(tuple(found) if isinstance(found, tuple) else found)

        def told(leaf, other):
            other = np.asarray(other)
            if other.shape != leaf.shape:
                return jnp.asarray(other, leaf.dtype)
            # NaN: nobody says what is right. Poles: nobody says of which sign.
            pole = np.isinf(other) & np.isnan(np.asarray(leaf))
            return jnp.where((other == other) & ~pole, other.astype(leaf.dtype), leaf)

        return tree.unflatten([told(*pair) for pair in zip(leaves, others)])

    return second


def values(result):
    parts = [part for part in jax.tree_util.tree_leaves(result) if part is not None]
    return [np.asarray(np.asarray(part)) for part in parts]


before = values(jax.scipy.stats.vonmises.logpdf(x0, x1))
after = values(jax_scipy(jax.scipy.stats.vonmises.logpdf)(x0, x1))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
