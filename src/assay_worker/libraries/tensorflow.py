"""TensorFlow's own functions, ``tf.math.exp`` and the like."""

from assay_worker.libraries._graphs import NativeAdapter


class TensorFlowAdapter(NativeAdapter):
    """Functions by their public path, eager, as a graph, or compiled by XLA."""

    root = "tf"
    module = engine_name = "tensorflow"
