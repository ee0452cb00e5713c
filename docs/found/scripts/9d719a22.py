# torch 2.13.0+cpu: torch.addmv of an empty tensor gives another shape (f ≡ the formula of its
#   documentation)
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

x0 = torch.tensor(np.array(-8.478374, "float32"))
x1 = torch.tensor(np.zeros((0, 10), "float32"))
x2 = torch.tensor(np.array([1.0, 2.0, 0.5, -1.0, 1.5, -2.0, -0.5, -1.5, 3.0, 0.2], "float32"))


def documented(plain, own, wide, double=False):
    """``wide``, except where the plain call is what the formula itself gives in its own format.

    In ``double`` precision the formula loses as much, but of more digits.
    """
    import numpy as np

    near, far = (1e-9, 1e-10) if double else (1e-3, 1e-4)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(plain), np.abs(own))
        largest = np.max(size[np.isfinite(size)], initial=0.0)
        loss = np.abs(plain - own) <= np.maximum(near * size, far * largest)
    return np.where(loss, plain, wide)


def torch_formula(function, called=""):
    import torch

    def softplus(x, beta=1.0, threshold=20.0):
        # Past the threshold it is documented to be x itself.
        return torch.where(x * beta > threshold, x, torch.log1p(torch.exp(x * beta)) / beta)

    def normalised(x, axes, eps, weight=None, bias=None):
        mean = x.mean(axes, keepdim=True)
        scaled = (x - mean) / torch.sqrt(((x - mean) ** 2).mean(axes, keepdim=True) + eps)
        scaled = scaled if weight is None else scaled * weight
        return scaled if bias is None else scaled + bias

    def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5):
        return normalised(x, tuple(range(-len(normalized_shape), 0)), eps, weight, bias)

    def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5):
        grouped = x.reshape((x.shape[0], num_groups, -1))
        result = normalised(grouped, (-1,), eps).reshape(x.shape)
        sizes = (1, -1) + (1,) * (x.dim() - 2)
        result = result if weight is None else result * weight.reshape(sizes)
        return result if bias is None else result + bias.reshape(sizes)

    def reduced(loss, reduction):
        return {"none": lambda x: x, "mean": torch.mean, "sum": torch.sum}[reduction](loss)

    def huber(x, y, reduction="mean", delta=1.0):
        d = (x - y).abs()
        return reduced(torch.where(d < delta, d**2 / 2, delta * (d - delta / 2)), reduction)

    def smooth(x, y, size_average=None, reduce=None, reduction="mean", beta=1.0):
        d = (x - y).abs()
        return reduced(torch.where(d < beta, d**2 / 2 / beta, d - beta / 2), reduction)

    def attention(query, key, value):
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        weights = torch.exp(scores - scores.amax(-1, keepdim=True))
        return weights / weights.sum(-1, keepdim=True) @ value

    def added(x, beta, product):
        # Where beta is 0, what is in x is documented not to matter.
        return beta * x + product if beta else product + torch.zeros_like(x)

    def summed(x, dim):
        # Less the largest: else double precision is left, as well.
        most = x.amax(dim, keepdim=True)
        return torch.log(torch.exp(x - most).sum(dim)) + most.sum(dim)

    def cosine(x, y, dim=1, eps=1e-8):
        x, y = torch.broadcast_tensors(x, y)
        sizes = [torch.sqrt((item * item).sum(dim)).clamp(min=eps) for item in (x, y)]
        return (x * y).sum(dim) / (sizes[0] * sizes[1])

    def shares(x, dim):
        powers = torch.exp(x - x.amax(dim, keepdim=True))
        return powers / powers.sum(dim, keepdim=True)

    name = called or function.__name__
    formulas = {
        "softplus": softplus,
        "silu": lambda x: x / (1 + torch.exp(-x)),
        "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
        "expit": lambda x: 1 / (1 + torch.exp(-x)),
        "logsigmoid": lambda x: x.clamp(max=0) - torch.log1p(torch.exp(-x.abs())),
        "mish": lambda x: x * torch.tanh(torch.log1p(torch.exp(x))),
        "elu": lambda x, alpha=1.0: torch.where(x > 0, x, alpha * (torch.exp(x) - 1)),
        "celu": lambda x, alpha=1.0: x.clamp(min=0) + (alpha * (torch.exp(x / alpha) - 1)).clamp(
            max=0),
        "relu": lambda x: x.clamp(min=0),
        "relu6": lambda x: x.clamp(0, 6),
        "hardsigmoid": lambda x: (x + 3).clamp(0, 6) / 6,
        "hardswish": lambda x: x * (x + 3).clamp(0, 6) / 6,
        "hardtanh": lambda x, min_val=-1.0, max_val=1.0: x.clamp(min_val, max_val),
        "leaky_relu": lambda x, negative_slope=0.01: torch.where(x > 0, x, x * negative_slope),
        "softsign": lambda x: x / (1 + x.abs()),
        "tanhshrink": lambda x: x - torch.tanh(x),
        "softshrink": lambda x, lambd=0.5: torch.sign(x) * (x.abs() - lambd).clamp(min=0),
        "hardshrink": lambda x, lambd=0.5: torch.where(x.abs() > lambd, x, x * 0),
        "softmax": shares,
        "logsumexp": lambda x, dim: summed(x, dim),
        "logaddexp": lambda x, y: summed(torch.stack(torch.broadcast_tensors(x, y)), 0),
        "logaddexp2": lambda x, y: torch.maximum(x, y)
        + torch.log2(1 + torch.exp2(-(x - y).abs())),
        "expm1": lambda x: torch.exp(x) - 1,
        "log1p": lambda x: torch.log(1 + x),
        "square": lambda x: x * x,
        "rsqrt": lambda x: 1 / torch.sqrt(x),
        "hypot": lambda x, y: torch.sqrt(x**2 + y**2),
        "addcmul": lambda x, a, b, value=1: x + value * a * b,
        "addcdiv": lambda x, a, b, value=1: x + value * (a / b),
        "lerp": lambda x, end, weight: x + weight * (end - x),
        "addmm": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b)),
        "addmv": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b)),
        "addr": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * a[:, None] * b),
        "baddbmm": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b)),
        "addbmm": lambda x, a, b, beta=1, alpha=1: added(x, beta, alpha * (a @ b).sum(0)),
        "outer": lambda x, y: x[:, None] * y,
        "linear": lambda x, w, b=0.0: x @ w.transpose(-1, -2) + b,
        "cosine_similarity": cosine,
        "pairwise_distance": lambda x, y, p=2.0, eps=1e-6, keepdim=False: (
            (x - y + eps).abs() ** p).sum(-1, keepdim=keepdim) ** (1 / p),
        "mse_loss": lambda x, y, size_average=None, reduce=None, reduction="mean": reduced(
            (x - y) ** 2, reduction),
        "l1_loss": lambda x, y, size_average=None, reduce=None, reduction="mean": reduced(
            (x - y).abs(), reduction),
        "huber_loss": huber,
        "smooth_l1_loss": smooth,
        "layer_norm": layer_norm,
        "group_norm": group_norm,
        "scaled_dot_product_attention": attention,
    }
    formula = formulas[name]
    # What these are there to avoid.
    stable = ("softplus", "logsigmoid", "logsumexp", "logaddexp", "logaddexp2", "expm1", "log1p")

    def second(*args, **kwargs):
        named = {"x" if key == "input" else key: value for key, value in kwargs.items()}
        dtype = next(x.dtype for x in args if isinstance(x, torch.Tensor))

        def computed(change):
            changed = {key: change(value) for key, value in named.items()}
            return formula(*[change(value) for value in args], **changed).double()

        def wide(value):
            floats = isinstance(value, torch.Tensor) and value.is_floating_point()
            return value.double() if floats else value

        result = computed(wide)
        plain = function(*args, **kwargs).double()
        if name in stable or plain.shape != result.shape:
            return result.to(dtype)
        try:
            own = computed(lambda value: value)
        except RuntimeError:
            own = result  # it has no kernels in this format
        arrays = [item.numpy() for item in (plain, own, result)]
        return torch.from_numpy(documented(*arrays, double=dtype == torch.float64)).to(dtype)

    return second


def values(result):
    parts = [part for part in torch.utils._pytree.tree_leaves(result) if part is not None]
    parts = [torch.as_tensor(part).detach().to_dense() for part in parts]
    parts = [part.resolve_conj().resolve_neg() for part in parts]
    return [np.asarray(part.detach().numpy()) for part in parts]


torch.manual_seed(0)
before = values(torch.addmv(x0, x1, x2))
torch.manual_seed(0)
after = values(torch_formula(torch.addmv, "addmv")(x0, x1, x2))
print("before", before, "after", after)
same = len(before) == len(after) and all(
    a.shape == b.shape and a.dtype == b.dtype
    and np.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    for a, b in zip(before, after)
)
raise SystemExit(1 if same else 0)
