"""jax.scipy.stats.betabinom.logpmf with a negative loc is -inf inside of the support.

y = k - loc is compared with -loc instead of 0.
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

k = np.arange(-2, 4)
got = np.asarray(jax.scipy.stats.betabinom.logpmf(k, 5, 1.0, 1.0, loc=-2))
right = scipy.stats.betabinom.logpmf(k, 5, 1.0, 1.0, loc=-2)  # log(1/6), everywhere
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
