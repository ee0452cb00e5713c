# mlx 0.32.4: mlx.nn.log_softmax(axis=0) kills the process (SIGSEGV)
# axis: some other values show it, some do not
# exit 0: bug present, 1: not present, 2: cannot run here
import subprocess
import sys

try:
    import mlx.core
    import mlx.nn
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

x = mlx.core.array(np.array([[0.0]], "float32"))
print(mlx.nn.log_softmax(x, axis=0))
