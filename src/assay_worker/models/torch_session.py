"""A program of torch.export (.pt2): eager, compiled by inductor, or exported to ONNX.

Layers are the calls of its graph. Loading such an archive may unpickle: only files
that the user trusts come here.
"""

import functools
import os
import shutil
import tempfile

import numpy as np
import torch

from assay_worker import recipes
from assay_worker.models._base import Session, directions, moved


def load(path):
    """The exported program of an archive."""
    return torch.export.load(path)


class TorchSession(Session):
    """An exported program at work."""

    def __init__(self, program, mode):
        self.program = program
        self.mode = mode
        self.module = program.module()
        nodes = list(self.module.graph.nodes)
        self._placeholders = [node for node in nodes if node.op == "placeholder"]
        # A flag or a number that was given to the export is part of the program.
        self.inputs = [node for node in self._placeholders if _shows(node)]
        self.steps = [node for node in nodes if node.op == "call_function" and _shows(node)]
        self.by_name = {node.name: node for node in self.steps}
        self._whole = None

    def describe(self):
        """See ``Session``."""
        weights = {name: _numpy(value) for name, value in self.program.state_dict.items()}
        known = {node.name for node in self.steps} | {node.name for node in self.inputs}
        (output,) = [node for node in self.module.graph.nodes if node.op == "output"]
        return {
            "inputs": [_described(node) for node in self.inputs],
            "outputs": [_described(node) for node in output.all_input_nodes],
            "layers": [
                {
                    "name": node.name,
                    "op": "torch.ops.%s" % node.target,
                    "inputs": [item.name for item in node.all_input_nodes if item.name in known],
                    "outputs": [node.name],
                }
                for node in self.steps
            ],
            "weights": int(sum(array.size for array in weights.values())),
            "digest": recipes.digest(weights),
        }

    def stored(self):
        """See ``Session``."""
        return ((name, _numpy(value)) for name, value in self.program.state_dict.items())

    def predict(self, inputs):
        """See ``Session``."""
        if self._whole is None:
            self._whole = self._made(inputs)
        return self._whole(inputs)

    def _given(self, inputs):
        """What the program is called with: tensors, and what was fixed by the export.

        Types that NumPy lacks do not travel.
        """
        tensors = iter([_tensor(array, node) for array, node in zip(inputs, self.inputs)])
        return [next(tensors) if _shows(n) else n.meta["val"] for n in self._placeholders]

    def _made(self, inputs):
        if self.mode == "onnxruntime":
            return _exported(self.program)
        module = torch.compile(self.module) if self.mode == "compile" else self.module

        def run(arrays):
            with torch.no_grad():
                result = module(*self._given(arrays))
            return [_numpy(item) for item in torch.utils._pytree.tree_leaves(result)]

        return run

    def nudged(self, inputs, seed, factor=1.0):
        """See ``Session``. Every mode's program runs eagerly here."""
        generator = directions(seed)

        class Nudging(torch.fx.Interpreter):
            """Moves what every call gave."""

            def run_node(self, node):
                """See torch.fx."""
                value = super(Nudging, self).run_node(node)
                if generator is None or node.op in ("get_attr", "output"):
                    return value
                floating = isinstance(value, torch.Tensor) and value.is_floating_point()
                return _moved(value, generator, factor) if floating else value

        with torch.no_grad():
            result = Nudging(self.module).run(*self._given(inputs))
        return [_numpy(item) for item in torch.utils._pytree.tree_leaves(result)]

    def states(self, inputs):
        """See ``Session``. A compiled program is opened by running it eagerly up to each call."""
        if self.mode != "eager":
            raise ValueError("a compiled or exported torch program hides its layers")
        recorded = {}

        class Recorder(torch.fx.Interpreter):
            """Keeps what every node gave."""

            def run_node(self, node):
                """See torch.fx."""
                value = super(Recorder, self).run_node(node)
                if isinstance(value, torch.Tensor) and node.op != "get_attr":
                    recorded[node.name] = _numpy(value)
                return value

        with torch.no_grad():
            Recorder(self.module).run(*self._given(inputs))
        return recorded

    def alone(self, layer, arrays):
        """See ``Session``."""
        node = self.by_name[layer]
        if self.mode == "onnxruntime":
            raise ValueError("a call of an exported torch program does not run alone")

        def value(item):
            if item.op == "get_attr":
                return functools.reduce(getattr, item.target.split("."), self.module)
            return _tensor(arrays[item.name], item)

        given = {item.name: value(item) for item in node.all_input_nodes}
        positional, keywords = torch.fx.node.map_arg(
            (node.args, dict(node.kwargs)), lambda item: given[item.name]
        )
        call = node.target
        if self.mode == "compile":
            call = torch.compile(lambda *a, **k: node.target(*a, **k))
        with torch.no_grad():
            return {layer: _numpy(call(*positional, **keywords))}


def _shows(node):
    """Is it one tensor? Sizes and tuples stay inside."""
    return isinstance(node.meta.get("val"), torch.Tensor)


def _described(node):
    value = node.meta["val"]
    shape = [size if isinstance(size, int) else None for size in value.shape]
    return {"name": node.name, "shape": shape, "dtype": str(value.dtype).replace("torch.", "")}


def _tensor(array, node):
    """An array as the tensor that the node stands for."""
    return torch.from_numpy(np.array(array)).to(node.meta["val"].dtype)


def _moved(tensor, generator, factor):
    array = moved(_numpy(tensor), generator, factor, float(torch.finfo(tensor.dtype).eps))
    return torch.from_numpy(array).to(tensor.dtype)


def _numpy(tensor):
    tensor = tensor.detach()
    # Types that NumPy lacks travel as float32, which holds them exactly.
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy().copy()


def _exported(program):
    directory = tempfile.mkdtemp(prefix="assay-export-")
    try:
        path = os.path.join(directory, "model.onnx")
        torch.onnx.export(program, f=path, dynamo=True, verbose=False)
        from assay_worker.models.onnx_session import onnxruntime_session

        session = onnxruntime_session(path, optimised=True)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    names = [item.name for item in session.get_inputs()]
    return lambda arrays: session.run(None, dict(zip(names, arrays)))
