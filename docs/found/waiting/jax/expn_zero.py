"""jax.scipy.special.expn(n, 0) is 1/n where it is 1/(n-1).

E_n(0) = 1/(n-1) for n >= 2 (DLMF 8.19.6, and the integral of the docstring, of 1/t^n
from 1 on). The branch for x == 0 divides by n1, which is n.
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

n = np.array([2, 3, 4], "int32")
got = np.asarray(jax.scipy.special.expn(n, jnp.zeros(3)))
right = scipy.special.expn(n, np.zeros(3))  # 1, 1/2, 1/3
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
