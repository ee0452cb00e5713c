"""A function gives what NumPy's function of the same name gives."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import ELEMENTWISE, given, is_of, words


def torch_numpy(function, called=""):
    import numpy as np
    import torch

    # NumPy's words for arguments of torch.
    words = {"dim": "axis", "keepdim": "keepdims"}
    own = getattr(np, called or function.__name__)

    def second(*args, **kwargs):
        def array(value):
            return value.numpy() if isinstance(value, torch.Tensor) else value

        named = {words.get(key, key): array(value) for key, value in kwargs.items()}
        with np.errstate(all="ignore"):
            found = own(*[array(value) for value in args], **named)
        first = function(*args, **kwargs)
        return fitted(found, first, lambda tensor: tensor.numpy(), torch.tensor)

    return second


def tensorflow_numpy(function, called=""):
    import numpy as np
    import tensorflow as tf

    words = {"x": 0, "y": 1, "name": None}
    own = getattr(np, called or function.__name__.replace("_v2", ""))

    def second(*args, **kwargs):
        def array(value):
            return value.numpy() if isinstance(value, tf.Tensor) else value

        positional = [array(value) for value in args]
        positional += [array(kwargs[key]) for key in ("x", "y") if key in kwargs]
        named = {key: array(value) for key, value in kwargs.items() if key not in words}
        with np.errstate(all="ignore"):
            found = own(*positional, **named)
        return fitted(found, function(*args, **kwargs), lambda x: x.numpy(), tf.constant)

    return second


def jax_numpy(function, called=""):
    import jax
    import jax.numpy as jnp
    import numpy as np

    own = getattr(np, called or function.__name__)

    def second(*args, **kwargs):
        def array(value):
            if not isinstance(value, jax.Array):
                return value
            found = np.asarray(value)
            if found.dtype.kind == "c" and np.any(found != found):
                raise NotImplementedError("nobody orders complex numbers that are half NaN")
            return found

        named = {key: array(value) for key, value in kwargs.items()}
        with np.errstate(all="ignore"):
            found = own(*[array(value) for value in args], **named)
        return fitted(found, function(*args, **kwargs), np.asarray, jnp.asarray)

    return second


def keras_numpy(function, called=""):
    import keras
    import numpy as np

    own = getattr(np, called or function.__name__)

    def second(*args, **kwargs):
        def array(value):
            return keras.ops.convert_to_numpy(value) if keras.ops.is_tensor(value) else value

        named = {key: array(value) for key, value in kwargs.items()}
        with np.errstate(all="ignore"):
            found = own(*[array(value) for value in args], **named)
        numpy, tensor = keras.ops.convert_to_numpy, keras.ops.convert_to_tensor
        return fitted(found, function(*args, **kwargs), numpy, tensor)

    return second


def fitted(found, first, numpy, tensor):
    """What NumPy found in the dtypes of the library, which has its own rules for them."""
    import numpy as np

    if isinstance(first, (tuple, list)):
        return [fitted(*pair, numpy=numpy, tensor=tensor) for pair in zip(found, first)]
    dtype = numpy(first).dtype
    found = np.asarray(found)
    narrow = dtype.kind in "fc" and found.dtype.itemsize < dtype.itemsize
    if narrow or dtype.kind not in "biufc" or found.dtype.kind == "O":
        raise NotImplementedError("NumPy computes it in a narrower format")
    return tensor(found.astype(dtype))


class Samename(Rule):
    """NumPy's function on the same numbers; the dtype of the result is the library's own affair."""

    name = "samename"
    eagle = 7
    says = "f of the library ≡ NumPy's function of the same name"
    domain = (
        "all that jax.numpy, tf.experimental.numpy and keras.ops take over from NumPy; of torch "
        "and tf.math single elements, sums, products and extremes; not bfloat16; NaN of extremes "
        "and of nansum, of torch and jax.numpy"
    )
    programs = {
        "torch": torch_numpy,
        "tensorflow": tensorflow_numpy,
        "jax": jax_numpy,
        "keras": keras_numpy,
    }
    helpers = (fitted,)
    called = True
    raising = False
    special = False
    #: Where names promise NumPy's meaning.
    promised = ("jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "tf.experimental.numpy",
                "keras.ops")  # fmt: skip
    #: Names that have this meaning elsewhere, too, besides those of functions of single elements.
    shared = words(
        """
    sum prod amax amin all any cumsum cumprod mean nansum nanmean argmax argmin flip fliplr
    flipud roll rot90 tril triu outer kron inner dot vdot matmul tensordot trace diagonal diff
    isin count_nonzero broadcast_to moveaxis swapaxes searchsorted bincount logspace hstack
    vstack dstack column_stack atleast_1d atleast_2d atleast_3d tile nan_to_num cross
    """
    )
    #: Names of NumPy that mean something else in these namespaces, or leave results open.
    others = {
        "torch": "angle clip equal fix frexp gamma i0 ldexp nextafter round sign threshold",
        "jax": "angle apply_along_axis apply_over_axes argpartition argsort argwhere array "
        "array_repr array_str asarray choose copy delete eig eigh eigvals einsum_path empty "
        "empty_like fill_diagonal finfo fromfile fromfunction fromiter frompyfunc iinfo "
        "insert lexsort load ndim nonzero partition piecewise place polyfit put qr resize "
        "result_type rollaxis roots save shape size sort_complex spacing svd trim_zeros "
        "unique unpackbits vectorize",
        "tensorflow": "angle argsort copy empty empty_like equal finfo floor_mod iinfo ndim "
        "result_type shape size take",
        "keras": "angle argsort array cast copy eig eigh empty fft fft2 identity ifft2 irfft "
        "median moments nanmedian ndim nonzero norm normalize qr rfft select shape size slice "
        "split svd top_k unique where",
    }

    #: What their documentation says of NaN is what NumPy's says.
    of_nan = words("maximum minimum fmax fmin amax amin nansum")

    def holds_for(self, name, facts):
        """NaN where it is documented what becomes of it."""
        space, _, own = facts.api.rpartition(".")
        return name == "nan" and own in self.of_nan and space in ("torch", "jax.numpy")

    def applies(self, facts):
        """The name must mean the same there, and the dtypes must be ones that NumPy has."""
        space, _, own = facts.api.rpartition(".")
        known = all("bfloat" not in item["dtype"] for item in facts.inputs)
        if not known or not facts.inputs or facts.has("out") or facts.has("dtype"):
            return False
        if own.startswith("cum") and [] in [item["shape"] for item in facts.inputs]:
            return False  # of a single number NumPy makes one of one axis
        if own in self.others.get(facts.library, "").split() or own not in NUMPY:
            return False
        if space in ("tf", "tf.math") and own.startswith("arg"):
            return given(facts, "axis", 1) is not None  # the first axis, unless it is told one
        spaces = {facts.library: ("torch", "tf.math", "tf")}
        return space in self.promised or is_of(facts, ELEMENTWISE | self.shared, spaces)


#: What NumPy calls by a name of its own, and workers of old versions may still not have.
NUMPY = words(
    """
