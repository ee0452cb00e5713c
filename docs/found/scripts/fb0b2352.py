# jax 0.10.2: jax.scipy.stats.gumbel_r.ppf is NaN at 0 and 1, the ends of the support (gumbel_l alike)
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import gumbel_r
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

p = np.array([0.0, 0.5, 1.0], "float32")
expected = scipy.stats.gumbel_r.ppf(p)
actual = np.asarray(gumbel_r.ppf(p))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
