"""Recurrent layers and their cells."""

from typing import Any

from assay.ops._base import (
    Choice,
    Companions,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.keras._common import MASK, count, flag, nested
from assay.ops.windows import (
    asymmetric,
    channels,
    data_format,
    padding,
    spatial,
    spread,
    window_lengths,
    with_spatial,
)

#: States of a recurrent layer by the name of the layer or cell.
STATES = {"SimpleRNN": 1, "GRU": 1, "LSTM": 2}
_MASK, FIRST_STATE = 1, 2  # slots of the tensors after the sequence
_STATE_DOMAIN = Domain(-1.0, 1.0)
_FLOATS = ("float32", "float16")


def _gate(name: str, default: str) -> Parameter:
    return parameter(
        name,
        default,
        valid=("tanh", "sigmoid", None),
        boundary=("relu", "hard_sigmoid", "softsign"),
        invalid=("no_such_activation",),
    )


def _units(units: int) -> Choice:
    """So many units, if the initial state has as many."""

    def make(context: Context) -> int:
        state = context.shape_of(FIRST_STATE)
        if state is not None and state[-1] != units:
            raise Invalid(f"the initial state has {state[-1]} units")
        return units

    return Choice(str(units), make=make)


UNITS = parameter(
    "units",
    valid=(_units(2), _units(3), _units(4)),
    boundary=(_units(1),),
    invalid=(0, -1, "three", 2.5),
)
_REMEMBERING = parameter("stateful", False, valid=(False,), boundary=(True,))
_SEQUENCE = (
    flag("return_sequences", False),
    flag("return_state", False),
    parameter("go_backwards", False, valid=(False, True)),
    _REMEMBERING,
)
_UNROLL = parameter("unroll", False, valid=(False,), boundary=(True,))


def mask_and_states(states: int) -> Companions:
    """A mask of the steps, and so many initial states."""

    def companions(draw: Draw, first: Shape) -> Shapes:
        state = (first[0], draw.between(1, 4))
        return (first[:2], *(state,) * states)

    return companions


def sequence_tensors(rank: int, states: int) -> tuple[Tensor, ...]:
    """A sequence, its mask, and so many initial states."""
    state = Tensor(ranks=(2,), domain=_STATE_DOMAIN, keyword="initial_state", optional=True)
    return (Tensor(ranks=(rank,), dtypes=_FLOATS), MASK, *(state,) * states)


def sequence_outputs(params: Params, first: Shape, last: Shape, states: Shapes) -> Shapes:
    """The last output or all of them, and the states if they are asked for."""
    output = (first[0], first[1], *last[1:]) if params["return_sequences"] else last
    return (output, *states) if params["return_state"] else (output,)


def _layer(name: str, more: tuple[Parameter, ...]) -> OpSpec:
    states = STATES[name]

    def rule(params: Params, shapes: Shapes) -> Shapes:
        last = (shapes[0][0], params["units"])
        return sequence_outputs(params, shapes[0], last, (last,) * states)

    return OpSpec(
        name=f"keras.layers.{name}",
        rule=rule,
        tensors=sequence_tensors(3, states),
        companions=mask_and_states(states),
        parameters=(UNITS, _gate("activation", "tanh"), *more, *_SEQUENCE, _UNROLL),
        weights=("kernel", "recurrent_kernel", "bias"),
        training=True,
    )


def _cell(name: str, more: tuple[Parameter, ...]) -> OpSpec:
    states = STATES[name]

    def companions(draw: Draw, first: Shape) -> Shapes:
        return ((first[0], draw.between(1, 4)),) * states

    def as_state(context: Context) -> int:
        return context.shapes[1][-1]

    def rule(params: Params, shapes: Shapes) -> Shapes:
        if params["units"] != shapes[1][-1]:
            raise Invalid("the state has another size")
        return ((shapes[0][0], params["units"]),) * (1 + states)

    state = Tensor(ranks=(2,), domain=_STATE_DOMAIN, keyword="states")
    return OpSpec(
        name=f"keras.layers.{name}Cell",
        rule=rule,
        tensors=(Tensor(ranks=(2,), dtypes=_FLOATS), *(state,) * states),
        companions=companions,
        parameters=(
            parameter("units", valid=(Choice("as_state", make=as_state),), invalid=(0, -1, "two")),
            _gate("activation", "tanh"),
            *more,
        ),
        weights=("kernel", "recurrent_kernel", "bias"),
    )


_RECURRENT_ACTIVATION = _gate("recurrent_activation", "sigmoid")
_BIAS = flag("use_bias", True)
_OF_LSTM = (_RECURRENT_ACTIVATION, _BIAS)
_OF_GRU = (_RECURRENT_ACTIVATION, _BIAS, flag("reset_after", True))

# ------------------------------------------------------------------ RNN of cells


def _cell_choice(label: str, *cells: str, **more: Any) -> Choice:
    def make(context: Context) -> Any:
        made = [nested(f"{name}Cell", units=context.draw.between(1, 3), **more) for name in cells]
        state = context.shape_of(FIRST_STATE)
        if state is not None:
            if sum(STATES[name] for name in cells) != 1:
                raise Invalid("one initial state")
            made[0]["params"]["units"] = state[-1]
        if label == "stacked":
            return nested("StackedRNNCells", cells=made)
        return made if len(cells) > 1 else made[0]

    return Choice(label, make=make)


def _cells(cell: Any) -> list[Any]:
    """The cells of a cell parameter, one or a stack."""
    if not isinstance(cell, (list, tuple)):
        cell = cell["params"].get("cells", [cell])
    return list(cell)


def _rnn(params: Params, shapes: Shapes) -> Shapes:
    states: list[Shape] = []
    for cell in _cells(params["cell"]):
        name = cell["$op"].rpartition(".")[2].removesuffix("Cell")
        states += [(shapes[0][0], cell["params"]["units"])] * STATES[name]
    last = (shapes[0][0], _cells(params["cell"])[-1]["params"]["units"])
    return sequence_outputs(params, shapes[0], last, tuple(states))


_RNN = OpSpec(
    name="keras.layers.RNN",
    rule=_rnn,
    tensors=sequence_tensors(3, 1),
    companions=mask_and_states(1),
    parameters=(
        parameter(
            "cell",
            valid=(
                _cell_choice("simple", "SimpleRNN"),
                _cell_choice("lstm", "LSTM"),
                _cell_choice("gru", "GRU"),
            ),
            boundary=(
                _cell_choice("gru_reset_before", "GRU", reset_after=False),
                _cell_choice("list", "GRU", "SimpleRNN"),
                _cell_choice("stacked", "LSTM", "GRU"),
            ),
            invalid=(3, Choice("not_a_cell", nested("Dense", units=2))),
        ),
        *_SEQUENCE,
        _UNROLL,
        parameter("zero_output_for_mask", False, valid=(False,), boundary=(True,)),
    ),
    weights=("kernel", "recurrent_kernel", "bias"),
    training=True,
)

# ------------------------------------------------------------ convolutional LSTM


def _conv_lstm_rule(params: Params, shapes: Shapes) -> Shapes:
    frame = (shapes[0][0], *shapes[0][2:])
    lengths = spatial(params, frame)
    if channels(params, frame) < 1:
        raise Invalid("no channels")
    steps = spread(params["strides"], len(lengths))
    gaps = spread(params["dilation_rate"], len(lengths))
    if max(steps) > 1 and max(gaps) > 1:
        raise Invalid("layers document that strides > 1 exclude dilation > 1")
    sizes = spread(params["kernel_size"], len(lengths))
    lengths = window_lengths(lengths, sizes, steps, params["padding"], gaps)
    last = with_spatial(params, frame, lengths, params["filters"])
    return sequence_outputs(params, shapes[0], last, (last, last))


def _conv_lstm(rank: int) -> OpSpec:
    different = asymmetric(rank) and (Choice("asymmetric", (2, 1, 3)[:rank]),)
    return OpSpec(
        name=f"keras.layers.ConvLSTM{rank}D",
        rule=_conv_lstm_rule,
        tensors=(Tensor(ranks=(rank + 3,)), MASK),
        companions=lambda draw, first: (first[:2],),
        parameters=(
            count("filters"),
            parameter(
                "kernel_size", valid=(1, 2), boundary=(3, *different), invalid=(0, -1, "three")
            ),
            padding(),
            parameter("strides", 1, valid=(1,), boundary=(2, *different), invalid=(0, -1)),
            parameter("dilation_rate", 1, valid=(1,), boundary=(2,), invalid=(0, -1)),
            data_format(),
            _gate("activation", "tanh"),
            _RECURRENT_ACTIVATION,
            _BIAS,
            *_SEQUENCE,
        ),
        weights=("kernel", "recurrent_kernel", "bias"),
        training=True,
    )


SPECS = (
    _layer("SimpleRNN", (_BIAS,)),
    _layer("LSTM", _OF_LSTM),
    _layer("GRU", _OF_GRU),
    _cell("SimpleRNN", (_BIAS,)),
    _cell("LSTM", _OF_LSTM),
    _cell("GRU", _OF_GRU),
    _RNN,
    *(_conv_lstm(rank) for rank in (1, 2, 3)),
)
