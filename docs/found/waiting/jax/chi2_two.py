"""jax.scipy.stats.chi2.logpdf(0, df=2) is NaN, pdf too.

(df/2 - 1) * log(0) is 0 * -inf; gamma.logpdf uses xlogy. Public: jax-ml/jax#38316.
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

got = np.asarray(jax.scipy.stats.chi2.pdf(0.0, 2.0))
right = scipy.stats.chi2.pdf(0.0, 2.0)  # 1/2
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
