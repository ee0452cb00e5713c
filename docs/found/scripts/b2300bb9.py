# jax 0.10.2: jax.scipy.stats.chi2.pdf(0) with two degrees of freedom is NaN
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import chi2
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

df = np.array([1.0, 2.0, 3.0])
expected = scipy.stats.chi2.pdf(0.0, df)  # inf, 1/2, 0
actual = np.asarray(chi2.pdf(0.0, df))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
