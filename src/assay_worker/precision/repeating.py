"""Growth of the error over executions: an op on its own result, again and again."""

import numpy as np

from assay_worker.precision.measuring import errors


class Stopped(Exception):
    """The result cannot be the next input; the message says why."""


def grown(run, true, inputs, count, name, stored):
    """Errors after 1 to ``count`` executions, held against as many of the reference.

    ``run`` and ``true`` take inputs by name, of shape (inputs, *shape), and give a list of outputs
    of shape (inputs, elements). The result takes the place of the input ``name``; all others stay.
    ``stored()`` is the format of the result, known after the first run.
    """
    shape = inputs[name].shape
    ours, truths = dict(inputs), dict(inputs)
    told = []
    for _ in range(count):
        ours[name] = _next(run(ours), shape)
        truths[name] = _next(true(truths), shape)
        rows = (len(inputs[name]), -1)
        found = errors(ours[name].reshape(rows), truths[name].reshape(rows), stored())
        known = np.isfinite(truths[name].reshape(rows)) & ~found.special & ~found.flushed
        some = known.any()
        told.append(
            {
                "max_abs": float(found.absolute.max()),
                "mean_abs": float(found.absolute[known].mean()) if some else 0.0,
                "max_ulp": float(found.units.max()),
                "measured": int(known.sum()),
            }
        )
    return told


def _next(outputs, shape):
    if len(outputs) != 1:
        raise Stopped("gives %d results" % len(outputs))
    if outputs[0].size != int(np.prod(shape)):
        raise Stopped("gives another shape than it takes")
    return outputs[0].reshape(shape)
