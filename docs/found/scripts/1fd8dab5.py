# paddle 3.3.1: paddle.matmul raises ValueError in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import paddle
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

n0 = paddle.to_tensor(np.array([[[[0.0]]], [[[0.0]]]], "float32"))
x1 = paddle.to_tensor(np.array([[[0.0]]], "float32"))

def gradient(loss, *tensors):
    for tensor in tensors:
        tensor.stop_gradient = False
    return paddle.grad(loss(*tensors), list(tensors))

try:
    def loss(n0, x1):
        return paddle.matmul(n0, x1).sum()
    result = gradient(loss, n0, x1)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
