"""A .tflite file on LiteRT's interpreter. Layers are its ops, named by what they write.

Ops do not run alone: the interpreter runs a file as a whole.
"""

import hashlib

import numpy as np

from assay_worker.models._base import Session


class LitertSession(Session):
    """A model on one set of kernels; opened, without delegates, which would fuse its ops."""

    def __init__(self, adapter, path):
        self._make, self._kernels = adapter.interpreter, adapter.kernels
        with open(path, "rb") as file:
            self._content = file.read()
        self._resolver = {
            "optimised": self._kernels.AUTO,
            "unoptimised": self._kernels.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
            "reference": self._kernels.BUILTIN_REF,
        }[adapter.mode]
        self._whole = self._interpreter(self._resolver, False)
        self._open = None
        self.inputs = self._whole.get_input_details()
        self.outputs = self._whole.get_output_details()
        self._named()

    def _interpreter(self, resolver, keeps):
        return self._make(
            model_content=self._content,
            num_threads=1,
            experimental_op_resolver_type=resolver,
            experimental_preserve_all_tensors=keeps,
        )

    def _opened(self):
        kernels = self._kernels
        plain = self._resolver == kernels.BUILTIN_REF
        resolver = self._resolver if plain else kernels.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        return self._interpreter(resolver, True)

    def _named(self):
        """Names of inputs and outputs (those of the signature, if there is one), and of tensors."""
        self.names = {item["index"]: item["name"] for item in self.inputs + self.outputs}
        looked_at = self._interpreter(self._resolver, False)
        signatures = list(looked_at.get_signature_list())
        if len(signatures) == 1:
            runner = looked_at.get_signature_runner(signatures[0])
            for details in (runner.get_input_details(), runner.get_output_details()):
                self.names.update((item["index"], name) for name, item in details.items())
        opened = self._opened()
        opened.allocate_tensors()
        self.tensors = {item["index"]: item for item in opened.get_tensor_details()}
        self.ops = [op for op in opened._get_ops_details() if op["op_name"] != "DELEGATE"]
        self.produced, self.layers = {}, []
        known = {item["index"]: self.names[item["index"]] for item in self.inputs}
        taken = set(known.values())
        for place, op in enumerate(self.ops):
            outputs = [int(index) for index in op["outputs"]]
            first = self.tensors.get(outputs[0], {}).get("name") or "op_%d" % place
            name, number = first.replace(":", "_"), 1
            while name in taken:
                number += 1
                name = "%s#%d" % (first.replace(":", "_"), number)
            taken.add(name)
            writes = [name if n == 0 else "%s:%d" % (name, n) for n in range(len(outputs))]
            reads = [known[int(index)] for index in op["inputs"] if int(index) in known]
            self.produced.update(zip(outputs, writes))
            known.update(self.produced)
            self.layers.append((name, "litert." + op["op_name"], reads, writes))

    def describe(self):
        """See ``Session``."""
        moving = set(self.produced) | {item["index"] for item in self.inputs}
        read = {int(index) for op in self.ops for index in op["inputs"] if index >= 0}
        stored = [self.tensors[index] for index in read - moving if index in self.tensors]
        return {
            "inputs": [self._described(item) for item in self.inputs],
            "outputs": [
                dict(self._described(item), name=self.produced.get(item["index"], item["name"]))
                for item in self.outputs
            ],
            "layers": [
                {"name": name, "op": op, "inputs": list(dict.fromkeys(reads)), "outputs": writes}
                for name, op, reads, writes in self.layers
            ],
            "weights": int(sum(np.prod(item["shape"], dtype="int64") for item in stored)),
            "digest": hashlib.sha256(self._content).hexdigest(),
            "words": "litert",
            "coarse": sum(map(self._coarse, self.ops)),
        }

    def _coarse(self, op):
        """Does it read fractions and weights of 8 bits? Then it rounds the fractions, too."""
        read = [self.tensors[int(index)] for index in op["inputs"] if int(index) in self.tensors]
        moving = set(self.produced) | {item["index"] for item in self.inputs}
        kinds = {(item["index"] in moving, np.dtype(item["dtype"]).name) for item in read}
        return kinds >= {(True, "float32"), (False, "int8")}

    def _described(self, item):
        scale, zero_point = item["quantization"]
        known = item.get("shape_signature")
        shape = item["shape"] if known is None or not len(known) else known
        return {
            "name": self.names[item["index"]],
            "shape": [int(size) if size > 0 else None for size in shape],
            "dtype": np.dtype(item["dtype"]).name,
            "scale": float(scale),
            "zero_point": int(zero_point),
        }

    def _run(self, interpreter, inputs):
        for item, array in zip(self.inputs, inputs):
            now = interpreter.get_input_details()
            own = next(other for other in now if other["index"] == item["index"])
            if tuple(own["shape"]) != array.shape:
                interpreter.resize_tensor_input(item["index"], array.shape)
        interpreter.allocate_tensors()
        for item, array in zip(self.inputs, inputs):
            interpreter.set_tensor(item["index"], np.ascontiguousarray(array, item["dtype"]))
        interpreter.invoke()

    def predict(self, inputs):
        """See ``Session``."""
        self._run(self._whole, inputs)
        return [np.array(self._whole.get_tensor(item["index"])) for item in self.outputs]

    def states(self, inputs):
        """See ``Session``; what is quantised comes as the numbers that it stands for."""
        if self._open is None:
            self._open = self._opened()
        self._run(self._open, inputs)
        arrays = {self.names[item["index"]]: a for item, a in zip(self.inputs, inputs)}
        for index, name in self.produced.items():
            try:
                array = np.array(self._open.get_tensor(index))
            except ValueError:  # a tensor that has no memory of its own
                continue
            scale, zero_point = self.tensors[index]["quantization"]
            arrays[name] = (array.astype("float32") - zero_point) * scale if scale else array
        return arrays

    def alone(self, layer, arrays):
        """See ``Session``."""
        raise ValueError("an op of a .tflite file does not run alone")
