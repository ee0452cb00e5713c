# jax 0.10.2: jax.scipy.stats.multinomial.logpmf of a batch is -inf everywhere: it compares the sum over the batch with n
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import multinomial
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x, p = np.array([[1, 2], [2, 1]]), np.array([0.5, 0.5], "float32")
expected = scipy.stats.multinomial.logpmf(x, 3, p)
actual = np.asarray(multinomial.logpmf(x, 3, p))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
