# torch 2.13.0+cpu: torch.addmv gives another shape (dense ≡ sparse, compressed by rows (CSR))
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor(np.array(1.0, "float32"))
x1 = torch.tensor(np.array([[1.0]], "float32"))
x2 = torch.tensor(np.array([1.0], "float32"))


def thinned(value):
    """With zeros at every second place, on which sparse tensors save."""
    import torch

    places = torch.arange(value.numel()).reshape(value.shape)
    return torch.where(places % 2 == 1, value, torch.zeros_like(value))


def with_layout(function, turned):
    import torch

    place = 1 if function.__name__ in ("addmm", "addmv") else 0

    def second(*args, **kwargs):
        own = list(args)
        own[place] = turned(thinned(own[place]))
        result = function(*own, **kwargs)
        return result if result.layout == torch.strided else result.to_dense()

    return second


def torch_dense(function):
    # The matrix that becomes sparse is the second argument of these.
    place = 1 if function.__name__ in ("addmm", "addmv") else 0

    def first(*args, **kwargs):
        own = list(args)
        own[place] = thinned(own[place])
        return function(*own, **kwargs)

    return first


def compressed(function):
    return with_layout(function, lambda matrix: matrix.to_sparse_csr())


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
before = values(torch_dense(torch.addmv)(x0, x1, x2))
torch.manual_seed(0)
after = values(compressed(torch.addmv)(x0, x1, x2))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
