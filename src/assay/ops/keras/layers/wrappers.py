"""Layers around layers: both directions, every time step, spectral norm."""

from collections.abc import Callable
from typing import Any

from assay.ops import _registry
from assay.ops._base import (
    Choice,
    Context,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.keras._common import MASK, nested
from assay.ops.keras.layers.recurrent import (
    _MASK,
    FIRST_STATE,
    STATES,
    mask_and_states,
    sequence_outputs,
    sequence_tensors,
)

# ---------------------------------------------------------------- bidirectional


def _direction(label: str, name: str, **more: Any) -> Choice:
    def make(context: Context) -> Any:
        params = {
            "units": context.draw.between(1, 3),
            "return_sequences": context.draw.chance(0.5),
            "return_state": context.draw.chance(0.3),
            **more,
        }
        state = context.shape_of(FIRST_STATE)
        if state is not None:
            if STATES[name] != 1:
                raise Invalid("one initial state for each direction")
            params["units"] = state[-1]
        return nested(name, **params)

    return Choice(label, make=make)


def _other_direction(context: Context) -> Any:
    """A backward layer of another kind of activation, otherwise as the forward layer."""
    layer = context.params["layer"]
    return {
        "$op": layer["$op"],
        "params": {**layer["params"], "activation": "relu", "go_backwards": True},
    }


def _bidirectional(params: Params, shapes: Shapes) -> Shapes:
    inner = {"return_sequences": False, "return_state": False, **params["layer"]["params"]}
    units = inner["units"] * (2 if params["merge_mode"] == "concat" else 1)
    batch = shapes[0][0]
    count = STATES[params["layer"]["$op"].rpartition(".")[2]]
    states = ((batch, inner["units"]),) * (2 * count)
    outputs = sequence_outputs(inner, shapes[0], (batch, units), states)
    return outputs if params["merge_mode"] is not None else (outputs[0], *outputs)


_BIDIRECTIONAL = OpSpec(
    name="keras.layers.Bidirectional",
    rule=_bidirectional,
    tensors=sequence_tensors(3, 2),
    companions=mask_and_states(2),
    parameters=(
        parameter(
            "layer",
            valid=(
                _direction("simple", "SimpleRNN"),
                _direction("lstm", "LSTM"),
                _direction("gru", "GRU"),
            ),
            boundary=(
                _direction("gru_reset_before", "GRU", reset_after=False),
                _direction("stateful", "GRU", stateful=True),
                _direction("unrolled", "SimpleRNN", unroll=True),
            ),
            invalid=(3, Choice("not_recurrent", nested("Dense", units=2))),
        ),
        parameter(
            "merge_mode",
            "concat",
            valid=("concat", "sum", "ave"),
            boundary=("mul", None),
            invalid=("subtract", 1),
        ),
        parameter(
            "backward_layer",
            None,
            valid=(None,),
            boundary=(Choice("given", make=_other_direction),),
            invalid=(Choice("same_direction", make=lambda context: context.params["layer"]),),
        ),
    ),
    weights=("kernel", "recurrent_kernel", "bias"),
    training=True,
)

# ---------------------------------------------------- time steps, spectral norm


def _inner(layer: Any, shape: Shape) -> Shape:
    """The output shape of a nested layer, by its own spec."""
    (output,) = _registry.specs()[layer["$op"]].output_shapes(layer["params"], (shape,))
    return output


def _step_layer(
    name: str, rank: int = 0, masked: bool = False, **params: Any
) -> Callable[[Context], Any]:
    """A nested layer for every step; of a ``rank`` if it needs one.

    Only a ``masked`` one is drawn with a mask of steps: others would take it for their own.
    """

    def make(context: Context) -> Any:
        if rank and len(context.shapes[0]) - 1 != rank:
            raise Invalid(f"needs steps of rank {rank}")
        if not masked and context.shape_of(_MASK) is not None:
            raise Invalid("has a mask of its own")
        return nested(name, **params)

    return make


def _time_distributed(params: Params, shapes: Shapes) -> Shapes:
    batch, time, *rest = shapes[0]
    inner = _inner(params["layer"], (batch, *rest))
    return ((batch, time, *inner[1:]),)


_TIME_DISTRIBUTED = OpSpec(
    name="keras.layers.TimeDistributed",
    rule=_time_distributed,
    tensors=(Tensor(ranks=(3, 4, 5)), MASK),
    companions=lambda draw, first: (first[:2],),
    parameters=(
        parameter(
            "layer",
            valid=(
                Choice("dense", make=_step_layer("Dense", masked=True, units=3)),
                Choice("normalization", make=_step_layer("LayerNormalization", masked=True)),
                Choice("flatten", make=_step_layer("Flatten", masked=True)),
                Choice("convolution", make=_step_layer("Conv1D", 3, filters=2, kernel_size=2)),
                Choice("convolution_2d", make=_step_layer("Conv2D", 4, filters=2, kernel_size=1)),
            ),
            boundary=(
                Choice("recurrent", make=_step_layer("SimpleRNN", 3, units=2)),
                Choice("pooling", make=_step_layer("MaxPooling1D", 3, padding="same")),
                Choice("batch_normalization", make=_step_layer("BatchNormalization")),
            ),
            invalid=(3, "Dense"),
        ),
    ),
    weights=("kernel", "bias"),
)


def _spectral_layer(rank: int, name: str, **params: Any) -> Callable[[Context], Any]:
    def make(context: Context) -> Any:
        if rank and len(context.shapes[0]) != rank:
            raise Invalid(f"needs rank {rank}")
        return nested(name, **params)

    return make


_SPECTRAL = OpSpec(
    name="keras.layers.SpectralNormalization",
    rule=lambda params, shapes: (_inner(params["layer"], shapes[0]),),
    parameters=(
        parameter(
            "layer",
            valid=(
                Choice("dense", make=_spectral_layer(0, "Dense", units=3)),
                Choice("convolution", make=_spectral_layer(3, "Conv1D", filters=2, kernel_size=2)),
                Choice("2d", make=_spectral_layer(4, "Conv2D", filters=3, kernel_size=1)),
            ),
            invalid=(3, Choice("no_kernel", nested("ReLU"))),
        ),
        parameter("power_iterations", 1, valid=(1, 2), boundary=(5,), invalid=(0, -1)),
    ),
    weights=("kernel", "vector_u", "bias"),
    # Training assigns the kernel inside the call: what the gradient then means is not documented.
    differentiable=False,
    training=True,
)

SPECS = (
    _BIDIRECTIONAL,
    _TIME_DISTRIBUTED,
    _SPECTRAL,
)
