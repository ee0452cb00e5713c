"""Calls of JAX's functions that may work, made of what their arguments are called."""

import inspect

import jax
import jax.numpy
import numpy as np

from assay_worker.catalogue import jax_names
from assay_worker.catalogue._base import Sample
from assay_worker.catalogue.jax_examples import EXAMPLES

MOST = 40
#: Shapes that arrays without a name of their own are tried with; the arrays of one call share it.
_SHAPES = ((3, 4), (5,), (4, 4), (2, 3, 4), ())
_KEY = np.array([0, 7], "uint32")
#: What arguments of these names are: a letter of ``LETTERS`` and a shape, or a plain value.
_ARRAYS = {
    "p": ("p", "alpha beta gamma scale df lam rate concentration mu nu sigma dfnum dfden c"),
    "b": ("b", "condition mask where which"),
    "i": ("i", "indices segment_ids shift shifts repeats"),
}
_LETTER_OF = {name: letter for letter, names in _ARRAYS.values() for name in names.split()}
_PLAIN = {
    "axes": (0,),
    "axis": 0,
    "axis1": 0,
    "axis2": 1,
    "decimals": 1,
    "deg": 2,
    "destination": 1,
    "dim": 0,
    "dimension": 0,
    "dimensions": (0,),
    "dtype": np.float32,
    "func": jax.numpy.sum,
    "indices_or_sections": 1,
    "k": 2,
    "minval": 0,
    "maxval": 9,
    "M": 5,
    "N": 4,
    "n": 4,
    "new_dtype": np.float32,
    "new_shape": (2, 6),
    "newshape": (2, 6),
    "num": 5,
    "num_classes": 4,
    "order": 2,
    "permutation": (1, 0),
    "q": 0.25,
    "reps": 2,
    "shape": (3, 4),
    "source": 0,
    "start": 0,
    "stop": 5,
    "varnames": None,
}
#: Optional arguments that a call may also have.
_FURTHER = (
    ("axis", (0, -1)),
    ("keepdims", (True,)),
    ("shape", ((3, 4),)),
    ("loc", (0.5,)),
    ("mode", ("same", "valid", "clip")),
    ("side", ("right",)),
    ("stable", (False,)),
    ("descending", (True,)),
    ("norm", ("ortho",)),
    ("ddof", (1,)),
    ("k", (1,)),
    ("lower", (True,)),
)


class _Letters(object):
    """Arrays for a call, each with values of its own, the same in every process."""

    def __init__(self):
        self.count = 0

    def draw(self, shape, low, high):
        self.count += 1
        return np.random.RandomState(self.count).uniform(low, high, shape)

    def named(self):
        """The names that the source of arguments has."""

        def of(low, high, dtype):
            return lambda *shape: jax.numpy.asarray(self.draw(shape, low, high).astype(dtype))

        def positive_definite(size):
            matrix = self.draw((size, size), -1.0, 1.0)
            return jax.numpy.asarray((matrix.dot(matrix.T) + np.eye(size)).astype("float32"))

        floats = of(-1.0, 1.0, "float32")
        return {
            "f": floats,
            "p": of(0.1, 3.0, "float32"),
            "u": of(0.05, 0.95, "float32"),
            "i": of(0.0, 3.99, "int32"),
            "b": lambda *shape: floats(*shape) > 0,
            "c": lambda *shape: jax.lax.complex(floats(*shape), floats(*shape)),
            "a": lambda *values: jax.numpy.asarray(values),
            "spd": positive_definite,
            "low": lambda size: jax.numpy.tril(floats(size, size)),
            "key": jax.numpy.asarray(_KEY),
            "jnp": jax.numpy,
            "lax": jax.lax,
            "jax": jax,
        }


def _called(*positional, **keywords):
    return positional, keywords


