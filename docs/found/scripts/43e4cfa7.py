# mlx 0.32.4: mlx.nn.selu gives nan instead of 1.0507 in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import mlx.core
    import mlx.nn
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = mlx.core.array(np.array([1.0, 91.998886], "float32"))

def gradient(loss, *tensors):
    found = mlx.core.grad(loss, argnums=list(range(len(tensors))))(*tensors)
    return found if len(tensors) > 1 else [found]

def loss(x):
    return mlx.nn.selu(x).sum()
actual = np.array(gradient(loss, x)[0])
expected = np.array([1.050701, 1.050701], "float32")  # float64 reference, torch, jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0011, equal_nan=True) else 0)
