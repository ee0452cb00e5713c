"""TensorFlow's own functions, ``tf.math.exp`` and the like."""

import importlib

from assay_worker.libraries._graphs import NativeAdapter


class TensorFlowAdapter(NativeAdapter):
    """Functions by their public path, eager, as a graph, or compiled by XLA."""

    root = "tf"
    module = engine_name = spoken = "tensorflow"

    def construct(self, op, params):
        """See ``NativeAdapter``; a result's sparse and ragged tensors are told as their parts."""
        function = super(TensorFlowAdapter, self).construct(op, params)
        nest = importlib.import_module("tensorflow").nest

        def call(*positional, **named):
            result = function(*positional, **named)
            leaves = nest.flatten(result)
            parts = nest.flatten(result, expand_composites=True)
            # As it was, where there is nothing to take apart: structures say which output is which.
            return result if len(leaves) == len(parts) else parts

        return call

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
