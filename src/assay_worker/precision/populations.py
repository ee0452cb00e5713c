"""Many inputs of one call in one: side by side along the first axis, behind each other, or singly.

Which of these means the same as one call each is found out by the reference, on three inputs of
ordinary numbers: an axis that sums over all, or a position that counts, shows there.
"""

import numpy as np

#: In the order in which they are tried: along the first axis; along one more in front.
TOGETHER = ("rows", "stack")
SINGLY = "singly"
_TRIED = 3
_CLOSE = 1e-9


def ordinary(shapes, count=_TRIED):
    """Numbers between 0.1 and 0.9, for tensors of these shapes, by name."""
    state = np.random.RandomState(count)
    return {
        name: 0.1 + 0.8 * state.random_sample((count,) + tuple(shapes[name]))
        for name in sorted(shapes)
    }


def way_of(run, shapes):
    """How many inputs can be run as one, by ``run(inputs) -> outputs`` of the reference."""
    inputs = ordinary(shapes)
    apart = run_many(run, inputs, SINGLY)
    return next((way for way in TOGETHER if _agrees(run, inputs, way, apart)), SINGLY)


def _agrees(run, inputs, way, apart):
    """Does it give what single calls give? What it does not take says that this is no way."""
    try:
        found = run_many(run, inputs, way)
    except Exception:
        return False
    pairs = zip(found, apart)
    return len(found) == len(apart) and all(_alike(one, other) for one, other in pairs)


def _alike(one, other):
    return one.shape == other.shape and np.allclose(one, other, _CLOSE, 0.0, equal_nan=True)


def run_many(run, inputs, way):
    """The outputs of every input: arrays of shape (inputs, elements), in the order of outputs.

    ``run`` takes arrays by name and gives a list of arrays.
    """
    count = len(next(iter(inputs.values())))
    if way == SINGLY:
        rows = [run({name: inputs[name][row] for name in inputs}) for row in range(count)]
        return [
            np.stack([np.reshape(outputs[place], -1) for outputs in rows])
            for place in range(len(rows[0]))
        ]
    if way == "rows":
        if any(array.ndim < 2 for array in inputs.values()):
            joined = {name: inputs[name] for name in inputs}
            if any(array.ndim != 1 for array in inputs.values()):
                raise ValueError("numbers and arrays have no axis in common")
        else:
            joined = {name: inputs[name].reshape((-1,) + inputs[name].shape[2:]) for name in inputs}
    else:
        joined = inputs
    found = []
    for output in run(joined):
        output = np.asarray(output)
        if output.ndim == 0 or output.size % count or output.shape[0] % count:
            raise ValueError("the outputs of many inputs are not side by side")
        found.append(output.reshape(count, -1))
    return found
