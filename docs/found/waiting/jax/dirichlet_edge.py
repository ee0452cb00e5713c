"""jax.scipy.stats.dirichlet.logpdf is -inf on the edge of the simplex, where alpha is 1.

With alpha_i = 1 the density does not depend on x_i; _is_simplex asks for x > 0. Public:
jax-ml/jax#38520, which is about alpha < 1 and calls -inf right from 1 on, and
jax-ml/jax#38526, which changes the line. jax-ml/jax#38651 keeps such edge cases of
special and stats, of low priority.
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

x, alpha = np.array([0.0, 0.25, 0.75], "float32"), np.array([1.0, 2.0, 3.0], "float32")
got = np.asarray(jax.scipy.stats.dirichlet.logpdf(x, alpha))
right = scipy.stats.dirichlet.logpdf(x.astype("float64"), alpha)
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
