"""TensorFlow's calls: of its documentation, its signatures, and its registry of operators."""

import importlib
import inspect

import numpy as np

from assay_worker.catalogue import (
    tensorflow_calls,
    tensorflow_facts,
    tensorflow_names,
    tensorflow_public,
    tensorflow_raw,
)
from assay_worker.catalogue._base import Harvest, Sample
from assay_worker.catalogue.recorder import Recorder, Unrecordable
from assay_worker.catalogue.wanted import built

RAW = "tf.raw_ops."
_EXAMPLES = "examples:"
#: What quantized numbers are stored as.
_WHOLE = {
    "qint8": "int8",
    "quint8": "uint8",
    "qint16": "int16",
    "quint16": "uint16",
    "qint32": "int32",
}
#: What changes TensorFlow for all examples that follow.
_UNWANTED = (
    r"disable_|enable_|set_(visible|logical|global)|experimental_|distribute|saved_model"
    r"|keras|tf\.data|tf\.io|checkpoint|tf\.config|tf\.compat"
)


class TensorFlowHarvest(Harvest):
    """See ``Harvest``. Raw operators are called through ``tf.raw_ops``."""

    #: No step of what works takes a tenth of this.
    step_seconds = 5.0

    def __init__(self, adapter):
        super(TensorFlowHarvest, self).__init__(adapter)
        self.tensorflow = importlib.import_module("tensorflow")
        self.functions = tensorflow_names.functions(self.tensorflow)
        self.raw = tensorflow_raw.RawOps(self.tensorflow, adapter.resolve)
        self._paths = {id(value): path for path, value in sorted(self.functions.items())}
        self._names = None

    def prepare(self):
        """Reading the registry of kernels takes a second."""
        self.names()

    def names(self):
        """See ``Harvest``."""
        if self._names is None:
            self._names = sorted(self.functions) + [RAW + name for name in self.raw.names()]
        return self._names

    def aliases(self):
        """See ``Harvest``."""
        return tensorflow_names.aliases(self.tensorflow)

    def sources(self):
        """The documentation of each function that has examples, and functions that are known."""
        return [
            _EXAMPLES + path
            for path, value in sorted(self.functions.items())
            if ">>>" in (inspect.getdoc(value) or "") or tensorflow_calls.calls_of(path)
        ]

    def collect(self, source):
        """See ``Harvest``."""
        kind, _, path = source.partition(":")
        if kind + ":" != _EXAMPLES:
            raise LookupError("unknown source %r" % source)
        tensorflow = self.tensorflow
        recorder = Recorder(
            self.functions,
            self._kept,
            names={"tf": tensorflow, "np": np, "tnp": tensorflow.experimental.numpy},
            prepare=lambda: tensorflow.random.set_seed(0),
            unwanted=_UNWANTED,
        )
        samples = self._samples(path, tensorflow_calls.calls_of(path))
        recorded = recorder.record(inspect.getdoc(self.functions[path]))
        return samples + [self._with_tensors(sample) for sample in recorded]

    def _kept(self, value):
        """See ``Recorder``: eager tensors, variables by their values, and arrays."""
        tensorflow = self.tensorflow
        if isinstance(value, (np.ndarray, np.generic)):
            if value.dtype.kind not in "fciub":
                return None
            return tensorflow.constant(value), value.size
        if isinstance(value, tensorflow.Variable):
            value = value.read_value()
        if isinstance(value, tensorflow.SparseTensor):
            return value, int(value.indices.shape[0])
        if isinstance(value, tensorflow.RaggedTensor):
            return value, int(np.prod(value.flat_values.shape.as_list()))
        if not isinstance(value, tensorflow.Tensor):
            return None
        if not hasattr(value, "numpy"):
            raise Unrecordable("a symbolic tensor")
        return value, int(np.prod(value.shape.as_list()))

    def _with_tensors(self, sample):
        """Examples write tensors as lists: a list under a name that means nothing else is one."""
        try:
            signature = inspect.signature(self.functions[sample.api])
            bound = signature.bind(*sample.args, **sample.kwargs)
        except (TypeError, ValueError):  # nothing says what it takes
            return sample
        for name, value in list(bound.arguments.items()):
            needed = signature.parameters[name].default is inspect.Parameter.empty
            # A number that may be left out is an option, more likely.
            if isinstance(value, list) or (isinstance(value, float) and needed):
                bound.arguments[name] = self._listed(name, value)
        return Sample(sample.api, bound.args, bound.kwargs)

    def _listed(self, name, value):
        """A list of numbers as a tensor, unless the argument's name says that it is none."""
        if tensorflow_facts.known(name, ()) is not None:
            return value
        if any(map(self.tensorflow.is_tensor, self.tensorflow.nest.flatten(value))):
            return value
        try:
            array = np.asarray(value)
        except ValueError:  # rows of different lengths
            return value
        if array.dtype.kind not in "fib" or not array.size:
            return value
        dtype = {"f": "float32", "i": "int32", "b": "bool"}[array.dtype.kind]
        return self.tensorflow.constant(value, dtype)

    def guesses(self, name):
        """See ``Harvest``."""
        if name.startswith(RAW):
            found = self.raw.guesses(name[len(RAW) :])
        else:
            found = tensorflow_public.guesses(name, self.functions[name])
        return self._samples(name, found)

    def _samples(self, name, calls):
        """Calls with the tensors that they want."""
        samples = []
        for positional, keywords in calls:
            tensor = _Tensors(self.tensorflow)
            args, kwargs = (
                built(value, tensor, self.adapter.resolve) for value in (positional, keywords)
            )
            samples.append(Sample(name, args, kwargs))
        return samples

    def tensor(self, value):
        """Dense tensors of numbers."""
        tensorflow = self.tensorflow
        if not isinstance(value, tensorflow.Tensor) or not hasattr(value, "numpy"):
            return None
        if value.dtype.is_quantized or value.dtype == tensorflow.string:
            return None
        return self.adapter.engine.numpy(value)

    def dtype_name(self, value):
        """See ``Harvest``."""
        if isinstance(value, self.tensorflow.DType):
            return value.name
        if isinstance(value, np.dtype) and value.kind in "fciub":
            return value.name
        if isinstance(value, type) and issubclass(value, np.number):
            return np.dtype(value).name
        return None

    def parts(self, value):
        """Sparse, ragged and quantized tensors, slices by index, and static shapes."""
        tensorflow = self.tensorflow
        if isinstance(value, tensorflow.Tensor) and value.dtype.is_quantized:
            held = tensorflow.dtypes.as_dtype(_WHOLE[value.dtype.name])
            return "tf.bitcast", [tensorflow.bitcast(value, held), value.dtype]
        if isinstance(value, tensorflow.TensorShape):
            return ("tf.TensorShape", [value.as_list()]) if value.is_fully_defined() else None
        if isinstance(value, tensorflow.SparseTensor):
            # Which places are set is no matter of numbers: kernels do not check their order.
            places = [part.numpy().tolist() for part in (value.indices, value.dense_shape)]
            return "tf.SparseTensor", [places[0], value.values, places[1]]
        if isinstance(value, tensorflow.IndexedSlices):
            return "tf.IndexedSlices", [value.values, value.indices]
        if isinstance(value, tensorflow.RaggedTensor):
            splits = value.row_splits.numpy().tolist()
            return "tf.RaggedTensor.from_row_splits", [value.values, splits]
        return None

    def public_name(self, value):
        """Functions that are given to others."""
        path = self._paths.get(id(value)) if callable(value) else None
        return None if path is None else {"$name": path}

    def structures(self, name):
        """See ``Harvest``."""
        names = self.raw.arguments(name[len(RAW) :]) if name.startswith(RAW) else ()
        return tensorflow_facts.structures(name, names)

    def unchecked(self, name):
        """See ``Harvest``."""
        return tensorflow_facts.unchecked(name)

    def undefined(self, name):
        """See ``Harvest``."""
        return tensorflow_names.undefined(name)


class _Tensors(object):
    """Makes tensors of what is wanted, each with numbers of its own."""

    def __init__(self, tensorflow):
        self.tensorflow = tensorflow
        self.count = 0

    def __call__(self, wanted):
        self.count += 1
        tensorflow = self.tensorflow
        dtype = tensorflow.dtypes.as_dtype(wanted.dtype or "float32")
        # NumPy has no numbers of quantized types: they are what whole numbers are taken for.
        held = tensorflow.dtypes.as_dtype(_WHOLE.get(dtype.name, dtype.name))
        made = tensorflow.constant(wanted.array(held.as_numpy_dtype, self.count), held)
        return tensorflow.bitcast(made, dtype) if held != dtype else made
