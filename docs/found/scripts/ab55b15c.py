# paddle 3.3.1: paddle.nn.functional.max_pool2d(kernel_size=1, stride=1) gives -3.40282e+38 instead
#   of -inf
# kernel_size, stride: other values show it too
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import paddle
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = paddle.to_tensor(np.array([[[[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [-np.inf, 1.0]]]],
    "float32"))
actual = paddle.nn.functional.max_pool2d(x, kernel_size=1, stride=1).numpy()
# float64 reference, torch:
expected = np.array([[[[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [-np.inf, 1.0]]]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
