# jax 0.10.2: jax.scipy.stats.dirichlet.logpdf is -inf on an edge of the simplex where alpha is 1
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy.stats import dirichlet
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x, alpha = np.array([0.0, 0.25, 0.75], "float32"), np.array([1.0, 2.0, 3.0], "float32")
expected = scipy.stats.dirichlet.logpdf(x.astype("float64"), alpha)
actual = np.asarray(dirichlet.logpdf(x, alpha))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
