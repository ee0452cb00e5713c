"""Which public functions of JAX are functions of arrays."""

import importlib
import inspect
import pkgutil
import re

#: Public modules with functions of arrays; ``jax.scipy.stats`` has a module per distribution.
MODULES = (
    "jax.numpy",
    "jax.numpy.fft",
    "jax.numpy.linalg",
    "jax.lax",
    "jax.lax.linalg",
    "jax.nn",
    "jax.nn.initializers",
    "jax.image",
    "jax.ops",
    "jax.random",
    "jax.scipy.cluster.vq",
    "jax.scipy.fft",
    "jax.scipy.integrate",
    "jax.scipy.linalg",
    "jax.scipy.ndimage",
    "jax.scipy.signal",
    "jax.scipy.sparse.linalg",
    "jax.scipy.special",
    "jax.scipy.stats",
)
#: Modules whose functions give initializers, which are then called with a key and a shape.
MAKERS = "jax.nn.initializers."
#: But these are initializers themselves.
INITIALIZERS = ("ones", "zeros")

#: Names that are no functions of arrays, by module, and why.
_NONE = {
    "jax.numpy": (
        # of dtypes, of shapes alone, of text and files, of Python functions
        "can_cast dtype finfo iinfo isdtype issubdtype promote_types result_type"
        " broadcast_shapes einsum_path isscalar iterable"
        " array_repr array_str get_printoptions printoptions set_printoptions"
        " from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc fromstring load save"
        " savez vectorize mask_indices"
    ),
    "jax.lax": (
        # of user functions
        "associative_scan composite cond custom_linear_solve custom_root fori_loop map"
        " platform_dependent scan scatter_apply switch while_loop"
        # across devices
        " all_gather all_to_all axis_index axis_size pbroadcast pcast pmax pmean pmin ppermute"
        " precv psend pshuffle psum psum_scatter pswapaxes ragged_all_to_all"
        " with_sharding_constraint"
        # of shapes alone, tokens, compilation
        " after_all broadcast_shapes conv_dimension_numbers conv_general_permutations"
        " conv_general_shape_tuple conv_shape_tuple conv_transpose_shape_tuple create_token"
        " ConvGeneralDilatedDimensionNumbers DotDimensionNumbers"
        " dce_sink dtype padtype_to_pads reduce_window_shape_tuple shape_as_value stage"
    ),
    "jax.nn": "get_scaled_dot_general_config",
    # Typed keys are no arrays of numbers; all draws take raw ones.
    "jax.random": "clone key key_data key_dtype key_impl wrap_key_data",
}
_LEFT_OUT = {module + "." + name for module in _NONE for name in _NONE[module].split()}

_GAUGE = "eigenvectors, singular vectors and the like are given up to signs or phases"
_ORDER = "the order within parts is not defined"
_APPROXIMATE = "approximate: how much is found depends on the compiler"
_STREAM = "the stream of numbers depends on the compiler"
_UNDEFINED = (
    (r"jax\.(numpy|lax|scipy)\.linalg\.(eig|eigh|svd|qr|schur|hessenberg|tridiagonal)$", _GAUGE),
    (r"jax\.scipy\.linalg\.(eigh_tridiagonal|qr_multiply|rsf2csf)$", _GAUGE),
    (r"jax\.numpy\.(partition|argpartition)$", _ORDER),
    (r"jax\.lax\.approx_m(ax|in)_k$", _APPROXIMATE),
    (r"jax\.lax\.rng_(uniform|bit_generator)$", _STREAM),
)


def modules():
    """All of ``MODULES``, and those of the distributions, imported, by their path."""
    found = {path: importlib.import_module(path) for path in MODULES}
    stats = found["jax.scipy.stats"]
    for item in pkgutil.iter_modules(stats.__path__):
        path = stats.__name__ + "." + item.name
        found[path] = importlib.import_module(path)
    return found


def everything():
    """Every public callable by path, aliases included, also what is no function of arrays."""
    found = {}
    for path, module in sorted(modules().items()):
        for name in sorted(dir(module)):
            if name.startswith("_") or (path == "jax.lax" and name.endswith("_p")):
                continue
            value = getattr(module, name)
            if callable(value):
                found[path + "." + name] = value
    return found


def functions():
    """Public functions of arrays by path, aliases included; dtypes and other classes are none."""
    return {
        path: value
        for path, value in everything().items()
        if path not in _LEFT_OUT
        and not inspect.isclass(value)
        and hasattr(value, "__name__")
        and type(value).__module__ != "typing"
    }


def undefined(path):
    """Why equal calls may give different results, as far as JAX documents it."""
    for pattern, why in _UNDEFINED:
        if re.match(pattern, path):
            return why
    return ""
