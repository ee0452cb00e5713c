"""A model on many inputs, or with many weights, in one request: what a search has to know of each.

Of every individual go back the numbers of one tensor, and the first node that gives NaN. Inputs
are run side by side along the first axis, where that means the same as one run each, which the
first two of them tell; weights are assigned for each by itself.
"""

import json
import time

import numpy as np

from assay_worker.libraries._base import Question, StageFailure, describe_failure

#: Programs that are kept, the newest.
_KEPT = 4
#: How near the numbers of the first two must be to those that they have alone, of the largest.
_CLOSE = 1e-3


class Individual(Question):
    """A case whose weights may be replaced, by node and index."""

    def __init__(self, case):
        Question.__init__(self, case)
        self.replaced = {}

    def weight(self, node, index, name, shape, dtype):
        """See ``Question``."""
        given = self.replaced.get((node, index))
        if given is not None:
            return given
        return Question.weight(self, node, index, name, shape, dtype)


class Watched(dict):
    """What a run records: the wanted tensor is kept, and of all others whether they have NaN.

    ``rows`` are the individuals that are run at once.
    """

    def __init__(self, wanted, rows):
        super(Watched, self).__init__()
        self.wanted = "output:" + wanted
        self.rows = rows
        self.first = [""] * rows
        self.mixed = False

    def __setitem__(self, name, array):
        if not name.startswith("output:"):
            return
        array = np.asarray(array)
        if array.ndim == 0 or array.shape[0] % self.rows:
            self.mixed = True
            return
        flat = array.reshape(self.rows, -1)
        if name == self.wanted:
            super(Watched, self).__setitem__(name, flat)
        if array.dtype.kind not in "fc" or not np.isnan(flat).any():
            return
        for row in np.flatnonzero(np.isnan(flat).any(axis=1)):
            self.first[row] = self.first[row] or name[len("output:") :]

    def update(self, other):
        """See ``dict``."""
        for name in other:
            self[name] = other[name]


class Runner(object):
    """A case at work for one individual after another, or many at once."""

    def __init__(self, adapter, case, wanted):
        self.adapter = adapter
        self.question = Individual(case)
        self.inputs = self.question.inputs(case["inputs"])
        self.wanted = wanted
        self.programs = {}
        self.together = None

    def run(self, inputs, weights, rows):
        """The record of a run; ``StageFailure`` if the library raises."""
        self.question.replaced = weights
        record = Watched(self.wanted, rows)
        # Layers that were built for one shape may refuse another.
        key = tuple((name, inputs[name].shape) for name in sorted(inputs))
        if key not in self.programs:
            self.programs[key] = self.adapter.program(self.question)
        self.programs[key](dict(self.inputs, **inputs), record)
        return record

    def weights(self):
        """Every weight of the case by node, in the library's order; which are no less than 0."""
        self.question.replaced = {}
        program = self.adapter.program(self.question)
        program(self.inputs, {})
        found, positive = {}, []
        for step in program.steps:
            if not step.weights:
                continue
            found[step.id] = [np.array(self.adapter.engine.numpy(w.value)) for w in step.weights]
            names = [getattr(weight, "path", weight.name) for weight in step.weights]
            positive += [[step.id, place] for place, name in enumerate(names) if _of_spread(name)]
        return found, positive

    def alone(self, inputs, weights, row):
        """The record of one individual."""
        own = {name: inputs[name][row] for name in inputs}
        return self.run(own, {key: weights[key][row] for key in weights}, 1)

    def all(self, inputs, weights, count):
        """Records of all individuals: a list of (rows, record or the failure of it)."""
        if not weights and count > 1 and self.together is not False:
            found = self._at_once(inputs, count)
            if found is not None:
                return [(range(count), found)]
        return [(range(row, row + 1), self._one(inputs, weights, row)) for row in range(count)]

    def _one(self, inputs, weights, row):
        try:
            return self.alone(inputs, weights, row)
        except StageFailure as failure:
            return failure

    def _at_once(self, inputs, count):
        """The record of all at once; None if they must be run one by one."""
        joined = {name: inputs[name].reshape((-1,) + inputs[name].shape[2:]) for name in inputs}
        try:
            found = self.run(joined, {}, count)
        except StageFailure:
            # If they ever went well together, one of these fails; else they cannot be joined.
            self.together = self.together or False
            return None
        if found.mixed or found.wanted not in found:
            self.together = False
            return None
        if self.together is None:
            self.together = self._means_the_same(inputs, found)
        return found if self.together else None

    def _means_the_same(self, inputs, found):
        for row in range(2):
            single = self._one(inputs, {}, row)
            if isinstance(single, StageFailure) or single.wanted not in single:
                return False
            one, other = single[single.wanted][0], found[found.wanted][row]
            if one.shape != other.shape or single.first[0] != found.first[row]:
                return False
            with np.errstate(all="ignore"):
                apart = np.abs(one.astype("float64") - other) > _CLOSE * np.abs(one).max()
            if np.any(apart & np.isfinite(one)):
                return False
        return True


def answer(adapter, request):
    """``weights``: those of the case; ``run``: what each individual gave."""
    started = time.process_time()
    step = {"weights": _weights, "run": _run}[request["step"]]
    try:
        told = step(_runner(adapter, request), request)
    except StageFailure as failure:
        told = {"status": "error", "failure": describe_failure(failure)}
    return dict(told, cpu_seconds=time.process_time() - started)


def _weights(runner, request):
    found, positive = runner.weights()
    return {"status": "ok", "weights": found, "positive": positive}


def _of_spread(name):
    """Is the weight a variance or a standard deviation?"""
    return "variance" in name or "stddev" in name


def _run(runner, request):
    """Numbers of the wanted tensor, a row for each, those of failures NaN; what failed, and how."""
    count, inputs = request["count"], request["inputs"]
    weights = {(node, index): array for node, index, array in request["weights"]}
    outputs, first, failures = None, [""] * count, {}
    for rows, record in runner.all(inputs, weights, count):
        if isinstance(record, StageFailure):
            failures.update((str(row), describe_failure(record)) for row in rows)
            continue
        for place, row in enumerate(rows):
            first[row] = record.first[place]
            if record.wanted not in record:
                continue
            given = record[record.wanted][place]
            if outputs is None:
                outputs = np.full((count, given.size), np.nan, dtype="float64")
            outputs[row] = given
    if outputs is None:
        outputs = np.full((count, 0), np.nan)
    return {
        "status": "ok",
        "outputs": outputs,
        "nan": first,
        "failures": failures,
        "together": bool(runner.together),
    }


def _runner(adapter, request):
    """The runner of a case, made before or new."""
    kept = adapter.__dict__.setdefault("_individuals", {})
    key = json.dumps([request["case"], request["wanted"]], sort_keys=True, default=_told)
    if key not in kept:
        while len(kept) >= _KEPT:
            del kept[next(iter(kept))]
        kept[key] = Runner(adapter, request["case"], request["wanted"])
    return kept[key]


def _told(array):
    """An array among plain data."""
    return [array.dtype.name, array.shape, array.tobytes().hex()]
