# jax 0.10.2: jax.scipy.signal.istft(noverlap=0) uses the default overlap of half a segment
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.signal
    from jax.scipy.signal import istft
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = np.sin(np.arange(40)).astype("float32")
told = dict(window="boxcar", nperseg=8, noverlap=0)
z = scipy.signal.stft(x, **told)[2].astype("complex64")
expected = scipy.signal.istft(z, **told)[1]  # x
actual = np.asarray(istft(z, **told)[1])
print("expected", expected[1:6], "actual", actual[1:6])
same = actual.shape == expected.shape and np.allclose(actual, expected, rtol=0, atol=1e-4)
raise SystemExit(1 if same else 0)
