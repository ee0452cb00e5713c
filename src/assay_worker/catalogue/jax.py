"""What JAX can be asked: NumPy's and SciPy's functions, its own, and its random draws."""

import enum
import importlib
import inspect

import jax
import jax.numpy
import numpy as np

from assay_worker.catalogue import jax_guesses, jax_harnesses, jax_names
from assay_worker.catalogue._base import Harvest, Sample
from assay_worker.catalogue.recorder import Recorder, Unrecordable, shortest

#: Statements that change JAX for those that follow, or take what is no function of arrays.
_UNWANTED = r"jax\.config|enable_x64|device_put|jax\.devices|Mesh|sharding|profiler|checkpoint"
#: Packages whose functions of the same name take the same arguments.
_SIBLINGS = (("jax.numpy", "numpy"), ("jax.scipy", "scipy"))
#: Arguments that NumPy has and JAX has not: what they say does not change the result.
_NOT_TAKEN = ("out", "order", "subok", "casting", "like")
_DTYPES = frozenset(
    ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    + ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
)


class JaxHarvest(Harvest):
    """See ``Harvest``."""

    # Each shape is compiled, for 20 to 400 ms of CPU.
    most_calls = 2

    def __init__(self, adapter):
        super(JaxHarvest, self).__init__(adapter)
        self.functions = jax_names.functions()
        self.public = shortest(self.functions)
        self.by_path = dict(self.public.values())

    def prepare(self):
        """See ``Harvest``. Nothing is computed here: JAX's threads would be lost in a fork."""
        for path in self.by_path:
            _sibling(path)

    def names(self):
        """See ``Harvest``."""
        return sorted(self.by_path)

    def aliases(self):
        """See ``Harvest``."""
        named = {path: self.public[id(value)][0] for path, value in self.functions.items()}
        return {path: name for path, name in named.items() if path != name}

    def sources(self):
        """Docstrings with examples (``docs:PATH``, NumPy's included), then JAX's own tests."""
        documented = [path for path in self.names() if self._examples(path)]
        found = ["docs:" + path for path in documented]
        return found + ["harness:" + group for group in jax_harnesses.groups()]

    def collect(self, source):
        """See ``Harvest``. A docstring's examples give samples of its own function only, and of
        those that have no examples themselves."""
        kind, _, what = source.partition(":")
        if kind == "harness":
            return jax_harnesses.collect(what, self.public)
        found = Recorder(
            jax_names.everything(),
            self.kept,
            {"jax": jax, "jnp": jax.numpy, "lax": jax.lax, "np": np},
            unwanted=_UNWANTED,
            makes=lambda path, function: inspect.isclass(function) or self.adapter.makes(path),
        ).record(_documentation(self.by_path[what]))
        found = [
            sample
            for sample in found
            if sample.api in self.by_path and (sample.api == what or not self._examples(sample.api))
        ]
        function = self.by_path[what]
        found = _with_variants(function, found + self._of_sibling(what), what)
        if not any(_tensors(sample) for sample in found if sample.api == what):
            return self.guesses(what) + found
        return found

    def guesses(self, name):
        """See ``Harvest``."""
        return jax_guesses.guesses(name, self.by_path[name])

    def _examples(self, path):
        """Are there examples in the documentation of a function, or of NumPy's?"""
        texts = [_documentation(self.by_path[path]), _documentation(_sibling(path)[1])]
        return any(">>>" in text for text in texts)

    def _of_sibling(self, path):
        """Calls of NumPy's function of the same name, as calls of JAX's."""
        name, function = _sibling(path)
        if function is None:
            return []
        package = name.partition(".")[0]
        names = {"np": np, package: importlib.import_module(package)}
        recorder = Recorder({name: function}, _kept_of_numpy, names, unwanted=r"\bplt\b|load|save")
        found = []
        for sample in recorder.record(_documentation(function)):
            if all(type(value) is not Unknown for value in sample.args):
                keywords = {k: v for k, v in sample.kwargs.items() if k not in _NOT_TAKEN}
                positional = [_as_jax(value, place) for place, value in enumerate(sample.args)]
                made = Sample(path, positional, {k: _as_jax(v) for k, v in keywords.items()})
                if jax_guesses.fits(self.by_path[path], made):
                    found.append(made)
        return found

    def kept(self, value):
        """See ``Recorder``: a copy, and the number of elements."""
        if isinstance(value, jax.core.Tracer):
            raise Unrecordable("a tensor without values")
        if isinstance(value, jax.Array):
            if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
                value = jax.random.key_data(value)
            return value, value.size  # its values never change
        if isinstance(value, np.ndarray):
            return _converted(value), value.size
        if isinstance(value, np.generic):
            return value.item(), 1
        return None

    def tensor(self, value):
        """See ``Harvest``."""
        if not isinstance(value, jax.Array):
            return None
        if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
            return None
        return self.adapter.engine.numpy(value)

    def dtype_name(self, value):
        """See ``Harvest``. What is 64 bits wide for Python is what JAX makes of it."""
        if isinstance(value, type(jax.numpy.float32)):
            value = value.dtype
        python = any(value is kind for kind in (bool, int, float, complex))
        numpy = isinstance(value, type) and issubclass(value, np.generic)
        if not (python or numpy or isinstance(value, np.dtype)):
            return None
        name = jax.dtypes.canonicalize_dtype(value).name
        return name if name in _DTYPES else None

    def has_dtype(self, name):
        """Without 64 bits, which are off unless asked for, wide inputs become narrow ones."""
        return jax.dtypes.canonicalize_dtype(name).name == name

    def shapes(self, function, positional, keywords):
        """See ``Harvest``."""
        found = jax_guesses.traced(function, positional, keywords)
        return None if found is None else [item.shape for item in found]

    def accepts(self, function, positional, keywords):
        """See ``Harvest``: what it has no kernel for, JAX says when it would compile it."""
        called, tensors = jax_guesses.closed(function, positional, keywords)
        try:
            jax.jit(called).lower(*tensors)
        except jax.errors.JAXTypeError:
            return None
        return True

    def differentiable(self, function, positional, keywords):
        """See ``Harvest``. It is traced, not computed: that a derivative is zero does not count."""
        called, tensors = jax_guesses.closed(function, positional, keywords)
        floating = self.adapter.engine.floating
        places = [place for place, tensor in enumerate(tensors) if floating(tensor)]

        def loss(*chosen):
            filled = list(tensors)
            for place, tensor in zip(places, chosen):
                filled[place] = tensor
            outputs = jax.tree_util.tree_leaves(called(*filled))
            return sum(jax.numpy.sum(item.astype("float32")) for item in outputs if floating(item))

        chosen = [tensors[place] for place in places]
        outputs = jax.eval_shape(called, *tensors)
        if not chosen or not any(floating(item) for item in jax.tree_util.tree_leaves(outputs)):
            return False
        jax.eval_shape(jax.grad(loss, tuple(range(len(chosen)))), *chosen)
        return True

    def public_name(self, value):
        """Functions, and members of enumerations."""
        if isinstance(value, enum.Enum):
            for module in ("jax.lax", "jax.lax.linalg", "jax.image"):
                if getattr(importlib.import_module(module), type(value).__name__, 0) is type(value):
                    return {"$name": "%s.%s.%s" % (module, type(value).__name__, value.name)}
            return None
        if id(value) in self.public:
            return {"$name": self.public[id(value)][0]}
        return None

    def undefined(self, name):
        """See ``Harvest``."""
        return jax_names.undefined(name)

    def unchecked(self, name):
        """See ``Harvest``. Of parameters that are no numbers, draws are rejected for ever."""
        return ("special",) if name.startswith("jax.random.") else ()


