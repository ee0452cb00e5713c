"""A SavedModel of TensorFlow: its one signature, run as a whole."""

import numpy as np

from assay_worker.models._base import Session
from assay_worker.models.files import digest

_USUAL = "serving_default"


class SavedSession(Session):
    """A function that TensorFlow keeps in a folder; its layers are not to be seen."""

    def __init__(self, tensorflow, path):
        self._tensorflow = tensorflow
        self._path = path
        self._loaded = tensorflow.saved_model.load(path)  # what holds the variables
        signatures = dict(self._loaded.signatures)
        if _USUAL not in signatures and len(signatures) != 1:
            raise ValueError(
                "expected a signature %r; received %s" % (_USUAL, sorted(signatures) or "none")
            )
        self._call = signatures.get(_USUAL) or next(iter(signatures.values()))
        self._inputs = self._call.structured_input_signature[1]
        self._outputs = self._call.structured_outputs

    def describe(self):
        """See ``Session``."""
        variables = {id(v): v for v in getattr(self._call, "variables", ())}
        return {
            "inputs": [_described(name, self._inputs[name]) for name in sorted(self._inputs)],
            "outputs": [_described(name, self._outputs[name]) for name in sorted(self._outputs)],
            "layers": [],
            "weights": int(sum(np.prod(v.shape, dtype="int64") for v in variables.values())),
            "digest": digest(self._path),
            "words": "tensorflow",
        }

    def predict(self, inputs):
        """See ``Session``."""
        names = sorted(self._inputs)
        given = {
            name: self._tensorflow.constant(array, self._inputs[name].dtype)
            for name, array in zip(names, inputs)
        }
        result = self._call(**given)
        return [result[name].numpy() for name in sorted(self._outputs)]

    def states(self, inputs):
        """See ``Session``."""
        raise ValueError("a SavedModel does not show its layers")

    def alone(self, layer, arrays):
        """See ``Session``."""
        raise ValueError("a SavedModel does not show its layers")


def _described(name, spec):
    shape = [] if spec.shape.rank is None else spec.shape.as_list()
    return {"name": name, "shape": shape, "dtype": spec.dtype.name}
