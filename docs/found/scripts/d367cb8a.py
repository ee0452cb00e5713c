# torch 2.13.0+cpu: torch.linalg.det gives -0 instead of -7 in the gradient
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x = torch.tensor(np.array([[-7.0, 0.0], [0.0, 0.0]], "float32"))

def gradient(loss, *tensors):
    # Copies: what a layer hands on is no leaf either.
    tensors = [tensor.requires_grad_().clone() for tensor in tensors]
    value = loss(*tensors)
    if not value.requires_grad:
        return [None] * len(tensors)
    return torch.autograd.grad(value, tensors, allow_unused=True)

def loss(x):
    return torch.sum(torch.linalg.det(x))
found = gradient(loss, x)[0]
if found is None:
    print("no gradient (None), which counts as zeros")
actual = (torch.tensor(np.zeros((2, 2), "float32")) if found is None else found).detach().numpy()
expected = np.array([[0.0, 0.0], [0.0, -7.0]], "float32")  # float64 reference, jax
print("expected", expected, "actual", actual)
raise SystemExit(1 if np.allclose(actual, expected, rtol=0, atol=0.007, equal_nan=True) else 0)
