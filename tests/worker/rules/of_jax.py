"""Examples for JAX."""

from typing import Any

import numpy as np

from tests.worker.rules.examples import (
    Call,
    Example,
    T,
    by_size,
    numbers,
    scaled,
    shifted,
    where,
)

N = "jax.numpy."
X = numbers(3, 4)
ONE = {"0": T("x")}
TWO = {"0": T("x"), "1": T("y")}
IMAGE = numbers(2, 4, 6, 6)
KERNEL = numbers(4, 4, 3, 3, seed=1)
CONV = dict(TWO, **{"2": [1, 1]})
EMPTY = Call(N + "arange", {"0": 5})


def of_x(api: str, **more: Any) -> Call:
    """Of one tensor."""
    return Call(api, dict(ONE, **more), x=X)


def conv(padding: Any = "VALID", **more: Any) -> Call:
    """Of a picture and a kernel."""
    arguments = dict(CONV, **{"3": padding}, **more)
    return Call("jax.lax.conv_general_dilated", arguments, x=IMAGE, y=KERNEL)


def traced(function: Any) -> Any:
    """Wrong wherever it is traced."""

    def faulty(tensor: Any) -> Any:
        import jax

        result = function(tensor)
        return (result * 1.01)[:, :-1] if isinstance(tensor, jax.core.Tracer) else result

    return faulty


def concrete(function: Any) -> Any:
    """Wrong where nothing compiles."""

    def faulty(tensor: Any) -> Any:
        import jax

        return function(tensor) * (1.01 if jax.config.jax_disable_jit else 1)

    return faulty


def one_sided(function: Any) -> Any:
    """A forward mode that is wrong: reverse mode is its transpose, so there it is told apart."""
    import jax

    @jax.custom_jvp
    def faulty(x: Any) -> Any:
        return function(x)

    @faulty.defjvp
    def wrong(primals: Any, tangents: Any) -> Any:
        (x,), (t,) = primals, tangents
        known = isinstance(t, jax.core.Tracer)
        return function(x), t * jax.numpy.cos(x) * (1.0 if known else 1.1)

    return lambda x: faulty(x)


def parted(function: Any) -> Any:
    """Wrong where a tensor lies on several devices."""

    def faulty(tensor: Any) -> Any:
        import jax

        several = isinstance(tensor, jax.Array) and len(tensor.sharding.device_set) > 1
        return function(tensor) * (1.01 if several else 1)

    return faulty


def of_format(function: Any) -> Any:
    """Wrong in any format but float32."""

    def faulty(tensor: Any) -> Any:
        return function(tensor) + (tensor.dtype != "float32")

    return faulty


def of_sparse(function: Any) -> Any:
    """Wrong where it is used on what is stored."""

    def faulty(tensor: Any, *others: Any) -> Any:
        import jax

        sparse = isinstance(tensor, jax.core.Tracer) or tensor.ndim == 1
        return function(tensor * 1.01 if sparse else tensor, *others)

    return faulty


def last_axis(function: Any) -> Any:
    """Wrong along the last axis."""

    def faulty(tensor: Any, axis: int) -> Any:
        return function(tensor, axis=axis) * (1.01 if axis % tensor.ndim == 1 else 1)

    return faulty


