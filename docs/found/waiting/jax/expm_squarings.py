"""jax.scipy.linalg.expm in float32 is 1.6% wrong at a norm of 7.8, 3% at 15.6, 11% at 62; tf.linalg.expm too.

_calc_P_Q takes floor(log2(norm / 3.93)) halvings, so that up to twice the norm goes
into a Padé approximant that is only good for norms of 3.93; the docstring has ceil
(Higham 2005, algorithm 2.3; SciPy agrees). The error begins beyond 3.93, falls back at
each of its doubles, and doubles with each. tf.linalg.expm has the same floor and gave
the same errors: a second cause, of TensorFlow, that this script does not run.
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
