"""JAX's own functions, ``jax.numpy.exp`` and the like."""

from assay_worker.libraries._graphs import NativeAdapter


class JaxAdapter(NativeAdapter):
    """Functions by their public path, eager or compiled."""

    root = module = engine_name = "jax"

    def dtype(self, name):
        """Dtypes are ``jax.numpy``'s."""
        return getattr(self.resolve("jax.numpy"), name)

    def resolve(self, path):
        """Its modules are not all imported by ``import jax``."""
        import jax.nn
        import jax.numpy
        import jax.scipy.special  # noqa: F401

        return super(JaxAdapter, self).resolve(path)
