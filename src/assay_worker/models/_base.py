"""The contract of a model at work, and the requests that reach it.

A request ``{"do": "model", "action": …}`` is one of

``load``     ``path`` and ``format`` of a file, ``trust``, ``custom`` (registered names of what is
             not the library's own) -> what is inside; ``left_out`` are outputs that are no
             arrays of numbers: they are in no answer
``predict``  ``inputs`` (arrays in the model's order) -> ``outputs``
``nudged``   ``inputs`` of few instances, ``copies``, ``factor`` -> ``copies``: outputs with inputs
             and every layer's output moved by about ``factor`` units in the last place, after two
             copies that are not moved
``states``   ``inputs`` of few instances -> ``arrays``: every layer's output by tensor name
``seen``     ``inputs`` of few instances -> ``seen``: ``read`` (by layer: what it read while the
             model ran as a whole), ``gave`` (by tensor name: what layers gave) and ``outputs``;
             or nothing where the model does not let itself be watched
``alone``    ``arrays`` by tensor name, ``layers`` -> each of these layers alone on exactly
             these inputs: ``arrays`` by tensor name, ``failures`` by layer
``layer``    ``layer`` -> what it is: ``op``, ``params``, ``weights`` and ``listed`` (does it take
             a list of tensors?), or nothing where that cannot be said
``facts``    ``layers`` -> ``facts``: of each, its attributes as text, and its weights in a few
             numbers
``forget``   let the model go
``zoo``      ``name``, ``seed`` and ``path``: build that model and save it there

Without a loaded model the answer to all but ``load`` and ``zoo`` is ``lost``.

Every run begins with the state that the model was loaded with: of recurrent layers that carry
theirs on, two runs on the same input would differ.

A tensor is named as in traces: ``layer``, ``layer:1`` for further outputs; inputs of the
model by their own names.
"""

import gc
import time

import numpy as np

from assay_worker import recipes
from assay_worker.libraries._base import StageFailure, at, describe_failure

#: The letters of an attribute that are told.
_LETTERS = 200


def moved(array, generator, factor, epsilon=None):
    """An array whose elements are moved by about ``factor`` ULP each; whole numbers stay.

    Those are integers, and floats that are all whole: ids, counts and bins are exact on every
    target, and a cast or a comparison would jump. Zeros stay too.
    ``epsilon`` is the distance from one to the next number, if the dtype does not say it.
    """
    if generator is None or array.dtype.kind != "f":
        return array
    spacing = float(np.finfo(array.dtype).eps) if epsilon is None else epsilon
    if whole(array, spacing):
        return array
    step = factor * spacing
    direction = np.where(generator.random_sample(array.shape) < 0.5, -step, step)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(array * (1.0 + direction)).astype(array.dtype)


def whole(array, spacing):
    """Are all floats whole that could be something else? Large ones have no fractions."""
    known = array[np.isfinite(array)]
    exact = bool((known == np.trunc(known)).all())
    return exact and float(np.abs(known).max(initial=0.0)) * spacing < 1.0


def directions(seed):
    """What ``moved`` goes by; None, which moves nothing, without a seed."""
    return None if seed is None else np.random.RandomState(seed)


def numeric(dtype):
    """Does a type, given by its name, hold numbers that travel?"""
    try:
        return np.dtype(dtype).kind in "biufc"
    except TypeError:
        return False


def _travelling(dtype):
    """The name of the type in which numbers travel: NumPy lacks bfloat16, float32 holds it."""
    return "float32" if "float" in dtype and not numeric(dtype) else dtype


def _numbers(arrays):
    """Of arrays by name, those of numbers; types that NumPy lacks as float32."""
    found = {name: _widened(array) for name, array in arrays.items()}
    return {name: array for name, array in found.items() if array.dtype.kind in "biufc"}


def _widened(array):
    lacking = array.dtype.kind == "V" and "float" in array.dtype.name
    return array.astype("float32") if lacking else array


class Session(object):
    """A loaded model on one target."""

    def describe(self):
        """``{"inputs", "outputs", "layers", "weights", "digest"}``.

        Inputs and outputs: name, shape (None for free axes), dtype (what it is, in words, where
        it is no array of numbers). Layers in topological
        order: name, op, inputs and outputs (tensor names). ``digest`` identifies the values
        of all weights.
        """
        raise NotImplementedError

    def stored(self):
        """Every array of weights with its name, in the model's order; none where nobody tells."""
        return []

    def reset(self):
        """Begin anew where the model carries a state from one run to the next."""

    def predict(self, inputs):
        """The model's outputs, as a list of arrays."""
        raise NotImplementedError

    def nudged(self, inputs, seed, factor=1.0):
        """The outputs, run layer by layer, with inputs and layers' outputs moved by ``factor`` ULP.

        ``seed`` says in which directions; None moves nothing. What the outputs move is
        what rounding alone can do to them. None where layers cannot be run one by one.
        """
        return None

    def states(self, inputs):
        """Every tensor of the model by name, the inputs included."""
        raise NotImplementedError

    def seen(self, inputs):
        """What is handed from layer to layer while the model runs as a whole; {} if unknown.

        ``read``: lists of arrays by layer, in the order of its inputs; ``gave``: arrays by
        tensor name; ``outputs`` of the model.
        """
        return {}

    def alone(self, layer, arrays):
        """The outputs of one layer by tensor name, given the arrays that it reads."""
        raise NotImplementedError

    def layer(self, layer):
        """A layer as an op with parameters and weights, or {} where it is not that plain."""
        return {}

    def facts(self, layer):
        """The attributes of a layer, and pairs of names and arrays: its weights."""
        return {}, []


