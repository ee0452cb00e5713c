# mlx 0.32.4: mlx.core.argmax(axis=1) raises ValueError
# axis: other values show it too
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import mlx.core
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = mlx.core.array(np.zeros((0, 2, 7), "float32"))
try:
    result = mlx.core.argmax(x, axis=1)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
