"""Raw operators of TensorFlow: which there are, what they take, and calls that may work.

All of it is read from registries of the installed library: what an operator takes (op registry),
in which types it runs on a CPU (kernel registry), and which ranks it takes: its shape function,
asked in a graph that never runs. A kernel that meets a rank that it does not expect may end the
process; shape functions only say no.
"""

import importlib
import inspect
import re

from assay_worker.catalogue import tensorflow_calls, tensorflow_facts
from assay_worker.catalogue.wanted import Wanted, built, interleaved, likeliest

#: Types of elements that arrays from outside can have, the likeliest first.
TYPES = (
    "float32",
    "int32",
    "bool",
    "complex64",
    "float64",
    "int64",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "uint64",
    "complex128",
    "bfloat16",
    "float16",
)
QUANTIZED = ("quint8", "qint8", "qint32", "qint16", "quint16")
#: Operators that are no functions of tensors: parts of loops, placeholders, watches, batches of
#: other calls.
_NO_FUNCTIONS = """
    Batch Unbatch UnbatchGrad Const Copy CopyHost CheckPinned DebugGradientIdentity DebugIdentity
    DebugNanCount DebugNumericSummary DebugNumericSummaryV2 Enter Exit FakeParam ImmutableConst
    LoopCond Merge Placeholder PlaceholderWithDefault PreventGradient PyFuncStateless SdcaOptimizer
    SdcaOptimizerV2 Switch ParallelConcat"""
#: Operators that oneDNN alone has kernels for; without it an empty one answers nothing.
_ONEDNN = re.compile(
    r"QuantizedConv2D.+|QuantizedDepthwiseConv2D.*|QuantizedMatMulWithBias.*"
    r"|Requantiz(e|ationRange)PerChannel"
)
#: Guesses that are looked at by the shape function, and those that are handed on.
_LOOKED_AT = 40
_MOST = 30


