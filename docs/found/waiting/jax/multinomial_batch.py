"""jax.scipy.stats.multinomial.logpmf of a batch is -inf everywhere.

The mask sums counts over all axes instead of the last one. Public: jax-ml/jax#38605.
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run.
"""

import sys

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import jax.scipy.stats
    import scipy.stats
except ImportError as error:
    print("needs jax, numpy and scipy:", error)
    sys.exit(2)

x, p = np.array([[1, 2], [2, 1]]), np.array([0.5, 0.5], "float32")
got = np.asarray(jax.scipy.stats.multinomial.logpmf(x, 3, p))
right = scipy.stats.multinomial.logpmf(x, 3, p)
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
