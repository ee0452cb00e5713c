"""Recurrent layers: cells, the loop over time, and the layers made of them."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.layers.convolution import convolve
from assay_worker.reference.registry import Operation, Unsupported, Weight, reference

_DEFAULTS = {
    "activation": "tanh",
    "recurrent_activation": "sigmoid",
    "use_bias": True,
    "reset_after": True,
}
#: Gates, and states, of a cell by its kind.
_GATES = {"SimpleRNN": 1, "GRU": 3, "LSTM": 4}
_STATES = {"SimpleRNN": 1, "GRU": 1, "LSTM": 2}


class _Cell(object):
    """One step of a recurrent layer; ``prefix`` tells the weights of stacked cells apart."""

    def __init__(self, kind, params, prefix=""):
        self.kind, self.prefix = kind, prefix
        self.params = dict(_DEFAULTS, **params)
        self.units = self.params["units"]
        if not isinstance(self.units, int) or self.units < 1:
            raise ValueError("expected units to be a positive integer; received %r" % (self.units,))
        self.state_shapes = ((self.units,),) * _STATES[kind]

    def weights(self, depth):
        """The weights for inputs of that many features."""
        width = self.units * _GATES[self.kind]
        shapes = [("kernel", (depth, width)), ("recurrent_kernel", (self.units, width))]
        if self.params["use_bias"]:
            twice = self.kind == "GRU" and self.params["reset_after"]
            shapes.append(("bias", (2, width) if twice else (width,)))
        return [Weight(self.prefix + name, shape) for name, shape in shapes]

    def step(self, call, x, states):
        """The new states; the first is the output."""
        kernel = call.weights[self.prefix + "kernel"]
        recurrent = call.weights[self.prefix + "recurrent_kernel"]
        bias = call.weights.get(self.prefix + "bias", np.zeros(kernel.shape[1]))
        step = {"SimpleRNN": self._simple, "GRU": self._gru, "LSTM": self._lstm}[self.kind]
        return step(call, x, states, kernel, recurrent, bias)

    def _simple(self, call, x, states, kernel, recurrent, bias):
        return [call.activate(self.params["activation"], x @ kernel + states[0] @ recurrent + bias)]

    def _lstm(self, call, x, states, kernel, recurrent, bias):
        hidden, carry = states
        return lstm_step(call, self.params, x @ kernel + hidden @ recurrent + bias, carry)

    def _gru(self, call, x, states, kernel, recurrent, bias):
        (hidden,) = states
        units = self.units
        after = self.params["reset_after"]
        own = bias[0] if bias.ndim == 2 else bias
        theirs = bias[1] if bias.ndim == 2 else np.zeros(recurrent.shape[1])
        from_input = x @ kernel + own
        from_state = hidden @ recurrent + theirs
        gates = call.activate(
            self.params["recurrent_activation"],
            from_input[:, : 2 * units] + from_state[:, : 2 * units],
        )
        update, reset = gates[:, :units], gates[:, units:]
        if after:
            remembered = reset * from_state[:, 2 * units :]
        else:
            remembered = (reset * hidden) @ recurrent[:, 2 * units :]
        new = call.activate(self.params["activation"], from_input[:, 2 * units :] + remembered)
        return [update * hidden + (1 - update) * new]


def lstm_step(call, params, gates, carry):
    """Hidden state and carry from the sums of input, forget, cell and output gate."""
    parts = np.split(gates, 4, axis=-1)
    gate = [call.activate(params["recurrent_activation"], part) for part in parts]
    carry = gate[1] * carry + gate[0] * call.activate(params["activation"], parts[2])
    return [gate[3] * call.activate(params["activation"], carry), carry]


class _Stack(object):
    """Cells one upon the other as a single cell."""

    def __init__(self, cells):
        self.cells = cells
        self.state_shapes = tuple(shape for cell in cells for shape in cell.state_shapes)

    def weights(self, depth):
        found = []
        for cell in self.cells:
            found += cell.weights(depth)
            depth = cell.units
        return found

    def step(self, call, x, states):
        """The states of all cells; the output is the first state of the last cell."""
        new, start = [], 0
        for cell in self.cells:
            end = start + len(cell.state_shapes)
            mine = cell.step(call, x, states[start:end])
            x, start = mine[0], end
            new += mine
        return new

    def output(self, states):
        return states[-len(self.cells[-1].state_shapes)]


def _first(states):
    return states[0]


def _reached(keep, new, old):
    return np.where(keep.reshape(keep.shape + (1,) * (new.ndim - 1)), new, old)


def over_time(step, output, x, states, mask, backwards, zero_masked):
    """The sequence of outputs, the last one, and the last states.

    A masked step repeats the output before it (zeros if there is none) and
    leaves the states as they are.
    """
    order = range(x.shape[1])
    last, outputs = None, []
    for time in reversed(order) if backwards else order:
        new = step(x[:, time], states)
        current = output(new)
        if mask is None:
            states, last = new, current
            outputs.append(current)
            continue
        keep = mask[:, time] != 0
        states = [_reached(keep, one, other) for one, other in zip(new, states)]
        zeros = np.zeros_like(current)
        last = _reached(keep, current, zeros if last is None else last)
        outputs.append(_reached(keep, current, zeros) if zero_masked else last)
    return np.stack(outputs, axis=1), last, states


def _need_no_dropout(dropout, recurrent_dropout):
    if dropout or recurrent_dropout:
        raise Unsupported("the reference does not know what dropout draws")


def _states_of(call, shapes, batch, stateful, initial_state):
    if initial_state is not None:
        states = initial_state if isinstance(initial_state, list) else [initial_state]
        if len(states) != len(shapes):
            raise ValueError("expected %d initial states; received %d" % (len(shapes), len(states)))
        return states
    if stateful:
        return [call.weights["state%d" % i] for i in range(len(shapes))]
    return [np.zeros((batch,) + shape) for shape in shapes]


def state_weights(shapes, batch, stateful):
    """What a stateful layer remembers; assigned like weights."""
    if not stateful:
        return []
    return [Weight("state%d" % i, (batch,) + shape, False) for i, shape in enumerate(shapes)]


def _run(call, step, output, shapes, x, settings):
    """A recurrent layer's result."""
    states = _states_of(call, shapes, x.shape[0], settings["stateful"], settings["initial_state"])
    sequence, last, states = over_time(
        step,
        output,
        x,
        states,
        settings["mask"],
        settings["go_backwards"],
        settings["zero_output_for_mask"] and settings["return_sequences"],
    )
    if settings["stateful"]:
        call.state.update(("state%d" % i, state) for i, state in enumerate(states))
    result = sequence if settings["return_sequences"] else last
    return (result,) + tuple(states) if settings["return_state"] else result


