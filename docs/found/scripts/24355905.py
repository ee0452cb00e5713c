# keras 3.15.1, torch 2.13.0+cpu: keras.layers.GRU(stateful=True) raises RuntimeError in the
#   gradient on the torch backend
# depends on stateful=True and the default reset_after: other values that were tried do not show it;
#   units: other values show it too
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

x = keras.ops.convert_to_tensor(np.array([[[0.0]]], "float32"))

def gradient(f, tensors, weights):
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = f(*tensors)
        return tape.gradient(result, [*tensors, *(weight.value for weight in weights)])
    if backend == "torch":
        import torch
        tensors = [tensor.requires_grad_().clone() for tensor in tensors]
        sources = [*tensors, *(weight.value for weight in weights)]
        return torch.autograd.grad(f(*tensors), sources, allow_unused=True)
    if backend == "jax":
        import jax
        def pure(tensors, values):
            with keras.StatelessScope(state_mapping=list(zip(weights, values))):
                return f(*tensors)
        result, pullback = jax.vjp(pure, tensors, [weight.value for weight in weights])
        of_tensors, of_weights = pullback(jax.numpy.ones_like(result))
        return [*of_tensors, *of_weights]
    print("cannot run: no gradients on the", backend, "backend")
    raise SystemExit(2)

try:
    layer = keras.layers.GRU(units=1, stateful=True)
    layer(x)
    def loss(x):
        return keras.ops.sum(layer(x))
    result = gradient(loss, [x], [w for w in layer.weights if w.trainable])
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("expected no exception, actual result", result)
raise SystemExit(1)
