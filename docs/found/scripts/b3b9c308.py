# mlx 0.32.4: mlx.nn.log_softmax(axis=-1) raises ValueError
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import mlx.core
    import mlx.nn
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = mlx.core.array(np.zeros((0, 4, 5, 7), "float32"))
try:
    result = mlx.nn.log_softmax(x, axis=-1)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
