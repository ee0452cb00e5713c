# mlx 0.32.4: mlx.core.conv2d(stride=(3, 3), padding=(0, 0), dilation=(1, 2), groups=1) kills the
#   process (SIGFPE) in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
import subprocess
import sys

try:
    import mlx.core
    import numpy as np
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

if sys.argv[1:] != ["child"]:  # the call kills its process
    command = [sys.executable, __file__, "child"]
    child = subprocess.run(command, capture_output=True, text=True)
    code = child.returncode
    print("expected exit code 0, actual", code, child.stderr[-200:])
    raise SystemExit(2 if code == 2 else 0 if code < 0 else 1)

n1 = mlx.core.array(np.zeros((0, 4, 3, 7), "float32"))
n3 = mlx.core.array(np.full((1, 4, 2, 7), -np.inf, "float32"))

def gradient(loss, *tensors):
    found = mlx.core.grad(loss, argnums=list(range(len(tensors))))(*tensors)
    return found if len(tensors) > 1 else [found]

def loss(n1, n3):
    result = mlx.core.conv2d(n1, n3, stride=(3, 3), padding=(0, 0), dilation=(1, 2), groups=1)
    return result.sum()
print(gradient(loss, n1, n3))
