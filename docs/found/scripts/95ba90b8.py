# keras 3.15.1, tensorflow 2.21.0: keras.ops.max_pool(data_format="channels_last", padding="valid",
#   pool_size=2, strides=1) raises NotFoundError on the tensorflow backend
# data_format, padding, pool_size, strides: other values show it too
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = keras.ops.convert_to_tensor(np.array([-0.9272, -0.03583, 0.2554, 1.225, -1.54, -0.1779, -0.724,
    1.757], "float16").reshape((1, 2, 2, 2, 1)))
try:
    result = keras.ops.max_pool(
        x,
        data_format="channels_last",
        padding="valid",
        pool_size=2,
        strides=1,
    )
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
