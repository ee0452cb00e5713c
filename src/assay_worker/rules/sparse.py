"""A tensor gives the same when only what is not zero is stored."""

from assay_worker.rules._names import given
from assay_worker.rules._sparse import Layout, thinned, torch_dense, with_layout


def torch_coordinates(function):
    import torch

    if function.__name__ == "addmm":

        def added(input, mat1, mat2, **kwargs):
            own = (input.to_sparse(), thinned(mat1).to_sparse(), mat2)
            return torch.sspaddmm(*own, **kwargs).to_dense()

        return added
    return with_layout(function, lambda matrix: matrix.to_sparse())


def tensorflow_dense(function):
    def first(a, b=None, **kwargs):
        rest = () if b is None else (b,)
        return function(halved(a), *rest, **kwargs)

    return first


def tensorflow_coordinates(function):
    import tensorflow as tf

    calls = {
        "matmul": lambda a, b: tf.sparse.sparse_dense_matmul(a, b),
        "reduce_sum": lambda a, axis=None, keepdims=False: tf.sparse.reduce_sum(a, axis, keepdims),
        "reduce_max": lambda a, axis=None, keepdims=False: tf.sparse.reduce_max(a, axis, keepdims),
        "add": lambda a, b: tf.sparse.add(a, b),
        "transpose_v2": lambda a, perm=None: tf.sparse.to_dense(tf.sparse.transpose(a, perm)),
    }
    call = calls[function.__name__]

    def second(a, *args, **kwargs):
        named = {key: value for key, value in kwargs.items() if key != "name"}
        return call(tf.sparse.from_dense(halved(a)), *args, **named)

    return second


def halved(value):
    import tensorflow as tf

    places = tf.reshape(tf.range(tf.size(value)), value.shape)
    return tf.where(places % 2 == 1, value, tf.zeros_like(value))


def jax_dense(function):
    def first(x, *args, **kwargs):
        return function(halved_by_jax(x), *args, **kwargs)

    return first


def jax_coordinates(function):
    from jax.experimental import sparse

    def second(x, *args, **kwargs):
        own = sparse.BCOO.fromdense(halved_by_jax(x))
        result = sparse.sparsify(lambda matrix: function(matrix, *args, **kwargs))(own)
        return result.todense() if isinstance(result, sparse.BCOO) else result

    return second


def halved_by_jax(value):
    import jax.numpy as jnp

    places = jnp.arange(value.size).reshape(value.shape)
    return jnp.where(places % 2 == 1, value, jnp.zeros_like(value))


class Sparse(Layout):
    """By coordinates; ``addmm`` as ``sspaddmm``."""

    name = "sparse"
    says = "dense ≡ sparse by coordinates (COO)"
    programs = {
        "torch": torch_coordinates,
        "tensorflow": tensorflow_coordinates,
        "jax": jax_coordinates,
    }
    firsts = {"torch": torch_dense, "tensorflow": tensorflow_dense, "jax": jax_dense}
    own_helpers = {
        "torch": (thinned, with_layout),
        "tensorflow": (halved,),
        "jax": (halved_by_jax,),
    }
    tensorflow_names = ("tf.matmul", "tf.linalg.matmul", "tf.reduce_sum", "tf.math.reduce_sum",
                        "tf.add", "tf.math.add", "tf.transpose")  # fmt: skip
    jax_names = tuple("jax.numpy." + name for name in (
        "matmul", "dot", "sum", "sin", "tan", "sinh", "tanh", "arcsin", "arctan", "abs", "sign",
        "expm1", "log1p", "sqrt", "square", "negative", "transpose"))  # fmt: skip

    def applies(self, facts):
        """Matrices of floats, the first of them a positional argument."""
        if facts.library == "torch":
            return super(Sparse, self).applies(facts)
        names = self.tensorflow_names if facts.library == "tensorflow" else self.jax_names
        shapes = [item["shape"] for item in facts.inputs]
        flat = all(len(shape) == 2 and 0 not in shape for shape in shapes)
        words = set(facts.arguments) <= {"0", "1", "axis", "keepdims"}
        own = facts.api.rpartition(".")[2]
        # A product of NumPy's kind would be by elements; sums of JAX are of one matrix.
        alike = own != "add" or (len(shapes) == 2 and shapes[0] == shapes[1])
        known = facts.api in names and facts.floating and given(facts, "", 0) is not None
        return known and flat and words and alike


RULE = Sparse()
