# torch 2.13.0+cpu: torch.cholesky_inverse gives another result (forward-mode ≡ reverse-mode
#   derivative)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor(np.array([5.5410137, 0.0, 0.0, 0.0, 0.0, -0.0015157971, 5.8377867, 0.0, 0.0, 0.0,
    0.6673606, -0.14277591, 5.028698, 0.0, 0.0, 0.5370036, 0.029178958, -0.6753912, -5.128999, 0.0,
    -0.8875022, 0.072121456, -0.09061134, -0.49408162, 5.6281295], "float32").reshape((5, 5)))


def torch_question(function, args, kwargs):
    """A number made of the results, as a function of float tensors; their values, a direction."""
    import torch

    given = list(args) + list(kwargs.values())
    places = [i for i, v in enumerate(given)
              if isinstance(v, torch.Tensor) and v.is_floating_point() and v.numel()]
    if not places:
        raise NotImplementedError("nothing to differentiate by")

    def wave(tensor, step):
        numbers = torch.arange(tensor.numel(), dtype=tensor.dtype)
        return torch.cos(step * numbers).reshape(tensor.shape)

    def direction(tensor):
        # What a function takes for granted of a matrix stays so: symmetric, or a triangle.
        found = wave(tensor, 2.0)
        if tensor.dim() < 2 or tensor.shape[-1] != tensor.shape[-2]:
            return found
        bound = 8 * torch.finfo(tensor.dtype).eps * tensor.abs().max()

        def nearly(other):
            return bool(((tensor - other).abs() <= bound).all())

        if nearly(tensor.mT):
            return found + found.mT
        lower, upper = nearly(tensor.tril()), nearly(tensor.triu())
        return found.tril() if lower else found.triu() if upper else found

    def results(*tensors):
        mine = list(given)
        for place, tensor in zip(places, tensors):
            mine[place] = tensor
        result = function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))
        leaves = torch.utils._pytree.tree_leaves(result)
        found = [x for x in leaves if isinstance(x, torch.Tensor) and x.is_floating_point()]
        if any(x.itemsize < given[place].itemsize for x in found for place in places):
            raise NotImplementedError("it rounds to another format")
        return found

    def number(*tensors):
        return sum((wave(x, 1.0) * x).sum() for x in results(*tensors))

    values = tuple(given[place] for place in places)
    # How large the results are: what is left where terms of the slope cancel out is nothing beside.
    size = sum(x.abs().double().sum() for x in results(*values))
    return number, values, tuple(direction(value) for value in values), size


def torch_reverse(function):
    import torch

    def first(*args, **kwargs):
        number, values, direction, size = torch_question(function, args, kwargs)
        with torch.enable_grad():
            leaves = [value.detach().clone().requires_grad_() for value in values]
            # As what a layer hands on: leaves may not be changed in place.
            result = number(*[leaf * 1 for leaf in leaves])
            if not result.requires_grad:
                raise NotImplementedError("it has no gradient")
            found = torch.autograd.grad(result, leaves, allow_unused=True)
        terms = [(g * d).double().sum() for g, d in zip(found, direction) if g is not None]
        return torch.stack([sum(terms), size]).detach()

    return first


def torch_forward(function):
    import torch

    def second(*args, **kwargs):
        number, values, direction, size = torch_question(function, args, kwargs)
        slope = torch.func.jvp(number, values, direction)[1]
        return torch.stack([slope.double(), size])

    return second


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
before = values(torch_reverse(torch.cholesky_inverse)(x0))
torch.manual_seed(0)
after = values(torch_forward(torch.cholesky_inverse)(x0))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=2.2e-05, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
