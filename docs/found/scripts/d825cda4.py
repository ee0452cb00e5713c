# torch 2.13.0+cpu: torch.narrow_copy gives another result (a new result ≡ out=)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor(np.array([1.0, 2.0, -2.0, -1.0], "float32"))


def into(function):
    import torch

    def second(*args, **kwargs):
        result = function(*args, **kwargs)
        several = isinstance(result, (tuple, list))
        for item in result if several else [result]:
            if not isinstance(item, torch.Tensor) or item.layout != torch.strided:
                raise NotImplementedError("not all that it gives are dense tensors")
        # Full of what does not belong there, and with gaps.
        room = [torch.empty(item.shape + (2,), dtype=item.dtype).fill_(3)[..., 0]
                for item in (result if several else [result])]
        function(*args, out=tuple(room) if several else room[0], **kwargs)
        return tuple(room) if several else room[0]

    return second


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
before = values(torch.narrow_copy(x0, -1, 2, 2))
torch.manual_seed(0)
after = values(into(torch.narrow_copy)(x0, -1, 2, 2))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0.003, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
