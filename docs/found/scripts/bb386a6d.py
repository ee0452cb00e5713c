# jax 0.10.2: jax.scipy.stats.cauchy.logcdf of the left tail loses its digits, and is -inf below -1e8 (logsf alike)
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import cauchy
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = np.array([-1e4, -1e6, -1e7, -1e9], "float32")
expected = scipy.stats.cauchy.logcdf(x.astype("float64"))
actual = np.asarray(cauchy.logcdf(x))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-4, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
