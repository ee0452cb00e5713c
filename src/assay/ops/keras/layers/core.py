"""Dense layers, embeddings, and layers that hand their input on."""

from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.keras._common import ACTIVATION, MOVABLE, count, flag
from assay.ops.shapes import unchanged

_FLOATS = ("float32", "float16")


def _dense(params: Params, shapes: Shapes) -> Shapes:
    return ((*shapes[0][:-1], params["units"]),)


# ---------------------------------------------------------------------- einsum

#: By rank of the input: equation, and the letters that may have a bias.
_EQUATIONS = {
    2: (("ab,bc->ac", "c"), ("ab,bcd->acd", "cd"), ("...x,xy->...y", "y"), ("ab,ab->ab", "b")),
    3: (
        ("abc,cd->abd", "bd"),
        ("abc,cde->abde", "de"),
        ("abc,bcd->ad", "d"),
        ("abc,bd->adc", "d"),
        ("...x,xy->...y", "y"),
    ),
    4: (
        ("abcd,cde->abe", "e"),
        ("abcd,de->abce", "ce"),
        ("abcd,bde->abce", "e"),
        ("...x,xy->...y", "y"),
    ),
}
_NEW = 3  # the length of every letter the input does not have


def _letters(equation: str, shape: Shape) -> dict[str, int]:
    """The lengths of an equation's letters; the ellipsis takes the axes it has to."""
    subscript = equation.partition(",")[0]
    if "..." in subscript:
        subscript = subscript.replace("...", "")
        shape = shape[len(shape) - len(subscript) :]
    if len(subscript) != len(shape):
        raise Invalid(f"equation {equation} of rank {len(shape)}")
    return dict(zip(subscript, shape, strict=True))


def _einsum(params: Params, shapes: Shapes) -> Shapes:
    equation, shape = params["equation"], shapes[0]
    lengths = _letters(equation, shape)
    output = equation.partition("->")[2]
    given = params["output_shape"]
    given = (given,) if isinstance(given, int) else tuple(given)
    ellipsis = "..." in output
    letters = output.replace("...", "") if ellipsis else output[1:]
    if len(given) != len(letters):
        raise Invalid(f"output_shape {given} of {output}")
    pairs = tuple(zip(letters, given, strict=True))
    if any(size is None and letter not in lengths for letter, size in pairs):
        raise Invalid("a new length must be given")
    named = tuple(lengths[letter] if size is None else size for letter, size in pairs)
    return ((*(shape[:-1] if ellipsis else shape[:1]), *named),)


def _equation(context: Context, place: int) -> str:
    return str(_EQUATIONS[len(context.shapes[0])][place][0])


def _outside_ellipsis(context: Context) -> tuple[dict[str, int], str]:
    equation = context.params["equation"]
    output = equation.partition("->")[2]
    letters = output.replace("...", "") if "..." in output else output[1:]
    return _letters(equation, context.shapes[0]), letters


def _full(context: Context) -> Any:
    lengths, letters = _outside_ellipsis(context)
    sizes = tuple(lengths.get(letter, _NEW) for letter in letters)
    return sizes[0] if len(sizes) == 1 else sizes


def _partial(context: Context) -> Any:
    """None for every length that the input tells."""
    lengths, letters = _outside_ellipsis(context)
    if not set(letters) & set(lengths):
        raise Invalid("all lengths are new")
    return tuple(None if letter in lengths else _NEW for letter in letters)


def _bias(context: Context, first_only: bool) -> str:
    equation = context.params["equation"]
    letters = next(
        allowed for known, allowed in _EQUATIONS[len(context.shapes[0])] if known == equation
    )
    if first_only and len(letters) < 2:
        raise Invalid("one letter")
    chosen = letters[:1] if first_only else letters
    given = context.params["output_shape"]
    _, named = _outside_ellipsis(context)
    if isinstance(given, tuple) and any(given[named.index(letter)] is None for letter in chosen):
        raise Invalid("a bias needs lengths that are given")
    return str(chosen)


