# keras 3.15.1, jax 0.10.2: keras.layers.MelSpectrogram(fft_length=8, sequence_stride=1,
#   sampling_rate=8, num_mel_bins=1, min_freq=0.0) gives nan instead of 17.9324 in the gradient on
#   the jax backend
# exit 0: bug present, 1: not present, 2: cannot run here
import os

# by itself TensorFlow turns oneDNN on where the CPU has AVX512_VNNI: other kernels, other numbers
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("KERAS_BACKEND", "jax")
try:
    import keras
    import numpy as np
except (ImportError, ValueError) as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = keras.ops.convert_to_tensor(np.array([1.0, 0.0, 0.0, 1.0, 0.0], "float32"))
layer = keras.layers.MelSpectrogram(fft_length=8, sequence_stride=1, sampling_rate=8, num_mel_bins=1, min_freq=0.0)

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

def loss(x):
    return keras.ops.sum(layer(x))
actual = keras.ops.convert_to_numpy(gradient(loss, x)[0])
# keras-tensorflow, keras-torch:
expected = np.array([17.932432, -14.104263, -12.15422, 34.182907, 0.036843695], "float32")
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.034, equal_nan=True) else 0)
