"""JAX's own functions, ``jax.numpy.exp`` and the like."""

from assay_worker import calls
from assay_worker.libraries._graphs import NativeAdapter


class JaxAdapter(NativeAdapter):
    """Functions by their public path, eager or compiled."""

    root = module = engine_name = spoken = "jax"
    submodules = (
        "jax.nn",
        "jax.numpy",
        "jax.scipy.cluster.vq",
        "jax.scipy.ndimage",
        "jax.scipy.signal",
        "jax.scipy.sparse.linalg",
        "jax.scipy.special",
        "jax.scipy.stats",
    )

    def construct(self, op, params):
        """Also what functions give that make initializers."""
        if self.makes(op):
            positional, keywords = calls.parted(params)
            function = self.resolve(op)
            return function(
                *[self.parameter(value) for value in positional],
                **{key: self.parameter(value) for key, value in keywords.items()},
            )
        return super(JaxAdapter, self).construct(op, params)

    @staticmethod
    def makes(op):
        """Does the function of this path give one that is then called?"""
        module, _, name = op.rpartition(".")
        return module == "jax.nn.initializers" and name not in ("ones", "zeros")

    def dtype(self, name):
        """Dtypes are ``jax.numpy``'s."""
        return getattr(self.resolve("jax.numpy"), name)
