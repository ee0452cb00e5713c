# mlx 0.32.4: mlx.core.argmax(keepdims=True) raises ValueError
# depends on keepdims=True: other values that were tried do not show it
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import mlx.core
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = mlx.core.array(np.array(0.0, "float32"))
try:
    result = mlx.core.argmax(x, keepdims=True)
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
