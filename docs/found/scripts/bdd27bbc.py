# paddle 3.3.1: paddle.nn.functional.celu(alpha=0.001) gives nan instead of 1 in the gradient
# depends on alpha=0.001: other values that were tried do not show it
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import paddle
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = paddle.to_tensor(np.array([1.0, 1.0], "float32"))

def gradient(loss, *tensors):
    for tensor in tensors:
        tensor.stop_gradient = False
    return paddle.grad(loss(*tensors), list(tensors))

def loss(x):
    return paddle.nn.functional.celu(x, alpha=0.001).sum()
actual = gradient(loss, x)[0].numpy()
expected = np.array([1.0, 1.0], "float32")  # float64 reference, torch, jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
