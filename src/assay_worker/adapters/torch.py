"""Programs of torch.export: eager, compiled, exported to ONNX Runtime. No cases."""

import importlib
import platform

from assay_worker.adapters._base import Adapter

MODES = ("eager", "compile", "onnxruntime")


class TorchAdapter(Adapter):
    """Runs .pt2 files."""

    def __init__(self, backend, mode):
        if mode not in MODES:
            raise ValueError("unknown mode %r; expected one of %s" % (mode, ", ".join(MODES)))
        self.mode = mode
        self.torch = importlib.import_module("torch")
        if mode == "onnxruntime":
            importlib.import_module("onnxscript")
            self.runtime = importlib.import_module("onnxruntime")

    def describe(self):
        """Versions; models are all it can do."""
        versions = {"torch": self.torch.__version__, "python": platform.python_version()}
        if self.mode == "onnxruntime":
            versions["onnxruntime"] = self.runtime.__version__
        return {"versions": versions, "capabilities": ["model"]}

    def session(self, request):
        """The program of a .pt2 file."""
        from assay_worker.models import torch_session

        if request["format"] != "torch":
            raise ValueError("torch runs .pt2 files; received %s" % request["path"])
        return torch_session.TorchSession(torch_session.load(request["path"]), self.mode)
