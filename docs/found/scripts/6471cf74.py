# torch 2.13.0+cpu: torch.nn.MultiLabelMarginLoss(reduction="none") gives another shape (announced
#   shape and dtype ≡ computed ones)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor(np.array([1.0, 2.0], "float32"))
x1 = torch.tensor(np.array([0, 0], "int64"))


def torch_described(shape, dtype):
    import torch

    # A shape as zeros, a format by the letters of its name: all of it is compared.
    return [torch.zeros(shape, dtype=torch.int8), torch.tensor(list(str(dtype).encode()))]


def seen_by_torch(function):
    import torch

    def first(*args, **kwargs):
        leaves = torch.utils._pytree.tree_leaves(function(*args, **kwargs))
        tensors = [item for item in leaves if isinstance(item, torch.Tensor)]
        if not tensors:
            raise NotImplementedError("it gives no tensor")
        return [part for item in tensors for part in torch_described(item.shape, item.dtype)]

    return first


def told_by_torch(function):
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    def second(*args, **kwargs):
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:

            def fake(value):
                return mode.from_tensor(value) if isinstance(value, torch.Tensor) else value

            own = torch.utils._pytree.tree_map(fake, (args, kwargs))
            result = function(*own[0], **own[1])
            told = [
                item
                for item in torch.utils._pytree.tree_leaves(result)
                if isinstance(item, torch.Tensor)
            ]
            described = [(tuple(item.shape), item.dtype) for item in told]
        return [part for told in described for part in torch_described(*told)]

    return second


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
module = torch.nn.MultiLabelMarginLoss(reduction="none")
torch.manual_seed(0)
before = values(seen_by_torch(module)(x0, x1))
torch.manual_seed(0)
after = values(told_by_torch(module)(x0, x1))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
