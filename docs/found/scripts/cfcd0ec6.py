# torch 2.13.0+cpu: torch.nn.CTCLoss(reduction="mean") gives another result (contiguous ≡ strided)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor((-100.0 + 200.0 * np.random.RandomState([4278411537, 3243494479, 1489202561,
    952069508, 2972434609, 430138564, 4217657736, 2813786545]).random_sample((50, 3,
    15))).astype("float32"))
x1 = torch.tensor(np.array([4, 1, 5, 12, 14, 2, 3, 6, 2, 6, 6, 14, 3, 5, 1, 4, 7, 4, 2, 1, 5, 1, 13,
    7, 9, 13, 13, 14, 10, 8, 1, 14, 9, 7, 13, 8, 14, 14, 10, 6, 12, 9, 14, 1, 14, 7, 3, 9, 14, 11,
    5, 6, 6, 8, 1, 11, 14, 10, 12, 13, 10, 2, 9, 14, 4, 7, 11, 3, 2, 3, 7, 14, 8, 9, 13], "int64"))
x2 = torch.tensor(np.array([50, 50, 50], "int64"))
x3 = torch.tensor(np.array([30, 25, 20], "int64"))


def mapped(change, value):
    """``value`` with ``change`` applied to each leaf of its lists, tuples and dicts."""
    if isinstance(value, dict):
        return {key: mapped(change, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(change, item) for item in value])
    return change(value)


def strided(function):
    import torch

    def spread(value):
        # The same numbers, every other element of a larger block: offset 1, last stride 2.
        if not isinstance(value, torch.Tensor) or value.layout != torch.strided or not value.dim():
            return value
        block = value.new_zeros(value.shape[:-1] + (2 * value.shape[-1] + 1,))
        view = block[..., 1::2]
        view.copy_(value)
        return view

    def second(*args, **kwargs):
        return function(*mapped(spread, args), **mapped(spread, kwargs))

    return second


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
module = torch.nn.CTCLoss(reduction="mean")
torch.manual_seed(0)
before = values(module(x0, x1, x2, x3))
torch.manual_seed(0)
after = values(strided(module)(x0, x1, x2, x3))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0.098, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
