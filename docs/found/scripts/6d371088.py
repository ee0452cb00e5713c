# jax 0.10.2: jax.scipy.stats.expon.logcdf of small numbers loses its digits: of 1e-9 it is -inf
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import expon
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = np.array([1e-9, 1e-6], "float32")
expected = scipy.stats.expon.logcdf(x.astype("float64"))
actual = np.asarray(expon.logcdf(x))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-4, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
