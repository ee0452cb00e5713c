# jax 0.10.2: jax.scipy.signal.istft raises for segments of an odd length
# met by hand: error, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.signal
    from jax.scipy.signal import istft
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = np.sin(np.arange(40)).astype("float32")
z = scipy.signal.stft(x, nperseg=5)[2].astype("complex64")
expected = scipy.signal.istft(z, nperseg=5)[1]
try:
    actual = np.asarray(istft(z, nperseg=5)[1])
except Exception as error:
    print("expected", expected[:3], "actual", type(error).__name__, error)
    raise SystemExit(0)
print("expected", expected[:3], "actual", actual[:3])
raise SystemExit(1)
