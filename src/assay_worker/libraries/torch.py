"""PyTorch: its own functions, and programs of ``torch.export``."""

import importlib

from assay_worker.libraries._graphs import NativeAdapter


class TorchAdapter(NativeAdapter):
    """Functions by their public path, and .pt2 files: eager, compiled, exported to ONNX Runtime."""

    root = module = engine_name = "torch"
    model_modes = ("onnxruntime",)

    def __init__(self, backend, mode):
        super(TorchAdapter, self).__init__(backend, mode)
        if mode == "onnxruntime":
            importlib.import_module("onnxscript")
            importlib.import_module("onnxruntime")

    def describe(self):
        """As others; it also runs models."""
        described = super(TorchAdapter, self).describe()
        described["capabilities"].append("model")
        if self.mode == "onnxruntime":
            runtime = importlib.import_module("onnxruntime")
            described["versions"]["onnxruntime"] = runtime.__version__
        return described

    def tables(self):
        """The schemas of its operators."""
        torch = importlib.import_module("torch")
        return {"schemas": sorted({str(schema) for schema in torch._C._jit_get_all_schemas()})}

    def session(self, request):
        """The program of a .pt2 file."""
        from assay_worker.models import torch_session

        if request["format"] != "torch":
            raise ValueError("torch runs .pt2 files; received %s" % request["path"])
        return torch_session.TorchSession(torch_session.load(request["path"]), self.mode)
