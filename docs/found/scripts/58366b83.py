# jax 0.10.2: jax.scipy.linalg.expm in single precision is wrong by up to 1.6% for norms of 3.9 to 7.8, 3.3% to 15.7, 11% at 62
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.linalg
    from jax.scipy.linalg import expm
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = np.array([[7.8]], "float32")
expected = scipy.linalg.expm(x.astype("float64"))  # exp(7.8)
actual = np.asarray(expm(x))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
