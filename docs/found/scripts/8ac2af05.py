# torch 2.13.0+cpu: torch.nn.functional.max_pool3d(kernel_size=(3, 2, 3)) of int8 raises
#   RuntimeError (channels first ≡ channels last)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor(np.zeros((1, 3, 3, 15, 3), "int8"))


def mapped(change, value):
    """``value`` with ``change`` applied to each leaf of its lists, tuples and dicts."""
    if isinstance(value, dict):
        return {key: mapped(change, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(change, item) for item in value])
    return change(value)


def torch_channels_last(function):
    import torch

    formats = {4: torch.channels_last, 5: torch.channels_last_3d}

    def turned(value):
        if not isinstance(value, torch.Tensor) or value.dim() not in formats:
            return value
        return value.contiguous(memory_format=formats[value.dim()])

    def second(*args, **kwargs):
        return function(*mapped(turned, args), **mapped(turned, kwargs))

    return second


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
before = values(torch.nn.functional.max_pool3d(x0, kernel_size=(3, 2, 3)))
torch.manual_seed(0)
try:
    after = values(torch_channels_last(torch.nn.functional.max_pool3d)(x0, kernel_size=(3, 2, 3)))
except Exception as error:
    print(f"expected no exception, actual {type(error).__name__}: {error}")
    raise SystemExit(0)
print("no exception")
raise SystemExit(1)
