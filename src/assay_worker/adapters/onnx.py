"""Runtimes of ONNX models: ONNX Runtime, OpenVINO, ONNX's reference evaluator.

They execute whole models only (see ``assay_worker.models``), no cases.
"""

import importlib
import platform

from assay_worker.adapters._base import Adapter


class _OnnxAdapter(Adapter):
    """Runs ONNX files on the module ``module``."""

    module = ""
    modes = ("eager",)

    def __init__(self, backend, mode):
        if mode not in self.modes:
            raise ValueError("unknown mode %r; expected one of %s" % (mode, sorted(self.modes)))
        self.mode = mode
        self.onnx = importlib.import_module("onnx")
        self.library = importlib.import_module(self.module)

    def describe(self):
        """Versions; models are all it can do."""
        versions = {"onnx": self.onnx.__version__, "python": platform.python_version()}
        versions[self.module] = self.library.__version__.split("-")[0]
        return {"versions": versions, "capabilities": ["model"]}

    def session(self, request):
        """The model of an ONNX file."""
        from assay_worker.models import onnx_session

        if request["format"] != "onnx":
            raise ValueError("%s runs .onnx files; received %s" % (self.module, request["path"]))
        runners = {
            "onnxruntime": onnx_session.on_onnxruntime,
            "openvino": onnx_session.on_openvino,
            "onnx": onnx_session.on_reference,
        }
        return onnx_session.OnnxSession(runners[self.module](self.mode), request["path"])


class OnnxruntimeAdapter(_OnnxAdapter):
    """ONNX Runtime, with its optimisations or without."""

    module = "onnxruntime"
    modes = ("optimised", "unoptimised")


class OpenvinoAdapter(_OnnxAdapter):
    """OpenVINO on ONNX files."""

    module = "openvino"


class ReferenceEvaluatorAdapter(_OnnxAdapter):
    """ONNX's own definition of its ops."""

    module = "onnx"
