"""jax.scipy.special.rel_entr(nan, 1) is inf.

Comparisons with NaN are false, and what is neither positive nor zero becomes inf.
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run.
"""

import sys

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import jax.scipy.special
    import scipy.special
except ImportError as error:
    print("needs jax, numpy and scipy:", error)
    sys.exit(2)

got = np.asarray(jax.scipy.special.rel_entr(jnp.nan, 1.0))
right = scipy.special.rel_entr(np.nan, 1.0)
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
