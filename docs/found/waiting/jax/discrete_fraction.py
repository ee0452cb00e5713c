"""logpmf of binom, nbinom, geom, bernoulli and betabinom is finite between whole numbers.

A probability mass is 0 there (documentation: non-negative integers k); poisson.logpmf
checks it since jax-ml/jax#20891. betabinom is a cause of its own: it takes the floor of
k.
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

js, ss = jax.scipy.stats, scipy.stats
got = [js.binom.pmf(1.5, 4.0, 0.5), js.nbinom.pmf(1.5, 4.0, 0.5), js.geom.pmf(1.5, 0.5),
       js.bernoulli.pmf(0.5, 0.5), js.betabinom.pmf(1.5, 4.0, 1.0, 1.0)]
got = [float(item) for item in got]
right = [ss.binom.pmf(1.5, 4, 0.5), ss.nbinom.pmf(1.5, 4, 0.5), ss.geom.pmf(1.5, 0.5),
         ss.bernoulli.pmf(0.5, 0.5), ss.betabinom.pmf(1.5, 4, 1, 1)]
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
