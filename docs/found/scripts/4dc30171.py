# mlx 0.32.4: mlx.core.conv2d(groups=1) raises ValueError in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import mlx.core
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

n1 = mlx.core.array(np.zeros((0, 1, 1, 1), "float32"))
n3 = mlx.core.array(np.array([[[[0.0]]]], "float32"))

def gradient(loss, *tensors):
    found = mlx.core.grad(loss, argnums=list(range(len(tensors))))(*tensors)
    return found if len(tensors) > 1 else [found]

try:
    def loss(n1, n3):
        return mlx.core.conv2d(n1, n3, groups=1).sum()
    result = gradient(loss, n1, n3)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