def weight_facts(name, array):
    """A weight in a few numbers."""
    known = array.astype("float64") if array.dtype.kind in "fiub" else np.zeros(0)
    if not known.size:
        known = np.full(1, np.nan)
    return {
        "name": name,
        "shape": list(array.shape),
        "dtype": str(array.dtype),
        "smallest": float(known.min()),
        "largest": float(known.max()),
        "mean": float(known.mean()),
        "spread": float(known.std()),
    }


class Desk(object):
    """Answers the requests for models of one adapter; holds at most one session."""

    def __init__(self, adapter):
        self._adapter = adapter
        self._session = None
        self._kept = []

    def answer(self, request):
        """The answer to a request; a failure of the library is part of it."""
        started = time.process_time()
        if self._session is None and request["action"] not in ("load", "zoo"):
            # It was let go, or this process took the place of one that died.
            return {"model": {"lost": True, "cpu_seconds": 0.0}}
        try:
            result = getattr(self, "_" + request["action"])(request)
        except StageFailure as failure:
            memory = isinstance(failure.original, MemoryError)
            result = {"failure": dict(describe_failure(failure), memory=memory)}
        result["cpu_seconds"] = time.process_time() - started
        return {"model": result}

    def _load(self, request):
        with at("build"):
            self._session = None
            self._session = self._adapter.session(request)
            description = self._session.describe()
            for item in description["inputs"] + description["outputs"]:
                item["dtype"] = _travelling(item["dtype"])
            outputs = description["outputs"]
            kinds = [numeric(item["dtype"]) for item in outputs]
            self._kept = [place for place, kept in enumerate(kinds) if kept]
            description["outputs"] = [item for item, kept in zip(outputs, kinds) if kept]
            description["left_out"] = [item for item, kept in zip(outputs, kinds) if not kept]
            if request.get("arrays"):
                description["arrays"] = [
                    {"name": name, "size": int(array.size), "digest": recipes.digest({"": array})}
                    for name, array in self._session.stored()
                ]
            return {"description": description}

    def _forget(self, request):
        self._session = None
        gc.collect()  # models refer to themselves in circles
        return {}

    def _compared(self, outputs):
        """Of all outputs of the model those that are arrays of numbers."""
        return [_widened(np.asarray(outputs[place])) for place in self._kept]

    def _predict(self, request):
        with at("forward"):
            self._session.reset()
            return {"outputs": self._compared(self._session.predict(request["inputs"]))}

    def _nudged(self, request):
        with at("forward"):
            copies = []
            for seed in [None, None] + list(range(request["copies"])):
                self._session.reset()
                outputs = self._session.nudged(request["inputs"], seed, request["factor"])
                if outputs is None:
                    break
                copies.append(self._compared(outputs))
            return {"copies": copies}

    def _states(self, request):
        with at("forward"):
            self._session.reset()
            return {"arrays": _numbers(self._session.states(request["inputs"]))}

    def _seen(self, request):
        with at("forward"):
            self._session.reset()
            seen = self._session.seen(request["inputs"])
            if seen:
                read = [array for arrays in seen["read"].values() for array in arrays]
                if any(array.dtype.kind not in "biufc" for array in read):
                    return {"seen": {}}  # what is no number does not travel
                seen["gave"] = _numbers(seen["gave"])
                seen["outputs"] = self._compared(seen["outputs"])
            return {"seen": seen}

    def _alone(self, request):
        arrays, failures = {}, {}
        for layer in request["layers"]:
            try:
                with at("forward", layer):
                    self._session.reset()
                    arrays.update(_numbers(self._session.alone(layer, request["arrays"])))
            except StageFailure as failure:
                failures[layer] = describe_failure(failure)
        return {"arrays": arrays, "failures": failures}

    def _layer(self, request):
        with at("build", request["layer"]):
            return {"layer": self._session.layer(request["layer"])}

    def _facts(self, request):
        facts = []
        for layer in request["layers"]:
            with at("build", layer):
                attributes, weights = self._session.facts(layer)
            facts.append(
                {
                    "layer": layer,
                    "attributes": {name: _shortened(item) for name, item in attributes.items()},
                    "weights": [weight_facts(name, array) for name, array in weights],
                }
            )
        return {"facts": facts}

    def _zoo(self, request):
        with at("build"):
            self._adapter.build_zoo_model(request["name"], request["seed"], request["path"])
        return {}


def _shortened(item):
    """A value as text that fits a page."""
    text = repr(item)
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
