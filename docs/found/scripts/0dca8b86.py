# jax 0.10.2: jax.scipy.stats.gumbel_r.sf of the right tail loses its digits, and is 0 from 18 on
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import gumbel_r
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = np.array([10.0, 15.0, 20.0], "float32")
expected = scipy.stats.gumbel_r.sf(x.astype("float64"))
actual = np.asarray(gumbel_r.sf(x))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
