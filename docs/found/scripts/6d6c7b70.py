# keras 3.15.1, tensorflow 2.21.0: keras.losses.CosineSimilarity(axis=0) gives another result after
#   from_config(get_config())
# depends on axis=0: other values that were tried do not show it
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

x0 = keras.ops.convert_to_tensor(np.array([[1.0, 2.0]], "float32"))
x1 = keras.ops.convert_to_tensor(np.array([[1.0, -1.0]], "float32"))

def run(loss):
    result = loss(x0, x1)
    return [keras.ops.convert_to_numpy(item) for item in keras.tree.flatten(result)]

loss = keras.losses.CosineSimilarity(axis=0)
before = run(loss)
again = type(loss).from_config(loss.get_config())
after = run(again)
print("before", before, "after", after)
same = [
    a.shape == b.shape and np.allclose(a, b, rtol=1e-3, atol=0.001, equal_nan=True)
    for a, b in zip(before, after)
]
raise SystemExit(1 if all(same) else 0)