def guesses(path, function):
    """Samples for a function, the likeliest first: without those whose shapes do not fit."""
    found = []
    for source in EXAMPLES.get(path, ()):
        names = dict(_Letters().named(), _called=_called)
        positional, keywords = eval("_called(%s)" % source, names)
        found.append(Sample(path, positional, keywords))
    if path.startswith(jax_names.MAKERS):
        found.extend(_initializers(path))
    else:
        found.extend(_by_name(path, function))
    fitting = [sample for sample in found if sample.made is not None or fits(function, sample)]
    return fitting[:MOST]


def _by_name(path, function):
    """Of each shape and kind of values, the required arguments alone; then with others."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    plain, further = [], []
    for letter in _letters_of(path):
        for shape in _SHAPES:
            plainly = {} if path.startswith("jax.scipy.stats.") else _PLAIN
            positional, keywords = _arguments(parameters, letter, shape, plainly)
            if path.startswith("jax.random.") and "shape" in parameters:
                keywords["shape"] = (3, 4)
            plain.append(Sample(path, positional, keywords))
            optional = [
                (name, value)
                for name, values in _FURTHER
                for value in values
                if len(shape) == 2 and name in parameters and name not in keywords
                if parameters[name].default is not inspect.Parameter.empty
            ]
            for name, value in optional:
                further.append(Sample(path, positional, dict(keywords, **{name: value})))
    return plain[:2] + further[:6] + plain[2:] + further[6:]


def _letters_of(path):
    """Kinds of values, the likeliest first."""
    name = path.rpartition(".")[2]
    if name in ("ppf", "isf"):
        return "u"
    if name in ("logpmf", "pmf"):
        return "ip"
    if "random" in path or "stats" in path:
        return "pfi"
    return "fpicb"


def _arguments(parameters, letter, shape, plainly):
    letters = _Letters().named()
    positional, keywords = [], {}
    for name, parameter in parameters.items():
        if parameter.kind == parameter.VAR_POSITIONAL:
            positional += [letters[letter](*shape), letters[letter](*shape)]
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        if name == "key":
            value = letters["key"]
        elif name in ("arrays", "arrs", "tup", "seq", "operands", "xs"):
            value = [letters[letter](*shape), letters[letter](*shape)]
        elif name in plainly:
            value = plainly[name]
        else:
            value = letters[_LETTER_OF.get(name, letter)](*shape)
        if parameter.kind == parameter.KEYWORD_ONLY:
            keywords[name] = value
        else:
            positional.append(value)
    return positional, keywords


def _initializers(path):
    """What makes an initializer, which is called with a key and a shape."""
    letters = _Letters().named()
    name = path[len(jax_names.MAKERS) :]
    if name in jax_names.INITIALIZERS:
        return [Sample(path, (letters["key"], (3, 4)))]
    made = {"constant": (0.5,), "variance_scaling": (2.0, "fan_avg", "uniform")}.get(name, ())
    shapes = [(3, 3, 2, 4)] if name == "delta_orthogonal" else [(3, 4), (3, 3, 2, 4)]
    return [Sample(path, (letters["key"], shape), made=(made, {})) for shape in shapes]


def fits(function, sample):
    """Could the call work, as far as JAX tells of shapes and dtypes alone?

    True also for what needs values to be traced: only running it tells.
    """
    try:
        traced(function, sample.args, sample.kwargs)
    except Exception:  # whatever a function raises of arguments that it does not take
        return False
    return True


def traced(function, positional, keywords):
    """What a call gives, as shapes and dtypes; None if it needs values to be traced."""
    called, tensors = closed(function, positional, keywords)
    try:
        return jax.tree_util.tree_leaves(jax.eval_shape(called, *tensors))
    except jax.errors.JAXTypeError:
        return None


def closed(function, positional, keywords):
    """A call as a function of its tensors alone, and these."""
    leaves, structure = jax.tree_util.tree_flatten((positional, keywords))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

    def called(*tensors):
        filled = list(leaves)
        for place, tensor in zip(places, tensors):
            filled[place] = tensor
        positional, keywords = jax.tree_util.tree_unflatten(structure, filled)
        return function(*positional, **keywords)

    return called, [leaves[place] for place in places]