_SETTINGS = {
    "return_sequences": False,
    "return_state": False,
    "go_backwards": False,
    "stateful": False,
    "unroll": False,
    "zero_output_for_mask": False,
    "initial_state": None,
    "mask": None,
}


def _layer_weights(x, units, kind, stateful, **others):
    arrays.need_rank(x, 3, kind)
    names = [name for name in _DEFAULTS if name in others]
    cell = _Cell(kind, dict({name: others[name] for name in names}, units=units))
    return cell.weights(x.shape[-1]) + state_weights(cell.state_shapes, x.shape[0], stateful)


@reference("keras.layers.SimpleRNN", weights=_layer_weights, kind="SimpleRNN")
def simple_rnn(
    call,
    x,
    units,
    activation="tanh",
    use_bias=True,
    dropout=0.0,
    recurrent_dropout=0.0,
    return_sequences=False,
    return_state=False,
    go_backwards=False,
    stateful=False,
    unroll=False,
    zero_output_for_mask=False,
    initial_state=None,
    mask=None,
    kind="SimpleRNN",
):
    """activation(x · kernel + h · recurrent_kernel + bias)."""
    return _whole_layer(call, kind, locals())


@reference("keras.layers.LSTM", weights=_layer_weights, kind="LSTM")
def lstm(
    call,
    x,
    units,
    activation="tanh",
    recurrent_activation="sigmoid",
    use_bias=True,
    unit_forget_bias=True,
    dropout=0.0,
    recurrent_dropout=0.0,
    return_sequences=False,
    return_state=False,
    go_backwards=False,
    stateful=False,
    unroll=False,
    use_cudnn="auto",
    zero_output_for_mask=False,
    initial_state=None,
    mask=None,
    kind="LSTM",
):
    """Long short-term memory; gates in the order input, forget, cell, output."""
    return _whole_layer(call, kind, locals())


