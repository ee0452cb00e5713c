# jax 0.10.2: jax.scipy.stats.vonmises.pdf with kappa=0 is NaN
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import vonmises
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

expected = scipy.stats.vonmises.pdf(1.0, 0.0)  # 1 / (2 pi)
actual = np.asarray(vonmises.pdf(1.0, 0.0))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
