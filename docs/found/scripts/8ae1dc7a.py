# jax 0.10.2: jax.scipy.stats.cauchy.ppf(0) is +2.3e7 instead of -inf, and a number outside of [0, 1] (isf alike)
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import cauchy
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

q = np.array([0.0, 1.0, 1.5], "float32")
expected = scipy.stats.cauchy.ppf(q)
actual = np.asarray(cauchy.ppf(q))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