@reference("keras.layers.GRU", weights=_layer_weights, kind="GRU")
def gru(
    call,
    x,
    units,
    activation="tanh",
    recurrent_activation="sigmoid",
    use_bias=True,
    dropout=0.0,
    recurrent_dropout=0.0,
    return_sequences=False,
    return_state=False,
    go_backwards=False,
    stateful=False,
    unroll=False,
    reset_after=True,
    use_cudnn="auto",
    zero_output_for_mask=False,
    initial_state=None,
    mask=None,
    kind="GRU",
):
    """Gated recurrent unit; gates in the order update, reset, new."""
    return _whole_layer(call, kind, locals())


def _whole_layer(call, kind, given):
    _need_no_dropout(given["dropout"], given["recurrent_dropout"])
    cell = _Cell(
        kind, {name: given[name] for name in ("units",) + tuple(_DEFAULTS) if name in given}
    )
    settings = {name: given[name] for name in _SETTINGS}

    def step(x, states):
        return cell.step(call, x, states)

    return _run(call, step, _first, cell.state_shapes, given["x"], settings)


# ------------------------------------------------------------------ single cells


def _cell_weights(x, units, kind, **others):
    params = {name: others[name] for name in _DEFAULTS if name in others}
    return _Cell(kind, dict(params, units=units)).weights(x.shape[-1])


def _one_step(call, kind, given):
    _need_no_dropout(given["dropout"], given["recurrent_dropout"])
    params = {name: given[name] for name in ("units",) + tuple(_DEFAULTS) if name in given}
    states = given["states"]
    new = _Cell(kind, params).step(
        call, given["x"], states if isinstance(states, list) else [states]
    )
    return (new[0],) + tuple(new)


@reference("keras.layers.SimpleRNNCell", weights=_cell_weights, kind="SimpleRNN")
def simple_rnn_cell(
    call,
    x,
    states,
    units,
    activation="tanh",
    use_bias=True,
    dropout=0.0,
    recurrent_dropout=0.0,
    kind="SimpleRNN",
):
    """One step: the output and the new state."""
    return _one_step(call, kind, locals())


@reference("keras.layers.LSTMCell", weights=_cell_weights, kind="LSTM")
@reference("keras.layers.GRUCell", weights=_cell_weights, kind="GRU")
def gated_cell(
    call,
    x,
    states,
    units,
    activation="tanh",
    recurrent_activation="sigmoid",
    use_bias=True,
    unit_forget_bias=True,
    dropout=0.0,
    recurrent_dropout=0.0,
    reset_after=True,
    kind="LSTM",
):
    """One step: the output and the new states."""
    return _one_step(call, kind, locals())


@reference("keras.layers.StackedRNNCells")
def stacked_cells(x, states, cells):
    """Known inside of RNN, which has the states in order."""
    raise Unsupported("the reference knows stacked cells as the cell of keras.layers.RNN only")


def _cell_of(cell):
    if isinstance(cell, Operation) and cell.op == "keras.layers.StackedRNNCells":
        cell = cell.params["cells"]
    cells = cell if isinstance(cell, tuple) else (cell,)
    made = []
    for place, item in enumerate(cells):
        kind = item.op.rpartition(".")[2].replace("Cell", "") if isinstance(item, Operation) else ""
        if kind not in _GATES:
            raise ValueError("expected a recurrent cell; received %r" % (item,))
        unknown = set(item.params) - set(_DEFAULTS) - {"units"}
        if unknown:
            raise Unsupported("reference does not know %s of %s" % (sorted(unknown), item.op))
        made.append(_Cell(kind, item.params, "%d/" % place))
    return _Stack(made)


def _rnn_weights(x, cell, stateful, **others):
    arrays.need_rank(x, 3, "RNN")
    stack = _cell_of(cell)
    return stack.weights(x.shape[-1]) + state_weights(stack.state_shapes, x.shape[0], stateful)


