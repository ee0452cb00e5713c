# paddle 3.3.1: paddle.hypot gives nan instead of inf
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import paddle
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = paddle.to_tensor(np.array([1.5, -2.0, 0.3, -0.5, 1.6, -1.8, -1.5, 1.0, 2.0, -0.8, -0.7731267,
    -0.3, 1.7, 0.5, 0.4, -1.0, 1.4685451, 0.9], "float32").reshape((3, 6)))
x1 = paddle.to_tensor(np.array(-np.inf, "float32"))
actual = paddle.hypot(x0, x1).numpy()[0, 0]
expected = np.inf  # float64 reference, torch, jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
