"""jax.scipy.special.expi is NaN for 0, inf and -inf.

-inf, inf and -0 are right. Public, for infinities only: jax-ml/jax#38519 and
jax-ml/jax#38527. jax-ml/jax#38651 keeps such edge cases of special and stats, of low
priority.
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

x = np.array([0.0, np.inf, -np.inf], "float32")
got = np.asarray(jax.scipy.special.expi(x))
right = scipy.special.expi(x)
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
