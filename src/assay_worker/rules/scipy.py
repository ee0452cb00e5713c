"""A function of ``jax.scipy`` gives what SciPy's function of the same name gives."""

from assay_worker.rules._base import Rule, mapped
from assay_worker.rules._names import words


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


class Scipy(Rule):
    """SciPy's function in double precision, in the dtype of the library's result."""

    name = "scipy"
    eagle = 7
    says = "f of jax.scipy ≡ SciPy's function of the same name"
    domain = (
        "distributions, special functions, matrices, signals, interpolation; float32 and whole "
        "numbers, where SciPy gives numbers; not poles, what is found by iteration, or up to signs"
    )
    programs = {"jax": jax_scipy}
    helpers = (mapped,)
    raising = False
    special = False
    #: By module, what means something else, or leaves results open.
    others = {
        "jax.scipy.linalg": words("cho_factor cholesky eigh_tridiagonal toeplitz"),
        "jax.scipy.special": words("bernoulli bessel_jn"),
    }

    def applies(self, facts):
        """Of ``jax.scipy``, with tensors, none of them in half precision."""
        space, _, own = facts.api.rpartition(".")
        if not space.startswith("jax.scipy.") or space.startswith("jax.scipy.sparse"):
            return False
        half = any(item["dtype"] in ("float16", "bfloat16") for item in facts.inputs)
        return bool(facts.inputs) and not half and own not in self.others.get(space, ())


RULE = Scipy()
