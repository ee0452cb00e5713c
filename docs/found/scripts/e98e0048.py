# jax 0.10.2: jax.scipy.stats.t.logpdf of many degrees of freedom loses its digits: with df=1e8 it is -0.5 instead of -1.42
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import t
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

df = np.array([1e5, 1e6, 1e8], "float32")
expected = scipy.stats.t.logpdf(1.0, df.astype("float64"))  # nearly the normal distribution's
actual = np.asarray(t.logpdf(np.float32(1.0), df))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
