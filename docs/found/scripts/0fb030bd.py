# torch 2.13.0+cpu: torch.nn.functional.gelu(approximate="none") gives NaN or infinity (f ≡ its
#   definition in torch._refs)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor(np.array([1.0, np.inf], "float32"))


def defined(function):
    import torch

    name = function.__name__
    for prefix, module in (
        ("special_", torch._refs.special),
        ("fft_", torch._refs.fft),
        ("linalg_", torch._refs.linalg),
        ("", torch._refs.nn.functional),
        ("", torch._refs),
    ):
        own = getattr(module, name[len(prefix) :], None)
        public = torch.nn.functional if module is torch._refs.nn.functional else None
        mine = public is None or getattr(public, name, None) is function
        if name.startswith(prefix) and own is not None and mine:
            return own
    raise NotImplementedError("PyTorch has no such definition")


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
before = values(torch.nn.functional.gelu(x0, approximate="none"))
torch.manual_seed(0)
after = values(defined(torch.nn.functional.gelu)(x0, approximate="none"))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
