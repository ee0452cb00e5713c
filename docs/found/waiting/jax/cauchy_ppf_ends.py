"""jax.scipy.stats.cauchy.ppf(0) is +2.3e7, ppf(1) is -2.3e7, outside of [0, 1] it is a number.

tan(pi q - pi / 2) in float32, just beyond the pole; -inf and inf, and NaN outside, are
right (as norm.ppf gives). Public: jax-ml/jax#38318. jax-ml/jax#38651 keeps such edge
cases of special and stats, of low priority.
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

q = np.array([0.0, 1.0, 1.5], "float32")
got = np.asarray(jax.scipy.stats.cauchy.ppf(q))
right = scipy.stats.cauchy.ppf(q)
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
