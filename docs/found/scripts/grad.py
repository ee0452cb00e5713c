"""The gradient of the sum of ``f(*inputs)``, on whatever backend Keras runs."""

import keras


def grad(f, *inputs):
    """One gradient per input; the gradient itself if there is one input."""
    tensors = [keras.ops.convert_to_tensor(item) for item in inputs]
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = f(*tensors)
        found = tape.gradient(result, tensors)
    elif backend == "torch":
        import torch

        tensors = [item.detach().clone().requires_grad_() for item in tensors]
        result = f(*tensors)
        if result.requires_grad:
            found = torch.autograd.grad(result.sum(), tensors, allow_unused=True)
        else:
            found = [None] * len(tensors)
    elif backend == "jax":
        import jax

        numbers = tuple(range(len(tensors)))
        found = jax.grad(lambda *args: f(*args).sum(), argnums=numbers)(*tensors)
    else:
        raise NotImplementedError(f"no gradients on the {backend} backend")
    return found[0] if len(found) == 1 else list(found)
