# keras 3.15.1, torch 2.13.0+cpu: keras.random.shuffle(axis=-1) breaks what holds for every draw (a
#   permutation along the axis) on the torch backend
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "torch")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = keras.ops.convert_to_tensor(np.array([1.0, 2.0], "float32"))
keras.utils.set_random_seed(0)
for run in range(100):
    draw = keras.ops.convert_to_numpy(keras.random.shuffle(x, axis=-1))
    if not np.all(np.sort(draw, axis=-1) == np.sort(keras.ops.convert_to_numpy(x), axis=-1)):
        print("expected a permutation along the axis, actual", draw)
        raise SystemExit(0)
print("expected a permutation along the axis, as are 100 draws")
raise SystemExit(1)
