"""A SavedModel of TensorFlow: its one signature, run as a whole."""

import numpy as np

from assay_worker.models._base import Session
from assay_worker.models.files import digest

_USUAL = "serving_default"


class SavedSession(Session):
    """A function that TensorFlow keeps in a folder; its layers are not to be seen."""

    def __init__(self, tensorflow, path):
        self._path = path
        try:
            self._signature = _Function(tensorflow, path)
        except AttributeError as error:
            # TensorFlow's issue 52091: it wants to revive an optimizer of Keras 2, and cannot.
            if "add_slot" not in str(error):
                raise
            self._signature = _Graph(tensorflow, path)
        self._inputs = sorted(self._signature.inputs)
        self._outputs = sorted(self._signature.outputs)

    def describe(self):
        """See ``Session``."""
        own = self._signature
        return {
            "inputs": [_described(name, own.inputs[name]) for name in self._inputs],
            "outputs": [_described(name, own.outputs[name]) for name in self._outputs],
            "layers": [],
            "weights": int(sum(np.prod(shape, dtype="int64") for shape in own.weights())),
            "digest": digest(self._path),
            "words": "tensorflow",
        }

    def predict(self, inputs):
        """See ``Session``."""
        result = self._signature.run(dict(zip(self._inputs, inputs)))
        return [result[name] for name in self._outputs]

    def states(self, inputs):
        """See ``Session``."""
        raise ValueError("a SavedModel does not show its layers")

    def alone(self, layer, arrays):
        """See ``Session``."""
        raise ValueError("a SavedModel does not show its layers")


class _Function(object):
    """The signature as a function, as ``tf.saved_model.load`` gives it."""

    def __init__(self, tensorflow, path):
        self._tensorflow = tensorflow
        self._loaded = tensorflow.saved_model.load(path)  # what holds the variables
        self._call = _chosen(dict(self._loaded.signatures))
        self.inputs = self._call.structured_input_signature[1]
        self.outputs = self._call.structured_outputs

    def weights(self):
        """The shapes of its variables."""
        return [v.shape for v in {id(v): v for v in getattr(self._call, "variables", ())}.values()]

    def run(self, arrays):
        """Outputs by name."""
        given = {
            name: self._tensorflow.constant(array, self.inputs[name].dtype)
            for name, array in arrays.items()
        }
        return {name: item.numpy() for name, item in self._call(**given).items()}


class _Graph(object):
    """The signature as a graph in a session: of what else was saved, nothing is loaded."""

    def __init__(self, tensorflow, path):
        with tensorflow.Graph().as_default() as self._graph:
            self._session = tensorflow.compat.v1.Session(graph=self._graph)
            loaded = tensorflow.compat.v1.saved_model.load(self._session, ["serve"], path)
            signatures = dict(loaded.signature_def)
            signatures.pop("__saved_model_init_op", None)
            chosen = _chosen(signatures)
            self.inputs, self.outputs = (
                {name: self._graph.get_tensor_by_name(item.name) for name, item in side.items()}
                for side in (chosen.inputs, chosen.outputs)
            )

    def weights(self):
        """The shapes of the variables that the outputs depend on."""
        found, left = set(), [tensor.op for tensor in self.outputs.values()]
        while left:
            op = left.pop()
            if op not in found:
                found.add(op)
                left += [tensor.op for tensor in op.inputs]
        variables = [op.get_attr("shape") for op in found if op.type == "VarHandleOp"]
        return [[dim.size for dim in shape.dim] for shape in variables]

    def run(self, arrays):
        """Outputs by name."""
        given = {self.inputs[name]: array for name, array in arrays.items()}
        return self._session.run(self.outputs, given)


def _chosen(signatures):
    if _USUAL not in signatures and len(signatures) != 1:
        raise ValueError(
            "expected a signature %r; received %s" % (_USUAL, sorted(signatures) or "none")
        )
    return signatures.get(_USUAL) or next(iter(signatures.values()))


def _described(name, spec):
    shape = [] if spec.shape.rank is None else spec.shape.as_list()
    return {"name": name, "shape": shape, "dtype": spec.dtype.name}
