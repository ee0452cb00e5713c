"""jax.scipy.stats.gumbel_r.ppf and gumbel_l.ppf are NaN for 0 and 1.

The ends of [0, 1] are left out of the domain; -inf and inf are right (norm.ppf and
expon.ppf give them). Public: jax-ml/jax#38318 and jax-ml/jax#38436. jax-ml/jax#38651
keeps such edge cases of special and stats, of low priority.
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

q = np.array([0.0, 0.5, 1.0], "float32")
got = np.asarray(jax.scipy.stats.gumbel_r.ppf(q))
right = scipy.stats.gumbel_r.ppf(q)
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