def _tensors(sample):
    """The tensors of a sample."""
    leaves = jax.tree_util.tree_leaves((sample.args, sample.kwargs))
    return [leaf for leaf in leaves if isinstance(leaf, jax.Array)]


def _with_variants(function, samples, api):
    """Before each sample of whole numbers the same of floats, and of an array instead of numbers.

    Documentation likes whole numbers, and single ones; floats have more to say.
    """
    found = []
    for sample in samples:
        if sample.api == api and not any(_floating(leaf) for leaf in _tensors(sample)):
            changes = (_as_floats,) if _tensors(sample) else (_as_arrays,)
            for change in changes:
                positional = [change(value) for value in sample.args]
                made = Sample(api, positional, sample.kwargs, sample.made)
                if _tensors(made) and jax_guesses.fits(function, made):
                    found.append(made)
        found.append(sample)
    return found


def _floating(tensor):
    return jax.numpy.issubdtype(tensor.dtype, jax.numpy.inexact)


def _as_floats(value):
    """Whole numbers that are no key as floats."""
    if isinstance(value, (list, tuple)):
        return type(value)(_as_floats(item) for item in value)
    if isinstance(value, jax.Array) and value.dtype in ("int32", "int16", "int8"):
        return value.astype("float32")
    return value


def _as_arrays(value):
    """Numbers with a fraction as arrays of a few of them."""
    return jax.numpy.full((3,), value, "float32") if isinstance(value, float) else value


def _documentation(value):
    text = getattr(value, "__doc__", None)
    return text if isinstance(text, str) else ""


def _sibling(path):
    """Path and function of NumPy or SciPy under the same name; None if there is none."""
    for ours, theirs in _SIBLINGS:
        if path.startswith(ours + "."):
            name = theirs + path[len(ours) :]
            module, _, last = name.rpartition(".")
            try:
                function = getattr(importlib.import_module(module), last, None)
            except ImportError:
                return name, None
            return name, function if callable(function) else None
    return path, None


class Unknown(object):
    """A NumPy value that JAX has nothing for: text, objects, records."""


def _converted(array):
    """An array as JAX takes it, without 64 bits; raises if JAX has none of its kind."""
    if array.dtype.kind not in "biufc":
        raise Unrecordable("an array of %s" % array.dtype)
    return jax.numpy.asarray(array)


def _kept_of_numpy(value):
    if isinstance(value, np.ndarray):
        return _converted(value), value.size
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return value.item(), 1
    return None


def _as_jax(value, place=None):
    """Lists of numbers, which NumPy takes for arrays, as arrays."""
    if isinstance(value, (jax.Array, str)) or not isinstance(value, (list, tuple)):
        return value
    if isinstance(value, list) or place == 0:
        try:
            array = np.asarray(value)
        except ValueError:  # parts of different lengths
            return value
        if (
            array.dtype.kind in "biufc"
            and array.size
            and not any(isinstance(item, jax.Array) for item in value)
        ):
            return jax.numpy.asarray(array)
    return value