abs absolute acos acosh add all amax amin angle any append arccos arccosh arcsin arcsinh arctan
arctan2 arctanh argmax argmin around array_equal array_equiv array_split asin asinh atan atan2
atanh atleast_1d atleast_2d atleast_3d average bincount bitwise_and bitwise_count bitwise_invert
bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor broadcast_arrays
broadcast_to cbrt ceil clip column_stack compress concat concatenate conj conjugate convolve
copysign corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum cumulative_prod
cumulative_sum deg2rad degrees diag diagflat diagonal diff digitize divide divmod dot dsplit
dstack ediff1d einsum equal exp exp2 expand_dims expm1 extract fabs fix flatnonzero flip fliplr
flipud float_power floor floor_divide fmax fmin fmod frexp full_like gcd gradient greater
greater_equal heaviside histogram histogram2d histogram_bin_edges hsplit hstack hypot i0 imag
inner interp intersect1d invert isclose iscomplex isfinite isin isinf isnan isneginf isposinf
isreal kron lcm ldexp left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2
logical_and logical_not logical_or logical_xor logspace linspace geomspace matmul matrix_transpose
matvec max maximum mean median meshgrid min minimum mod modf moveaxis multiply nan_to_num
nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
nanquantile nanstd nansum nanvar negative nextafter not_equal ones_like outer packbits pad
percentile permute_dims poly polyadd polyder polydiv polyint polymul polysub polyval positive pow
power prod ptp quantile rad2deg radians ravel real reciprocal remainder repeat reshape right_shift
rint roll rot90 round searchsorted select setdiff1d setxor1d sign signbit sin sinc sinh sort split
sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile
trace transpose trapezoid tri tril triu true_divide trunc union1d unwrap vander var vdot vecdot
vecmat vsplit vstack where zeros_like
"""
)

RULE = Samename()
