"""Layers around layers: both directions, every time step, spectral norm."""

import numpy as np

from assay_worker.reference.registry import Operation, Undocumented, Unsupported, Weight, reference

_RECURRENT = ("keras.layers.SimpleRNN", "keras.layers.LSTM", "keras.layers.GRU", "keras.layers.RNN")


def _need_layer(layer):
    if not isinstance(layer, Operation):
        raise ValueError("expected a layer; received %r" % (layer,))


def _prefixed(prefix, weights):
    return [Weight(prefix + item.name, item.shape, item.trainable) for item in weights]


def _without(prefix, arrays_by_name):
    """What belongs to one of the layers inside, under its own names."""
    size = len(prefix)
    return {name[size:]: v for name, v in arrays_by_name.items() if name.startswith(prefix)}


# ------------------------------------------------------------------ bidirectional


def _directions(layer, backward_layer):
    """The layers of both directions."""
    _need_layer(layer)
    if layer.op not in _RECURRENT:
        raise Unsupported("the reference knows both directions of recurrent layers only")
    if layer.params.get("go_backwards"):
        raise Undocumented("what both directions of a backwards layer mean is not documented")
    # Documented: masked steps are zero, whatever the layer says.
    more = {"zero_output_for_mask": True} if layer.params.get("return_sequences") else {}
    forward = Operation(layer.op, dict(layer.params, **more))
    if backward_layer is None:
        return forward, Operation(layer.op, dict(forward.params, go_backwards=True))
    _need_layer(backward_layer)
    if not backward_layer.params.get("go_backwards"):
        raise ValueError("expected a backward layer that goes backwards")
    return forward, Operation(backward_layer.op, dict(backward_layer.params, **more))


def _bidirectional_weights(x, layer, backward_layer, **others):
    forward, backward = _directions(layer, backward_layer)
    found = _prefixed("forward/", forward.weights((x,), {}))
    found += _prefixed("backward/", backward.weights((x,), {}))
    return sorted(found, key=lambda item: not item.trainable)


_MERGES = {
    "sum": np.add,
    "mul": np.multiply,
    "ave": lambda one, other: (one + other) / 2,
    "concat": lambda one, other: np.concatenate([one, other], axis=-1),
}


@reference("keras.layers.Bidirectional", weights=_bidirectional_weights)
def bidirectional(
    call, x, layer, merge_mode="concat", backward_layer=None, mask=None, initial_state=None
):
    """The layer over time in both directions, merged step by step."""
    if merge_mode is not None and merge_mode not in _MERGES:
        raise ValueError("unknown merge_mode %r" % (merge_mode,))
    both = zip(("forward/", "backward/"), _directions(layer, backward_layer))
    outputs, states = [], []
    for place, (prefix, inner) in enumerate(both):
        keywords = {} if mask is None else {"mask": mask}
        if initial_state is not None:
            half = len(initial_state) // 2
            keywords["initial_state"] = initial_state[place * half : (place + 1) * half]
        result, state = inner.run((x,), keywords, _without(prefix, call.weights), call.training)
        call.state.update((prefix + name, value) for name, value in state.items())
        result = list(result) if isinstance(result, tuple) else [result]
        flip = place == 1 and layer.params.get("return_sequences")
        outputs.append(result[0][:, ::-1] if flip else result[0])
        states += result[1:]
    merged = outputs if merge_mode is None else [_MERGES[merge_mode](*outputs)]
    results = tuple(merged + states)
    return results if len(results) > 1 else results[0]


# ---------------------------------------------------------------- time distributed


def _every_step_weights(x, layer, **others):
    _need_layer(layer)
    return layer.weights((x[:, 0],), {})


@reference("keras.layers.TimeDistributed", weights=_every_step_weights)
def time_distributed(call, x, layer, mask=None):
    """The layer on every time step."""
    weights, outputs = dict(call.weights), []
    for time in range(x.shape[1]):
        result, state = layer.run((x[:, time],), {}, weights, call.training)
        weights.update(state)
        call.state.update(state)
        outputs.append(result)
    return np.stack(outputs, axis=1)


# ------------------------------------------------------------------ spectral norm


def _spectral_weights(x, layer, **others):
    _need_layer(layer)
    kernel, *rest = layer.weights((x,), {}) or [None]
    if kernel is None or kernel.name != "kernel":
        raise ValueError("expected a layer with a kernel; received %s" % layer.op)
    return [kernel, Weight("vector_u", (1, kernel.shape[-1]), False)] + rest


def _unit(vector):
    return vector / np.sqrt(np.sum(vector * vector))


@reference("keras.layers.SpectralNormalization", weights=_spectral_weights)
def spectral_normalization(call, x, layer, power_iterations=1):
    """Training divides the kernel by an estimate of its largest singular value."""
    if not isinstance(power_iterations, int) or power_iterations < 1:
        raise ValueError("expected power_iterations >= 1; received %r" % (power_iterations,))
    weights = dict(call.weights)
    u = weights.pop("vector_u")
    if call.training:
        matrix = weights["kernel"].reshape(-1, weights["kernel"].shape[-1])
        for _ in range(power_iterations):
            v = _unit(u @ matrix.T)
            u = _unit(v @ matrix)
        weights["kernel"] = weights["kernel"] / (v @ matrix @ u.T)
        call.state["vector_u"] = u
    result, _ = layer.run((x,), {}, weights, call.training)
    return result