def laid_out(name: str) -> Any:
    """Wrong where an argument is given."""

    def fault(function: Any) -> Any:
        def faulty(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            return result * 1.01 if kwargs.get(name) not in (None, 1) else result

        return faulty

    return fault


EXAMPLES = (
    Example("batch", Call(N + "linalg.inv", ONE, x=numbers(3, 4, 4)), by_size,
            Call(N + "linalg.inv", ONE, x=numbers(4, 4))),
    Example("channels", conv(), laid_out("dimension_numbers"), of_x(N + "exp")),
    Example("constants", of_x(N + "exp"), lambda function: lambda x: function(x) * (
        1.01 if "jit" in NAMES() else 1), EMPTY),
    Example("depthwise", Call("jax.lax.conv_general_dilated",
                              dict(CONV, **{"3": "SAME", "feature_group_count": 2}),
                              x=IMAGE, y=KERNEL[:, :2]),
            laid_out("feature_group_count"), conv()),
    Example("devices", of_x(N + "sum"), parted, EMPTY),
    Example("dilated", conv(rhs_dilation=[2, 1]), laid_out("rhs_dilation"), conv()),
    Example("dtype", of_x(N + "square"), of_format, of_x(N + "exp")),
    Example("expanded", conv("SAME"), lambda function: lambda *a, **k: function(*a, **k) * (
        1 + a[0].ndim / 100), of_x(N + "exp")),
    Example("formula", of_x("jax.nn.softplus"), scaled, of_x(N + "tan")),
    Example("formula", of_x("jax.nn.softmax", axis=0), scaled, of_x(N + "tan")),
    Example("interpreted", of_x(N + "exp"), concrete, EMPTY),
    Example("jit", of_x(N + "exp"), traced, EMPTY),
    Example("linear", of_x(N + "sum"), shifted, of_x(N + "exp")),
    Example("linear", of_x("jax.numpy.fft.rfft"), shifted, of_x(N + "exp")),
    Example("modes", of_x(N + "sin"), one_sided,
            Call(N + "abs", ONE, x=np.arange(3, dtype="int32"))),
    Example("module", of_x(N + "sin"), scaled, of_x(N + "sinc")),
    Example("moved", of_x(N + "sum", axis=1), last_axis, of_x(N + "sum")),
    Example("moved", of_x(N + "cumsum", axis=0), last_axis, of_x(N + "exp")),
    Example("padding", conv("SAME"), where("padding", "SAME", 3), conv()),
    Example("padding", conv([[1, 0], [2, 1]]), where("padding", "VALID", 3), conv()),
    Example("roundtrip", of_x(N + "roll", shift=2, axis=1), shifted, of_x(N + "exp")),
    Example("roundtrip", of_x(N + "fft.fft"), scaled, of_x(N + "fft.fft", n=3)),
    Example("roundtrip", Call(N + "divmod", TWO, x=np.arange(5, dtype="int32"),
                              y=np.full(5, 3, "int32")),
            lambda function: lambda x, y: (function(x, y)[0] + 1, function(x, y)[1]),
            of_x(N + "exp")),
    Example("samename", of_x(N + "exp"), scaled, Call("jax.lax.exp", ONE, x=X)),
    Example("samename", of_x(N + "percentile", q=30), scaled, of_x(N + "argsort")),
    Example("saved", of_x(N + "exp"), traced, EMPTY),
    Example("scipy", of_x("jax.scipy.special.expit"), scaled, of_x(N + "exp")),
    Example("scipy", of_x("jax.scipy.stats.norm.logpdf", scale=2.0), scaled,
            of_x("jax.scipy.linalg.toeplitz")),
    Example("sparse", of_x(N + "sin"), of_sparse, of_x(N + "cos")),
    Example("sparse", Call(N + "matmul", TWO, x=X, y=numbers(4, 2)), of_sparse, of_x(N + "cos")),
    Example("split", of_x(N + "exp"), by_size, of_x(N + "cumsum", axis=0)),
    Example("symbolic", of_x(N + "exp"), traced, EMPTY),
    Example("symmetric", of_x(N + "sin"), shifted, of_x(N + "exp")),
    Example("unpad", Call(N + "pad", {"0": T("x"), "1": [[1, 2], [0, 1]]}, x=X), shifted,
            of_x(N + "exp")),
    Example("unpad", Call("jax.lax.pad", {"0": T("x"), "1": T("y"), "2": [[1, 2, 1], [0, 1, 0]]},
                          x=X, y=np.float32(7)), shifted, of_x(N + "exp")),
    Example("vmap", of_x(N + "exp"), traced, EMPTY),
)  # fmt: skip


def NAMES() -> str:
    """Where it runs."""
    import jax

    return "jit" if not jax.core.trace_ctx.is_top_level() else ""
