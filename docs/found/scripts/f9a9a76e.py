# paddle 3.3.1: paddle.prod(axis=0) gives nan instead of 0 in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import paddle
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = paddle.to_tensor(np.array([0.0, -1.0, 0.0, -2.0, -1.0, -1.0], "float32"))
upstream = paddle.to_tensor(np.array(0.9865226, "float32"))

def gradient(loss, *tensors):
    for tensor in tensors:
        tensor.stop_gradient = False
    return paddle.grad(loss(*tensors), list(tensors))

def loss(x):
    return (paddle.prod(x, axis=0) * upstream).sum()
found = gradient(loss, x)[0]
if found is None:
    print("no gradient (None), which counts as zeros")
actual = (paddle.to_tensor(np.zeros((6,), "float32")) if found is None else found).numpy()
expected = np.array([0.0, -0.0, 0.0, -0.0, -0.0, -0.0], "float32")  # float64 reference, torch, jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
