"""jax.scipy.special.betainc(1e5, 1e5, 0.5) is 0.58 where symmetry makes it 0.5.

a*log(x) + b*log1p(-x) - betaln(a, b) cancels in float32. jax-ml/jax#38651 keeps such
edge cases of special and stats, of low priority.
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

a = np.array([1e5], "float32")
got = np.asarray(jax.scipy.special.betainc(a, a, np.float32(0.5)))
right = scipy.special.betainc(a.astype("float64"), a, 0.5)
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-2, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
