"""jax.scipy.stats.expon.logcdf(1e-9) is -inf where it is -20.7.

log1p(-sf) rounds the cdf away; log(-expm1(-x)) does not. jax-ml/jax#38651 keeps such
edge cases of special and stats, of low priority.
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

x = np.array([1e-9, 1e-6], "float32")
got = np.asarray(jax.scipy.stats.expon.logcdf(x))
right = scipy.stats.expon.logcdf(x.astype("float64"))
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
