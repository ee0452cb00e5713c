"""Refusals on purpose, told from accidents."""

import pytest

from assay.ir import Failure
from assay.judge.refusing import accident, refuses, states_a_requirement

CONV = "keras.ops.conv"


def raised(message: str, exception: str = "builtins.ValueError", stack: str = "") -> Failure:
    return Failure("forward", exception, message, "n0", stack)


@pytest.mark.parametrize(
    "message",
    [
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: …",
        "Only axis=-1 is currently supported. Received: axis=1",
        "Conv2DCustomBackpropInputOp only supports NHWC. [Op:Conv2DBackpropInput] name: ",
        "Broadcast between [2,1] and [1,2] is not supported yet. [Op:Mul] name: ",
        "Current CPU implementation does not yet support dilation rates larger than 1.",
        "the derivative for 'other' is not implemented",
        "quantile() input tensor must be non-empty",
        "Cannot compute the min of an empty tensor.",
        "pool(): Expected input to have non-zero size for non-batch dimensions, but …",
        "linalg.cross: inputs must have the same number of dimensions.",
        "The input tensor must be at least 2-D",
        "input must have at least two dimensions",
        "Value for attr 'T' of bool is not in the list of allowed values: float, double",
    ],
)
def test_who_says_that_it_cannot_do_it_refuses(message: str) -> None:
    assert refuses(raised(message))
    assert not accident(raised(message), CONV)


@pytest.mark.parametrize(
    ("message", "exception"),
    [
        ("unsupported operand type(s) for +: 'int' and 'NoneType'", "builtins.TypeError"),
        ("'<' not supported between instances of 'str' and 'int'", "builtins.TypeError"),
        ('false INTERNAL ASSERT FAILED at "x.cpp":1613, not supported', "builtins.RuntimeError"),
        ("object has no attribute 'shape'", "builtins.AttributeError"),
        ("division by zero", "builtins.ZeroDivisionError"),
        # Of what the library itself made of the call, not of what was given.
        ("Index tensor must have the same number of dimensions as self", "builtins.RuntimeError"),
        ("Value for attr 'Tlen' of float is not in the list of allowed values", "ValueError"),
    ],
)
def test_an_accident_is_no_refusal(message: str, exception: str) -> None:
    assert not refuses(raised(message, exception))


def test_a_kernel_that_was_not_called_fails_by_accident() -> None:
    message = "predictions must be of rank 2 [Op:InTopKV2] name: "
    assert not accident(raised(message), "keras.ops.in_top_k")
    assert accident(raised(message), "keras.ops.image.map_coordinates")


def test_not_implemented_needs_no_words() -> None:
    assert refuses(raised("", "builtins.NotImplementedError"))


def test_a_type_error_refuses_only_where_it_is_raised() -> None:
    inner = 'Traceback:\n  File "a.py", line 3, in f\n    {}\n'
    words = "float16 is not supported here"
    assert refuses(raised(words, "builtins.TypeError", inner.format("raise TypeError(words)")))
    assert not refuses(raised(words, "builtins.TypeError", inner.format("g(x)")))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("output dimensions must be positive", True),
        ("Expected size[0] in [0, 0], but got 2", True),
        ("index can't contain negative values", True),
        ("minlength should be >= 0", True),
        ("the range is not finite", True),
        ("the input matrix contained non-finite values", True),
        ("indices[0] = 5 is not in [0, 5)", True),
        ("Index tensor must have the same number of dimensions as self tensor", False),
        ("maximum size for tensor at dimension 0 is 1 but size is 3", False),
    ],
)
def test_a_requirement_says_what_numbers_have_to_be(message: str, said: bool) -> None:
    assert states_a_requirement(raised(message)) == said
    assert not states_a_requirement(raised(message, "builtins.IndexError"))