_EINSUM = OpSpec(
    name="keras.layers.EinsumDense",
    rule=_einsum,
    tensors=(Tensor(dtypes=_FLOATS),),
    parameters=(
        parameter(
            "equation",
            valid=(
                Choice("plain", make=lambda context: _equation(context, 0)),
                Choice("new_axis", make=lambda context: _equation(context, 1)),
            ),
            boundary=(
                Choice("contracted", make=lambda context: _equation(context, 2)),
                Choice("ellipsis", make=lambda context: _equation(context, -1)),
            ),
            invalid=("ab,bc", "ab->ac", "ab,cd,de->ae", 3),
        ),
        parameter(
            "output_shape",
            valid=(Choice("full", make=_full),),
            boundary=(Choice("partial", make=_partial),),
            invalid=(Choice("too_many", (2, 2, 2, 2, 2)), "three"),
        ),
        ACTIVATION,
        parameter(
            "bias_axes",
            None,
            valid=(None, Choice("all", make=lambda context: _bias(context, False))),
            boundary=(Choice("first", make=lambda context: _bias(context, True)),),
            invalid=("z",),
        ),
    ),
    weights=("kernel", "bias"),
)

# ------------------------------------------------------------------ embeddings


def _ids(params: Params, shapes: Shapes) -> tuple[float, float]:
    return (0, params["input_dim"] - 1)


_TABLE = (
    parameter("input_dim", valid=(5, 9), boundary=(1, 2), invalid=(0, -1, "five")),
    parameter("output_dim", valid=(2, 3), boundary=(1,), invalid=(0, -1, "two")),
)


def _as_wide_as_input(context: Context) -> int:
    return context.shapes[0][-1]


def _reversible(params: Params, shapes: Shapes) -> Shapes:
    if not params["reverse"]:
        return ((*shapes[0], params["output_dim"]),)
    if shapes[0][-1] != params["output_dim"]:
        raise Invalid("the input must be as wide as the embedding")
    return ((*shapes[0][:-1], params["input_dim"]),)


_EMBEDDINGS = (
    OpSpec(
        name="keras.layers.Embedding",
        rule=lambda params, shapes: ((*shapes[0], params["output_dim"]),),
        tensors=(
            Tensor(
                ranks=(1, 2, 3),
                dtypes=("int32", "uint8", "float32"),
                domain=Domain(0, 4, kind="ids"),
                limits=_ids,
            ),
        ),
        parameters=(*_TABLE, flag("mask_zero", False)),
        weights=("embeddings",),
    ),
    OpSpec(
        name="keras.layers.ReversibleEmbedding",
        rule=_reversible,
        tensors=(
            Tensor(
                ranks=(2, 3),
                dtypes=("float32", "int32"),
                domain=Domain(0, 4, kind="ids"),
                limits=_ids,
            ),
        ),
        parameters=(
            _TABLE[0],
            parameter(
                "output_dim",
                valid=(2, Choice("as_input", make=_as_wide_as_input)),
                boundary=(1,),
                invalid=(0, -1, "two"),
            ),
            flag("tie_weights", True),
            parameter("logit_soft_cap", None, valid=(None, 2.0), boundary=(0.1, 50.0)),
            parameter("reverse", False, valid=(False, True), argument=True),
        ),
        weights=("embeddings", "reverse_embeddings"),
        # A mask and ids: nothing that another layer's output could be.
        solitary=True,
    ),
)

# ------------------------------------------------------- input is the output

_STEPS = Tensor(ranks=(3, 2, 4), dtypes=_FLOATS)

SPECS = (
    OpSpec(
        name="keras.layers.Dense",
        rule=_dense,
        tensors=(Tensor(dtypes=_FLOATS),),
        parameters=(count("units"), ACTIVATION, flag("use_bias", True)),
        weights=("kernel", "bias"),
    ),
    _EINSUM,
    *_EMBEDDINGS,
    OpSpec(name="keras.layers.Identity", rule=unchanged, tensors=(Tensor(dtypes=MOVABLE),)),
    OpSpec(
        name="keras.layers.Masking",
        rule=unchanged,
        tensors=(_STEPS,),
        parameters=(parameter("mask_value", 0.0, valid=(0.0,), boundary=(1.0, -2.0)),),
        solitary=True,
    ),
)
