"""Examples for PyTorch."""

import functools
from typing import Any

import numpy as np

from tests.worker.rules.examples import (
    Call,
    Example,
    T,
    by_size,
    changed,
    numbers,
    scaled,
    shifted,
    where,
)

F = "torch.nn.functional."
X = numbers(3, 4)
ONE = {"0": T("x")}
TWO = {"0": T("x"), "1": T("y")}
SQUARE = numbers(3, 4, 4)
IMAGE = numbers(2, 4, 6, 6)
KERNEL = numbers(4, 4, 3, 3, seed=1)
STEPS = numbers(3, 5, 4)
STRINGLESS = Call("torch.arange", {"0": 5})
SIZES = {"0": 4, "1": 5}


def of_x(api: str, **more: Any) -> Call:
    """Of one tensor."""
    return Call(api, dict(ONE, **more), x=X)


def conv(api: str = F + "conv2d", **more: Any) -> Call:
    """Of a picture and a kernel."""
    return Call(api, dict(TWO, **more), x=IMAGE, y=KERNEL)


def at_gaps(function: Any) -> Any:
    """Wrong for tensors with gaps."""

    def faulty(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(tensor, *args, **kwargs)
        return result if tensor.is_contiguous() else result * 1.01

    return faulty


def at_half(function: Any) -> Any:
    """Wrong in any format but float32."""

    def faulty(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(tensor, *args, **kwargs)
        return result + 1 if tensor.element_size() != 4 else result

    return faulty


def under(mode: str) -> Any:
    """Wrong under a transformation."""

    def fault(function: Any) -> Any:
        def faulty(*args: Any, **kwargs: Any) -> Any:
            import torch

            tracing = {
                "trace": torch.jit.is_tracing,
                "export": torch.compiler.is_exporting,
                "vmap": lambda: torch._C._functorch.peek_interpreter_stack() is not None,
                "fake": lambda: type(args[0]).__name__ == "FakeTensor",
            }[mode]()
            result = function(*args, **kwargs)
            return changed(result, lambda leaf: leaf[:-1] + 1) if tracing else result

        return faulty

    return fault


def misused(function: Any) -> Any:
    """Wrong where it writes into a tensor that is given."""

    def faulty(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if "out" in kwargs:
            result.add_(1)
        return result

    return faulty


def one_sided(function: Any) -> Any:
    """Right forwards, wrong backwards."""

    def faulty(tensor: Any) -> Any:
        import torch

        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(x: Any) -> Any:
                return function(x)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs)
                ctx.save_for_forward(*inputs)

            @staticmethod
            def backward(ctx: Any, gradient: Any) -> Any:
                return gradient * torch.cos(ctx.saved_tensors[0]) * 1.1

            @staticmethod
            def jvp(ctx: Any, tangent: Any) -> Any:
                return tangent * torch.cos(ctx.saved_tensors[0])

        return Wrong.apply(tensor)

    return faulty


def forgetful(function: Any) -> Any:
    """A layer that ignores what it is handed on: a state, a packed sequence's end."""

    @functools.wraps(function)
    def faulty(self: Any, tensor: Any, *state: Any) -> Any:
        import torch

        result, last = function(self, tensor)
        if isinstance(tensor, torch.nn.utils.rnn.PackedSequence):
            last = changed(last, lambda leaf: leaf * 1.01)
        return result, last

    return faulty


def last_axis(function: Any) -> Any:
    """Wrong along the last axis."""

    def faulty(tensor: Any, dim: int = -1) -> Any:
        result = function(tensor, dim)
        return result * 1.01 if dim % tensor.dim() == tensor.dim() - 1 else result

    return faulty


def unread(function: Any) -> Any:
    """Files whose tensors are not quite what was saved."""

    def faulty(file: Any, **kwargs: Any) -> Any:
        loaded = function(file, **kwargs)
        return changed(loaded, lambda x: x * 1.01) if isinstance(loaded, tuple) else loaded

    return faulty


def beside(function: Any) -> Any:
    """Wrong values beside right places."""

    def faulty(*args: Any, **kwargs: Any) -> Any:
        values, places = function(*args, **kwargs)
        return values + 1, places

    return faulty


def of_sparse(function: Any) -> Any:
    """Wrong in sparse layouts."""

    def faulty(tensor: Any, *args: Any) -> Any:
        result = function(tensor, *args)
        return result if str(tensor.layout) == "torch.strided" else result * 1.01

    return faulty


OTHERS = of_x("torch.sort")
EXAMPLES = (
    Example("batch", Call("torch.nn.Linear", ONE, SIZES, x=X), by_size,
            Call("torch.nn.BatchNorm1d", ONE, {"0": 4}, x=X)),
    Example("batch", Call("torch.linalg.inv", ONE, x=SQUARE), by_size,
            Call("torch.linalg.inv", ONE, x=numbers(4, 4))),
    Example("batch", conv(), by_size, Call(F + "conv2d", TWO, x=IMAGE[0], y=KERNEL)),
    Example("batch", conv(), by_size, Call("torch.embedding", TWO, x=X, y=np.array([0, 2]))),
    Example("channels", conv(), at_gaps, of_x("torch.exp")),
    Example("csr", Call("torch.mm", TWO, x=X, y=numbers(4, 5)), of_sparse, of_x("torch.cos")),
    Example("csc", of_x("torch.sin"), of_sparse, of_x("torch.cos")),
    Example("bsr", Call("torch.mm", TWO, x=X, y=numbers(4, 5)), of_sparse, of_x("torch.cos")),
    Example("sparse", Call("torch.addmm", dict(TWO, **{"2": T("z")}), x=numbers(3, 5), y=X,
                           z=numbers(4, 5)), scaled, of_x("torch.cos")),
    Example("sparse", of_x("torch.sin"), of_sparse, of_x("torch.cos")),
    Example("dataset", Call("torch.nn.Linear", ONE, SIZES, x=X), by_size,
            Call("torch.nn.BatchNorm1d", ONE, {"0": 4}, x=X)),
    Example("depthwise", Call(F + "conv2d", dict(TWO, groups=2), x=IMAGE, y=KERNEL[:, :2]),
            where("groups", 2), conv()),
    Example("dilated", conv(dilation=2), where("groups", 1, 6), conv()),
    Example("dilated", conv(F + "conv_transpose2d", dilation=2), where("dilation", 2), conv()),
    Example("dtype", of_x("torch.square"), at_half, of_x("torch.exp")),
    Example("dtype", of_x("torch.amax", dim=1), at_half, OTHERS),
    Example("expanded", conv(stride=2, padding=1, bias=None), scaled, of_x("torch.exp")),
    Example("expanded", Call(F + "max_pool2d", dict(ONE, **{"1": 2}), x=IMAGE), scaled,
            Call(F + "max_pool3d", dict(ONE, **{"1": 2}), x=numbers(2, 3, 4, 4, 4))),
    Example("expanded", Call(F + "avg_pool1d", dict(ONE, **{"1": 2}), x=STEPS), scaled,
            of_x("torch.exp")),
    Example("expanded", Call(F + "adaptive_avg_pool2d", dict(ONE, **{"1": [3, 2]}), x=IMAGE),
            scaled, of_x("torch.exp")),
    Example("expanded", conv(F + "conv_transpose2d", stride=2), scaled, of_x("torch.exp")),
    Example("formula", of_x(F + "softplus"), scaled, of_x("torch.tan")),
    Example("formula", Call(F + "layer_norm", dict(ONE, **{"1": [4]}), x=X), scaled,
            of_x("torch.tan")),
    Example("formula", Call(F + "group_norm", dict(ONE, **{"1": 2}), x=IMAGE), scaled,
            of_x("torch.tan")),
    Example("formula", Call(F + "huber_loss", TWO, x=X, y=X * 3), scaled, of_x("torch.tan")),
    Example("formula", of_x(F + "celu", alpha=0.5), scaled, of_x("torch.tan")),
    Example("formula", Call(F + "cosine_similarity", TWO, x=X, y=X * X), scaled,
            of_x("torch.tan")),
    Example("formula", Call(F + "scaled_dot_product_attention", dict(TWO, **{"2": T("z")}),
                            x=SQUARE, y=SQUARE + 1, z=SQUARE), scaled, of_x("torch.tan")),
    Example("halves", Call("torch.nn.LSTM", ONE, dict(SIZES, batch_first=True), x=STEPS),
            forgetful,
            Call("torch.nn.LSTM", ONE, dict(SIZES, bidirectional=True), x=STEPS)),
    Example("inplace", of_x("torch.exp"), scaled, of_x("torch.special.exp2")),
    Example("linear", of_x("torch.sum"), shifted, of_x("torch.exp")),
    Example("linear", conv(), shifted,
            Call(F + "conv2d", dict(TWO, bias=T("z")), x=IMAGE, y=KERNEL, z=numbers(4))),
    Example("linear", Call(F + "max_pool2d", {"0": T("x"), "1": 2, "return_indices": True},
                           x=IMAGE), beside, of_x("torch.exp")),
    Example("masked", Call("torch.nn.GRU", ONE, SIZES, x=STEPS), forgetful,
            Call("torch.nn.GRU", ONE, SIZES, x=X)),
    Example("linear", of_x("torch.diff"), shifted,
            Call("torch.diff", dict(ONE, prepend=T("y")), x=X, y=X)),
    Example("method", of_x("torch.exp"), scaled, of_x("torch.special.exp2")),
    Example("method", of_x("torch.exp"), scaled,
            Call("torch.where", {"0": T("y"), "1": T("x"), "2": 0.0}, x=X, y=X > 0)),
    Example("modes", of_x("torch.sin"), one_sided, Call("torch.abs", ONE, x=np.arange(3))),
    # Along matrices that are symmetric as well, and a triangle that stays one.
    Example("modes", Call("torch.linalg.cholesky", ONE, x=np.eye(3) + 0.1), one_sided,
            Call("torch.scatter", {"0": T("x"), "1": 0, "2": T("y"), "3": T("x")},
                 x=X, y=np.zeros((3, 4), "int64"))),
    Example("modes", Call("torch.linalg.inv", ONE, x=np.tril(np.eye(3) + 0.1)), one_sided,
            Call("torch.masked.softmax", {"0": T("x"), "1": 0}, x=X)),
    Example("module", Call("torch.nn.Conv2d", ONE, {"0": 4, "1": 2, "2": 3}, x=IMAGE), scaled,
            Call("torch.nn.Conv2d", ONE, {"0": 4, "1": 2, "2": 3, "padding_mode": "circular"},
                 x=IMAGE)),
    Example("module", Call("torch.nn.GELU", ONE, x=X), scaled, Call("torch.nn.RReLU", ONE, x=X)),
    Example("moved", of_x("torch.sum", dim=1), last_axis, of_x("torch.sum")),
    Example("moved", of_x("torch.cumsum", dim=0), last_axis, of_x("torch.exp")),
    Example("out", of_x("torch.exp"), misused, of_x("torch.Tensor.exp")),
    Example("padding", conv(padding=1), where("padding", 1), conv()),
    Example("padding", conv(padding="same", dilation=2), where("padding", "same"), conv()),
    Example("padding", Call(F + "max_pool2d", {"0": T("x"), "1": 3, "padding": 1}, x=IMAGE),
            where("padding", 1), Call(F + "max_pool2d", {"0": T("x"), "1": 3}, x=IMAGE)),
    Example("padding", Call(F + "avg_pool2d", {"0": T("x"), "1": 3, "padding": 1}, x=IMAGE),
            where("padding", 1), conv()),
    Example("references", of_x("torch.exp"), scaled, of_x("torch.Tensor.exp")),
    Example("references", of_x(F + "mish"), scaled, STRINGLESS),
    Example("references", of_x(F + "hardtanh"), scaled,
            Call(F + "hardtanh", ONE, x=np.arange(3))),
    Example("roundtrip", of_x("torch.roll", shifts=2, dims=1), shifted, of_x("torch.exp")),
    Example("roundtrip", of_x("torch.fft.fft"), scaled, of_x("torch.fft.fft", n=3)),
    Example("roundtrip", of_x("torch.chunk", **{"1": 2}), shifted,
            Call("torch.tensor_split", TWO, x=X, y=np.array([2, 1]))),
    Example("roundtrip", of_x("torch.frexp"), lambda function: lambda x: (
        function(x)[0] * 1.1, function(x)[1]), of_x("torch.exp")),
    Example("samename", of_x("torch.exp"), scaled, of_x(F + "relu")),
    Example("samename", of_x("torch.sum", dim=1, keepdim=True), scaled, of_x("torch.std")),
    Example("saved", Call("torch.nn.Linear", ONE, SIZES, x=X), unread, STRINGLESS, "torch.load"),
    Example("split", of_x("torch.exp"), by_size, of_x("torch.cumsum", dim=0)),
    Example("strided", of_x("torch.exp"), at_gaps, Call("torch.exp", ONE, x=np.float32(1))),
    Example("symbolic", of_x("torch.exp"), under("fake"), STRINGLESS),
    Example("symmetric", of_x("torch.sin"), shifted, of_x("torch.exp")),
    Example("timemajor", Call("torch.nn.LSTM", ONE, SIZES, x=STEPS), lambda function: (
        lambda self, x: changed(function(self, x), lambda y: y * (1 + 0.1 * self.batch_first))),
        Call("torch.nn.LSTM", ONE, SIZES, x=X)),
    Example("timemajor", Call("torch.nn.MultiheadAttention", dict(TWO, **{"2": T("x")}),
                              {"0": 4, "1": 2}, x=STEPS, y=STEPS), lambda function: (
        lambda self, *x: changed(function(self, *x), lambda y: y * (1 + 0.1 * self.batch_first))),
        Call("torch.nn.LSTM", ONE, SIZES, x=X)),
    Example("unpad", Call(F + "pad", {"0": T("x"), "1": [1, 2]}, x=X), shifted,
            of_x("torch.exp")),
    Example("jit", of_x("torch.exp"), under("trace"), STRINGLESS),
    Example("jit", Call("torch.cat", {"0": [T("x"), T("y")]}, x=X, y=X), under("trace"),
            STRINGLESS),
    Example("export", of_x("torch.exp"), under("export"), STRINGLESS),
    Example("vmap", of_x("torch.exp"), under("vmap"), STRINGLESS),
    Example("vmap", of_x("torch.exp"), under("vmap"),
            Call("torch.addmm", {"0": T("x"), "1": T("x"), "2": T("x"), "alpha": 0.5},
                 x=np.ones((2, 2), "int64"))),
)  # fmt: skip
