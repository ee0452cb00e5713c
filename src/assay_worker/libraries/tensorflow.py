"""TensorFlow's own functions, ``tf.math.exp`` and the like."""

import importlib

from assay_worker.catalogue import tensorflow_names
from assay_worker.libraries._graphs import NativeAdapter


class TensorFlowAdapter(NativeAdapter):
    """Functions by their public path, eager, as a graph, or compiled by XLA."""

    root = "tf"
    module = engine_name = spoken = "tensorflow"

    def flat(self, result):
        """See ``GraphAdapter``; sparse and ragged tensors are told as their parts."""
        nest = importlib.import_module("tensorflow").nest
        leaves = super(TensorFlowAdapter, self).flat(result)
        return [part for leaf in leaves for part in nest.flatten(leaf, expand_composites=True)]

    def may_draw(self, op):
        """See ``GraphAdapter``; seeding makes TensorFlow forget its kernels, so not for all."""
        return tensorflow_names.undefined(op) == tensorflow_names.RANDOM

    def tables(self):
        """The registry of its operators: inputs, attributes and outputs."""
        session = importlib.import_module("tensorflow.python.client.pywrap_tf_session")
        definitions = importlib.import_module("tensorflow.core.framework.op_def_pb2").OpList()
        definitions.ParseFromString(session.TF_GetBuffer(session.TF_GetAllOpList()))
        return {"ops": sorted(map(_described, definitions.op))}

    def session(self, request):
        """The model of a folder that TensorFlow saved."""
        from assay_worker.models.saved_session import SavedSession

        if request["format"] != "savedmodel":
            raise ValueError("TensorFlow runs SavedModels; received %s" % request["path"])
        return SavedSession(importlib.import_module("tensorflow"), request["path"])


def _described(definition):
    inputs, attributes, outputs = (
        ", ".join(item.name for item in items)
        for items in (definition.input_arg, definition.attr, definition.output_arg)
    )
    return "%s(%s; %s) -> %s" % (definition.name, inputs, attributes, outputs)
