"""jax.scipy.signal.istft(noverlap=0) uses the default overlap.

`noverlap or nperseg // 2`: 0 is not told from None. Public: jax-ml/jax#38315.
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run.
"""

import sys

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import warnings
    import jax.scipy.signal
    import scipy.signal
except ImportError as error:
    print("needs jax, numpy and scipy:", error)
    sys.exit(2)

warnings.simplefilter("ignore")
x = np.sin(np.arange(40)).astype("float32")
z = scipy.signal.stft(x, window="boxcar", nperseg=8, noverlap=0)[2].astype("complex64")
told = dict(window="boxcar", nperseg=8, noverlap=0)
got = np.asarray(jax.scipy.signal.istft(z, **told)[1])[1:6]
right = scipy.signal.istft(z, **told)[1][1:6]  # sin(1) …
print("jax", jax.__version__)
print("JAX  ", got)
print("right", right)
wrong = not np.allclose(got, right, rtol=1e-4, atol=0, equal_nan=True)
print("the fault is there" if wrong else "it is not there")
sys.exit(0 if wrong else 1)
