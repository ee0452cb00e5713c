# jax 0.10.2: jax.scipy.special.betainc of large arguments loses its digits: betainc(1e5, 1e5, 0.5) is 0.58
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.special
    from jax.scipy.special import betainc
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

a = np.array([1e4, 1e5, 1e6], "float32")
expected = scipy.special.betainc(a.astype("float64"), a, 0.5)  # 0.5, by symmetry
actual = np.asarray(betainc(a, a, np.float32(0.5)))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-2, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
