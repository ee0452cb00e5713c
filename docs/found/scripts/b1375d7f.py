# keras 3.15.1, tensorflow 2.21.0: keras.ops.image.hsv_to_rgb gives no gradient (None) instead of
#   2.8075 in the gradient on the tensorflow backend
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

x = keras.ops.convert_to_tensor(np.array([0.010191442, 1.0, 0.3, 0.34583148, 0.1, 0.25167528, 0.9,
    0.4473128, 0.9520376, 0.8, 0.4, 0.3551479, 0.40770596, 0.5, 0.5101294, 0.48669538, 0.27035913,
    0.2], "float32").reshape((3, 2, 3)))

def gradient(f, *tensors):
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = f(*tensors)
        return tape.gradient(result, tensors)
    if backend == "torch":
        import torch
        tensors = [tensor.requires_grad_().clone() for tensor in tensors]
        result = f(*tensors)
        if not result.requires_grad:
            return [None] * len(tensors)
        return torch.autograd.grad(result, tensors, allow_unused=True)
    if backend == "jax":
        import jax
        result, pullback = jax.vjp(f, *tensors)
        return pullback(jax.numpy.ones_like(result))
    print("cannot run: no gradients on the", backend, "backend")
    raise SystemExit(2)

def loss(x):
    return keras.ops.sum(keras.ops.image.hsv_to_rgb(x))
found = gradient(loss, x)[0]
if found is None:
    print("no gradient (None), which counts as zeros")
actual = keras.ops.convert_to_numpy(keras.ops.zeros((3, 2, 3)) if found is None else found)[0, 1, 2]
expected = 2.807499  # float64 reference, keras-jax, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.0028, equal_nan=True) else 0)
