"""PyTorch: its own functions, and programs of ``torch.export``."""

import importlib

from assay_worker.libraries._graphs import NativeAdapter


class TorchAdapter(NativeAdapter):
    """Functions by their public path, and .pt2 files: eager, compiled, exported to ONNX Runtime."""

    root = module = engine_name = spoken = "torch"
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

    def signature(self, value):
        """Of a function in C++, every argument that one of its schemas names."""
        told = super(TorchAdapter, self).signature(value)
        schemas = self.schemas.get("aten::" + getattr(value, "__name__", ""), ())
        if told.startswith("(") or not schemas:
            return told
        named = [item.name for schema in schemas for item in schema.arguments]
        return "(%s)" % ", ".join(sorted(set(named), key=named.index))

    @property
    def schemas(self):
        """The schemas of its operators, by name."""
        if not hasattr(self, "_schemas"):
            self._schemas = {}
            for schema in importlib.import_module("torch")._C._jit_get_all_schemas():
                self._schemas.setdefault(schema.name, []).append(schema)
        return self._schemas

    def tables(self):
        """See ``Adapter``."""
        every = (schema for schemas in self.schemas.values() for schema in schemas)
        return {"schemas": sorted(set(map(str, every)))}

    def session(self, request):
        """The program of a .pt2 file."""
        from assay_worker.models import torch_session

        if request["format"] != "torch":
            raise ValueError("torch runs .pt2 files; received %s" % request["path"])
        return torch_session.TorchSession(torch_session.load(request["path"]), self.mode)
