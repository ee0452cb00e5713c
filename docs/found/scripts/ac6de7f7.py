# paddle 3.3.1: paddle.logaddexp gives nan instead of -inf
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import paddle
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = paddle.to_tensor(np.array([1.0, -np.inf], "float32"))
x1 = paddle.to_tensor(np.array([1.0, -np.inf], "float32"))
actual = paddle.logaddexp(x0, x1).numpy()
expected = np.array([1.6931472, -np.inf], "float32")  # float64 reference, torch, jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0017, equal_nan=True) else 0)
