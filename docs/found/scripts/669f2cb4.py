# paddle 3.3.1: paddle.linalg.det gives 0 instead of -0.0033373 in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import paddle
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = paddle.to_tensor(np.array([[-0.0030141806, -0.0005768092], [-0.0008476755, -0.0033373]],
    "float32"))

def gradient(loss, *tensors):
    for tensor in tensors:
        tensor.stop_gradient = False
    return paddle.grad(loss(*tensors), list(tensors))

def loss(x):
    return paddle.linalg.det(x).sum()
found = gradient(loss, x)[0]
if found is None:
    print("no gradient (None), which counts as zeros")
actual = (paddle.to_tensor(np.zeros((2, 2), "float32")) if found is None else found).numpy()
# float64 reference, torch, jax:
expected = np.array([[-0.0033373, 0.00084767555], [0.0005768092, -0.0030141806]], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=3.3e-06, equal_nan=True) else 0)
