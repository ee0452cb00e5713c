"""How a script differentiates, on whatever backend it runs."""

_END = """
    print("cannot run: no gradients on the", backend, "backend")
    raise SystemExit(2)
"""

#: Gradients with respect to each tensor, then each weight.
OF_WEIGHTS = (
    """
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
        return [*of_tensors, *of_weights]"""
    + _END
).strip("\n")

#: Where an op cuts the gradient, PyTorch has none to give: workers call that zero.
CUT = (
    "        return torch.autograd.grad(f(*tensors), tensors, allow_unused=True)",
    "        result = f(*tensors)\n"
    "        if not result.requires_grad:\n"
    "            return [None] * len(tensors)\n"
    "        return torch.autograd.grad(result, tensors, allow_unused=True)",
)
