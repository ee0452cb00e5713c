"""jax.scipy.linalg.expm is up to 1.5% wrong for norms from 3.9 to 7.85 (float32), and their doubles.

_calc_P_Q takes floor(log2(norm / 3.93)) halvings, so that up to twice the norm goes
into a Padé approximant that is only good for norms of 3.93; ceil is meant (Higham 2005,
algorithm 2.3; SciPy agrees).
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run.
"""

import sys

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import jax.scipy.linalg
    import scipy.linalg
except ImportError as error:
    print("needs jax, numpy and scipy:", error)
    sys.exit(2)

x = np.array([[7.5]], "float32")
got = np.asarray(jax.scipy.linalg.expm(x))
right = scipy.linalg.expm(x.astype("float64"))  # exp(7.5) = 1808.04
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
