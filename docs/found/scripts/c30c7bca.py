# jax 0.10.2: jax.scipy.special.gammainc of large arguments is wrong, or no probability: gammainc(1e7, 1e7) is 3522
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.special
    from jax.scipy.special import gammainc
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

a = np.array([1e5, 1e7], "float32")
expected = scipy.special.gammainc(a.astype("float64"), a)  # 0.5004, 0.50004
actual = np.asarray(gammainc(a, a))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-2, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
