"""jax.scipy.signal.istft raises for an odd nperseg.

The length of the transform that was corrected for it, nfft_int, is not handed to irfft.
Public: jax-ml/jax#38315.
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run.
"""

import sys

try:
    import jax
    import jax.scipy.signal
    import numpy as np
    import scipy.signal
except ImportError as error:
    print("needs jax, numpy and scipy:", error)
    sys.exit(2)

x = np.sin(np.arange(40)).astype("float32")
z = scipy.signal.stft(x, nperseg=5)[2].astype("complex64")
print("jax", jax.__version__, "SciPy", scipy.signal.istft(z, nperseg=5)[1][:3])
try:
    print("JAX", jax.scipy.signal.istft(z, nperseg=5)[1][:3])
except Exception as error:
    print("JAX", type(error).__name__, error)
    sys.exit(0)
sys.exit(1)