@reference("keras.layers.RNN", weights=_rnn_weights)
def rnn(
    call,
    x,
    cell,
    return_sequences=False,
    return_state=False,
    go_backwards=False,
    stateful=False,
    unroll=False,
    zero_output_for_mask=False,
    initial_state=None,
    mask=None,
):
    """A cell, or a stack of cells, over time."""
    given = locals()
    stack = _cell_of(cell)

    def step(x, states):
        return stack.step(call, x, states)

    settings = {name: given[name] for name in _SETTINGS}
    return _run(call, step, stack.output, stack.state_shapes, x, settings)


# ------------------------------------------------------------ convolutional LSTM


def _frame_steps(strides, dilation_rate, rank):
    strides = arrays.integers(strides, rank, "strides")
    return strides, arrays.integers(dilation_rate, rank, "dilation_rate")


def _conv_lstm_weights(
    x,
    filters,
    kernel_size,
    strides,
    padding,
    dilation_rate,
    data_format,
    use_bias,
    stateful,
    rank,
    **others,
):
    arrays.need_rank(x, rank + 3)
    if not isinstance(filters, int) or filters < 1:
        raise ValueError("expected filters to be a positive integer; received %r" % (filters,))
    frame = arrays.to_channels_last(x[:, 0], data_format)
    sizes = arrays.integers(kernel_size, rank, "kernel_size")
    strides, dilations = _frame_steps(strides, dilation_rate, rank)
    weights = [
        Weight("kernel", sizes + (frame.shape[-1], 4 * filters)),
        Weight("recurrent_kernel", sizes + (filters, 4 * filters)),
    ]
    if use_bias:
        weights.append(Weight("bias", (4 * filters,)))
    kernel = np.zeros(sizes + (frame.shape[-1], filters))
    empty = convolve(np.zeros(frame.shape), kernel, strides, padding, dilations)
    shape = arrays.from_channels_last(empty, data_format).shape[1:]
    return weights + state_weights((shape, shape), x.shape[0], stateful)


def _conv_lstm(
    call,
    x,
    filters,
    kernel_size,
    strides=1,
    padding="valid",
    data_format=None,
    dilation_rate=1,
    activation="tanh",
    recurrent_activation="sigmoid",
    use_bias=True,
    unit_forget_bias=True,
    dropout=0.0,
    recurrent_dropout=0.0,
    return_sequences=False,
    return_state=False,
    go_backwards=False,
    stateful=False,
    unroll=False,
    zero_output_for_mask=False,
    initial_state=None,
    mask=None,
    rank=2,
):
    """An LSTM whose products are convolutions; those of the state keep its size."""
    given = locals()
    _need_no_dropout(dropout, recurrent_dropout)
    strides, dilations = _frame_steps(strides, dilation_rate, rank)
    if max(strides) > 1 and max(dilations) > 1:
        raise ValueError("strides > 1 is incompatible with dilation_rate > 1")
    kernel, recurrent = call.weights["kernel"], call.weights["recurrent_kernel"]
    bias = call.weights.get("bias", 0.0)
    ones = (1,) * rank

    def step(frame, states):
        hidden, carry = [arrays.to_channels_last(state, data_format) for state in states]
        frame = arrays.to_channels_last(frame, data_format)
        gates = convolve(frame, kernel, strides, padding, dilations) + bias
        gates = gates + convolve(hidden, recurrent, ones, "same", ones)
        new = lstm_step(call, given, gates, carry)
        return [arrays.from_channels_last(state, data_format) for state in new]

    frame = arrays.to_channels_last(x[:, 0], data_format)
    first = convolve(frame, kernel[..., :filters], strides, padding, dilations)
    shape = arrays.from_channels_last(first, data_format).shape[1:]
    settings = {name: given[name] for name in _SETTINGS}
    return _run(call, step, _first, (shape, shape), x, settings)


for _rank in (1, 2, 3):
    reference("keras.layers.ConvLSTM%dD" % _rank, weights=_conv_lstm_weights, rank=_rank)(
        _conv_lstm
    )
