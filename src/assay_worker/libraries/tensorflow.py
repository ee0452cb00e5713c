"""TensorFlow's own functions, ``tf.math.exp`` and the like."""

from assay_worker.libraries._graphs import NativeAdapter


class TensorFlowAdapter(NativeAdapter):
    """Functions by their public path, eager, as a graph, or compiled by XLA."""

    root = "tf"
    module = engine_name = "tensorflow"

    def describe(self):
        """As others, under the name of its distribution."""
        described = super(TensorFlowAdapter, self).describe()
        described["versions"]["tensorflow"] = described["versions"].pop("tf")
        return described
