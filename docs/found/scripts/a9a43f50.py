# jax 0.10.2: jax.scipy.special.expn(n, 0) is 1 / n instead of 1 / (n - 1)
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.special
    from jax.scipy.special import expn
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

n = np.array([2, 3, 4])
expected = scipy.special.expn(n, np.zeros(3))  # 1, 1/2, 1/3
actual = np.asarray(expn(n, np.zeros(3, "float32")))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
