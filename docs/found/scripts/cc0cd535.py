# jax 0.10.2: jax.scipy.special.expi is NaN at 0 and at both infinities (exp1 and expn at infinity)
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.special
    from jax.scipy.special import expi
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = np.array([0.0, np.inf, -np.inf], "float32")
expected = np.array([-np.inf, np.inf, 0.0])
actual = np.asarray(expi(x))
print("expected", expected, "actual", actual)
same = np.allclose(actual, expected, rtol=1e-3, atol=0, equal_nan=True)
raise SystemExit(1 if same else 0)
