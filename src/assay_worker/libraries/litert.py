"""LiteRT (TensorFlow Lite): whole models of .tflite files; it has no calls of its own."""

import platform

from assay_worker.libraries._base import Adapter


class LitertAdapter(Adapter):
    """Its interpreter, with its usual kernels, without delegates, or with its reference kernels."""

    modes = ("optimised", "unoptimised", "reference")

    def __init__(self, backend, mode):
        if mode not in self.modes:
            raise ValueError("unknown mode %r; expected one of %s" % (mode, sorted(self.modes)))
        self.mode = mode
        try:
            import ai_edge_litert as library
            from ai_edge_litert.interpreter import Interpreter, OpResolverType
        except ImportError:
            import tensorflow as library
            from tensorflow.lite import Interpreter
            from tensorflow.lite.experimental import OpResolverType
        self.library, self.interpreter, self.kernels = library, Interpreter, OpResolverType

    def describe(self):
        """Versions; it runs models only."""
        name = self.library.__name__
        versions = {name: self.library.__version__, "python": platform.python_version()}
        return {"versions": versions, "capabilities": ["model"]}

    def offers(self, names):
        """See ``Adapter``: nothing."""
        return {}

    def session(self, request):
        """The model of a .tflite file."""
        from assay_worker.models.litert_session import LitertSession

        if request["format"] != "litert":
            raise ValueError("LiteRT runs .tflite files; received %s" % request["path"])
        return LitertSession(self, request["path"])
