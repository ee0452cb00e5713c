# mlx 0.32.4: mlx.core.linalg.solve raises ValueError in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import mlx.core
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = mlx.core.array(np.array([[1.0]], "float32"))

def gradient(loss, *tensors):
    found = mlx.core.grad(loss, argnums=list(range(len(tensors))))(*tensors)
    return found if len(tensors) > 1 else [found]

try:
    def loss(x):
        return mlx.core.linalg.solve(x, x).sum()
    result = gradient(loss, x)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
