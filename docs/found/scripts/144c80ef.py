# keras 3.15.1, tensorflow 2.21.0: keras.ops.logaddexp gives 1 instead of 0.5 in the gradient on the
#   tensorflow backend
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

n9 = keras.ops.convert_to_tensor(np.array(0.099999994, "float32"))
n13 = keras.ops.convert_to_tensor(np.array(0.099999994, "float32"))

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
        return torch.autograd.grad(f(*tensors), tensors, allow_unused=True)
    if backend == "jax":
        import jax
        result, pullback = jax.vjp(f, *tensors)
        return pullback(jax.numpy.ones_like(result))
    print("cannot run: no gradients on the", backend, "backend")
    raise SystemExit(2)

def loss(n9, n13):
    return keras.ops.sum(keras.ops.logaddexp(n9, n13))
actual = keras.ops.convert_to_numpy(gradient(loss, n9, n13)[0])
expected = 0.5  # float64 reference, keras-torch
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.001, equal_nan=True) else 0)
