"""jax.scipy.special.gammainc(1e7, 1e7) is 3521.8: of large arguments it is wrong, or no probability.

a*log(x) - x - lgamma(a) cancels in float32: at 1e7 it is 16, one unit in the last place
of a*log(x), where 7.14 is right. gammainc(1e7, 1e7 + 1) is -3519.7; 8% are lost at 1e5.
0.5 is right, and double precision gives it. SciPy and TensorFlow's Cephes use an
asymptotic series there.
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

a = np.array([1e5, 1e7], "float32")
got = np.asarray(jax.scipy.special.gammainc(a, a))
right = scipy.special.gammainc(a.astype("float64"), a)  # 0.5004, 0.50004
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-2, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
