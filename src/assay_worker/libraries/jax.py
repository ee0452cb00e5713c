"""JAX's own functions, ``jax.numpy.exp`` and the like."""

from assay_worker.libraries._graphs import NativeAdapter


class JaxAdapter(NativeAdapter):
    """Functions by their public path, eager or compiled."""

    root = module = engine_name = spoken = "jax"
    submodules = ("jax.nn", "jax.numpy", "jax.scipy.special")

    def dtype(self, name):
        """Dtypes are ``jax.numpy``'s."""
        return getattr(self.resolve("jax.numpy"), name)
