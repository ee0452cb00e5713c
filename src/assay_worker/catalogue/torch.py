"""PyTorch's calls: of the tables its own tests are made from, and of its documentation."""

import functools
import importlib
import inspect

from assay_worker.catalogue import torch_documentation, torch_guesses, torch_tables
from assay_worker.catalogue import torch_facts as facts
from assay_worker.catalogue._base import Harvest, Sample

_METHODS = "torch.Tensor."
_MOST_OF_TWINS = 40


class TorchHarvest(Harvest):
    """See ``Harvest``."""

    step_seconds = 5.0

    def __init__(self, adapter):
        super(TorchHarvest, self).__init__(adapter)
        self.torch = importlib.import_module("torch")
        self._recorder = None
        self._dtypes = {
            value: name
            for name, value in sorted(vars(self.torch).items(), reverse=True)
            if (isinstance(value, self.torch.dtype) and name[-1:].isdigit()) or name == "bool"
        }

    def prepare(self):
        """The tables take seconds to import; so does finding the names."""
        self.names()
        torch_tables.tables()

    def names(self):
        """Functions, modules, and methods that no function has the name of."""
        if not hasattr(self, "_names"):
            self._names = self._found()
        return self._names

    def _found(self):
        found = set()
        for space in facts.NAMESPACES:
            owner = importlib.import_module(space)
            for name in dir(owner):
                value = getattr(owner, name)
                if self._public(space, name, value):
                    found.add("%s.%s" % (space, name))
        for name in dir(self.torch.nn):
            value = getattr(self.torch.nn, name)
            module = inspect.isclass(value) and issubclass(value, self.torch.nn.Module)
            if module and not facts.excluded("torch.nn", name):
                found.add("torch.nn." + name)
        for name in dir(self.torch.Tensor):
            value = getattr(self.torch.Tensor, name)
            function = "torch." + name in found
            if not function and self._public("torch.Tensor", name, value):
                found.add(_METHODS + name)
        return sorted(found)

    def _public(self, space, name, value):
        hidden = name.startswith("_") or facts.excluded(space, name)
        if hidden or inspect.isclass(value) or not inspect.isroutine(value):
            return False
        # What a namespace imported for itself; built-in functions have no honest module.
        home = getattr(value, "__module__", None) or ""
        return home.startswith("torch") or not home or inspect.isbuiltin(value)

    def sources(self):
        """Entries of the tables, by API."""
        names = set(self.names())
        found = ["operator:" + api for api in sorted(torch_tables.operators(names))]
        found += ["module:" + api for api in sorted(torch_tables.modules()) if api in names]
        documented = [name for name in self.names() if ">>>" in self._documentation(name)]
        return found + ["documentation:" + name for name in documented]

    def _documentation(self, name):
        return getattr(self.adapter.resolve(name), "__doc__", None) or ""

    def collect(self, source):
        """See ``Harvest``."""
        kind, _, api = source.partition(":")
        if kind == "module":
            return torch_tables.of_module(api)
        if kind == "operator":
            return torch_tables.of_operator(api)
        if kind == "documentation":
            if self._recorder is None:
                self._recorder = torch_documentation.recorder(self.names(), self.adapter)
            try:
                return self._recorder.record(self._documentation(api))
            finally:
                self.torch.use_deterministic_algorithms(False)
        raise LookupError("unknown source %r" % source)

    def guesses(self, name):
        """See ``Harvest``."""
        return self._of_twins(name) + torch_guesses.guesses(name, self.adapter)

    def _of_twins(self, name):
        """Samples of a function of the same name, which mostly takes the same."""
        own = name.rpartition(".")[2]
        base = own[: -len("_copy")] if own.endswith("_copy") else own
        found = []
        for space in ("torch.nn.functional.", "torch.", _METHODS):
            for twin in (space + own, space + base):
                if twin != name and twin in torch_tables.tables().operators:
                    found += torch_tables.of_operator(twin)
        return [Sample(name, sample.args, sample.kwargs) for sample in found[:_MOST_OF_TWINS]]

    def tensor(self, value):
        """Dense tensors only: others cannot be made of an array alone."""
        torch = self.torch
        if not isinstance(value, torch.Tensor):
            return None
        if value.layout != torch.strided or value.is_quantized:
            return None
        return self.adapter.engine.numpy(value)

    def parts(self, value):
        """Sparse tensors are made of dense ones."""
        if isinstance(value, self.torch.Tensor) and str(value.layout) in facts.SPARSE_LAYOUTS:
            dense = value.to_dense()
            if value.dim() == 2 or value.layout == self.torch.sparse_coo:
                return facts.SPARSE_LAYOUTS[str(value.layout)], (dense,)
        return None

    def dtype_name(self, value):
        """See ``Harvest``."""
        return self._dtypes.get(value) if isinstance(value, self.torch.dtype) else None

    def public_name(self, value):
        """Layouts, memory formats, and functions that are given to others."""
        kinds = (self.torch.layout, self.torch.memory_format)
        if isinstance(value, kinds):
            return {"$name": str(value)}
        if inspect.isroutine(value) or isinstance(value, type):
            return self._functions.get(id(value))
        return None

    @property
    @functools.lru_cache(maxsize=None)  # noqa: B019  # one harvest per process
    def _functions(self):
        found = {}
        for path in self.names():
            value = self.adapter.resolve(path)
            found.setdefault(id(value), {"$name": path})
        return found

    def structures(self, name):
        """See ``Harvest``."""
        return facts.STRUCTURES.get(name.rpartition(".")[2], {})

    def unchecked(self, name):
        """See ``Harvest``."""
        own = name.rpartition(".")[2]
        return ("sizes",) if own.startswith(facts.UNCHECKED) else ()

    def undefined(self, name):
        """See ``Harvest``."""
        return facts.UNDEFINED.get(name.rpartition(".")[2], "")
