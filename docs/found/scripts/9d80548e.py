# jax 0.10.2: jax.scipy.stats.betabinom.logpmf with a negative loc is -inf inside of the support
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import betabinom
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

k = np.arange(-2, 4)
expected = scipy.stats.betabinom.logpmf(k, 5, 1.0, 1.0, loc=-2)  # log(1/6) everywhere
actual = np.asarray(betabinom.logpmf(k, 5, 1.0, 1.0, loc=-2))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