class RawOps(object):
    """The operators of a TensorFlow that is imported."""

    def __init__(self, tensorflow, resolve):
        self.tensorflow = tensorflow
        self.resolve = resolve
        self.definitions = importlib.import_module("tensorflow.python.framework.op_def_registry")
        self.kernels = importlib.import_module("tensorflow.python.framework.kernels")

    def names(self):
        """Operators that are functions of tensors, alphabetically."""
        excluded = frozenset(_NO_FUNCTIONS.split())
        return [
            name
            for name in sorted(dir(self.tensorflow.raw_ops))
            if not name.startswith("_") and name not in excluded and not _ONEDNN.fullmatch(name)
            if self._pure(name)
        ]

    def _pure(self, name):
        definition = self.definitions.get(name)
        if definition is None or definition.is_stateful or definition.HasField("deprecation"):
            return False
        arguments = list(definition.input_arg) + list(definition.output_arg)
        if not definition.output_arg or any(item.is_ref for item in arguments):
            return False
        if any(item.type in ("func", "list(func)") for item in definition.attr):
            return False
        types = self.tensorflow.dtypes
        others = (types.string, types.resource, types.variant)
        allowed = {item.name: item.allowed_values.list.type for item in definition.attr}
        for item in arguments:
            kinds = [item.type] if item.type else allowed.get(item.type_attr, ())
            if kinds and all(types.as_dtype(kind) in others for kind in kinds):
                return False
        return bool(self._kernels(name))

    def _kernels(self, name):
        """What each kernel for a CPU takes: names of types by attribute."""
        found = []
        for kernel in self.kernels.get_registered_kernels_for_op(name).kernel:
            if kernel.device_type == "CPU" and not kernel.label:
                found.append(
                    {
                        item.name: [self._type(kind) for kind in item.allowed_values.list.type]
                        for item in kernel.constraint
                    }
                )
        return found

    def _type(self, number):
        return self.tensorflow.dtypes.as_dtype(number).name

    def types(self, name):
        """Choices of types by attribute, the likeliest first."""
        definition = self.definitions.get(name)
        allowed = {}
        for item in definition.attr:
            if item.type == "type":
                listed = [self._type(kind) for kind in item.allowed_values.list.type]
                allowed[item.name] = listed or list(TYPES)
        found = []
        for kernel in self._kernels(name):
            choice = {}
            for key in sorted(allowed):
                fitting = [kind for kind in kernel.get(key, allowed[key]) if kind in allowed[key]]
                fitting = [kind for kind in TYPES + QUANTIZED if kind in fitting]
                if not fitting:
                    break
                choice[key] = fitting[0]
            else:
                if choice not in found:
                    found.append(choice)
        order = TYPES + QUANTIZED
        found.sort(key=lambda choice: sum(order.index(kind) for kind in choice.values()))
        return found

    def arguments(self, name):
        """What the Python function of an operator takes."""
        function = getattr(self.tensorflow.raw_ops, name)
        return [item for item in inspect.signature(function).parameters if item != "name"]

    def guesses(self, name):
        """Keyword arguments of calls that may work, as ``Wanted``, the likeliest first."""
        found = list(tensorflow_calls.calls_of("tf.raw_ops." + name))
        if found:  # a search beside it takes seconds, and finds what is less likely
            return found
        definition = self.definitions.get(name)
        for types in self.types(name)[:3]:
            sources = [
                self._beside(definition, types, shape) for shape in tensorflow_facts.PROFILES
            ]
            for keywords in interleaved(sources):
                if len(found) >= _MOST:
                    return found
                if self.accepts(name, keywords):
                    found.append(((), keywords))
        return found

    def _beside(self, definition, types, shape):
        """Calls with main tensors of a shape."""
        names, choices = [], []
        for item in definition.input_arg:
            names.append(item.name)
            choices.append(self._input(item, types, shape))
        renamed = self._renamed(definition)
        inferred = self._inferred(definition)
        for item in definition.attr:
            if item.name in inferred or item.HasField("default_value"):
                continue
            names.append(item.name)
            choices.append(self._attribute(item, types, shape))
        for values in likeliest(choices, _LOOKED_AT):
            yield dict(zip([renamed.get(name, name) for name in names], values))

    def _renamed(self, definition):
        """What the Python function calls arguments that the registry calls otherwise."""
        said = self.arguments(definition.name)
        told = [item.name for item in list(definition.input_arg) + list(definition.attr)]
        unsaid = [
            name for name in told if name not in said and name not in self._inferred(definition)
        ]
        return dict(zip(unsaid, [name for name in said if name not in told]))

    def _inferred(self, definition):
        """Attributes that follow from the inputs."""
        found = set()
        for item in definition.input_arg:
            found.update((item.type_attr, item.number_attr, item.type_list_attr))
        return found

    def _input(self, item, types, shape):
        """What an input may be."""
        if item.type_attr in types:
            kind = types[item.type_attr]
        else:
            kind = self._type(item.type) if item.type else "float32"
        found = tensorflow_facts.known(item.name, shape)
        if found is None:
            found = tensorflow_facts.tensors(shape)
        found = [self._typed(value, kind) for value in found]
        if item.number_attr or item.type_list_attr:
            return [[value, value] for value in found]
        return found

    def _typed(self, value, kind):
        """A value in the type that the input has, whatever its own is."""
        if isinstance(value, Wanted):
            return Wanted(value.shape, kind, value.low, value.high, value.values)
        return value

    def _attribute(self, item, types, shape):
        """What an attribute without a default may be."""
        if item.type == "type":
            return (
                [tensorflow_facts.dtype(types[item.name])]
                if item.name in types
                else [tensorflow_facts.dtype("float32")]
            )
        if item.type == "string" and item.allowed_values.list.s:
            return [text.decode("utf-8") for text in item.allowed_values.list.s][:3]
        found = tensorflow_facts.known(item.name, shape)
        if found is not None:
            return found
        return {
            "int": [1, 2],
            "float": [0.5],
            "bool": [True, False],
            "shape": [list(shape)],
            "list(int)": [[1]],
            "list(float)": [[0.5]],
            "list(type)": [[tensorflow_facts.dtype("float32")]],
        }.get(item.type, [""])

    def accepts(self, name, keywords):
        """Does the operator's shape function take it?"""
        tensorflow = self.tensorflow

        def symbolic(wanted):
            dtype = tensorflow.dtypes.as_dtype(wanted.dtype or "float32")
            if wanted.values is not None and dtype.is_integer:
                return tensorflow.constant(wanted.array(dtype.as_numpy_dtype, ""), dtype)
            return tensorflow.raw_ops.Placeholder(dtype=dtype, shape=wanted.shape)

        with tensorflow.Graph().as_default():
            try:
                getattr(tensorflow.raw_ops, name)(**built(keywords, symbolic, self.resolve))
            except (ValueError, TypeError, NotImplementedError, tensorflow.errors.OpError):
                return False
        return True
