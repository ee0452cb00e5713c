"""Dense layers, embeddings, and layers that hand their input on."""

import numpy as np

from assay_worker.reference.registry import Undocumented, Unsupported, Weight, reference


def kernel_and_bias(kernel_shape, bias_size, use_bias):
    """The weights of most layers."""
    weights = [Weight("kernel", tuple(kernel_shape))]
    if use_bias:
        weights.append(Weight("bias", (bias_size,)))
    return weights


def _dense_weights(x, units, use_bias, **others):
    if not isinstance(units, int) or units < 1:
        raise ValueError("expected units to be a positive integer; received %r" % (units,))
    if x.ndim < 2:
        raise ValueError("expected an input of rank 2 or more; received shape %s" % (x.shape,))
    return kernel_and_bias((x.shape[-1], units), units, use_bias)


@reference("keras.layers.Dense", weights=_dense_weights)
def dense(call, x, units, activation=None, use_bias=True, lora_rank=None, quantization_config=None):
    """activation(x · kernel + bias) over the last axis."""
    if lora_rank is not None or quantization_config is not None:
        raise Unsupported("reference does not know lora_rank and quantization_config of Dense")
    y = np.tensordot(x, call.weights["kernel"], axes=1)
    if use_bias:
        y = y + call.weights["bias"]
    return call.activate(activation, y)


@reference("keras.layers.Identity", integers=True)
def identity(x):
    """x."""
    return x


# ------------------------------------------------------------------------- einsum


def _parsed(equation):
    """The subscripts of input, kernel and output; an ellipsis is part of them."""
    given, arrow, output = equation.partition("->") if isinstance(equation, str) else ("", "", "")
    parts = given.split(",")
    if not arrow or len(parts) != 2:
        raise ValueError("expected an equation like ab,bc->ac; received %r" % (equation,))
    return parts[0], parts[1], output


def _einsum_weights(x, equation, output_shape, bias_axes, **others):
    given, kernel, output = _parsed(equation)
    lengths = {}
    letters = given.replace("...", "")
    if "..." not in given and len(letters) != x.ndim:
        raise ValueError("expected an input of rank %d; received %s" % (len(letters), x.shape))
    if given.startswith("..."):
        lengths.update(zip(letters, x.shape[x.ndim - len(letters) :]))
    elif "..." not in given:
        lengths.update(zip(letters, x.shape))
    else:
        raise Unsupported("the reference knows leading ellipses only")
    sizes = output_shape if isinstance(output_shape, tuple) else (output_shape,)
    named = output.replace("...", "") if "..." in output else output[1:]
    if len(sizes) != len(named):
        raise ValueError("expected %d lengths; received %r" % (len(named), output_shape))
    for letter, size in zip(named, sizes):
        if size is not None and lengths.setdefault(letter, size) != size:
            raise ValueError("%s is %d; received %r" % (letter, lengths[letter], output_shape))
    weights = [Weight("kernel", tuple(lengths[letter] for letter in kernel))]
    if bias_axes:
        after = output.replace("...", "")
        if not set(bias_axes) <= set(after):
            raise ValueError("expected bias_axes in %r; received %r" % (after, bias_axes))
        first = min(after.index(letter) for letter in bias_axes)
        shape = tuple(lengths[c] if c in bias_axes else 1 for c in after[first:])
        weights.append(Weight("bias", shape))
    return weights


@reference("keras.layers.EinsumDense", weights=_einsum_weights)
def einsum_dense(call, x, equation, output_shape, activation=None, bias_axes=None):
    """activation(einsum(x, kernel) + bias)."""
    y = np.einsum(equation, x, call.weights["kernel"])
    return call.activate(activation, y + call.weights.get("bias", 0.0))


# --------------------------------------------------------------------- embeddings


def _table(input_dim, output_dim):
    for name, size in (("input_dim", input_dim), ("output_dim", output_dim)):
        if not isinstance(size, int) or size < 1:
            raise ValueError("expected %s to be a positive integer; received %r" % (name, size))
    return Weight("embeddings", (input_dim, output_dim))


def _rows(table, x):
    ids = x.astype("int64")
    if np.any(ids < 0) or np.any(ids >= table.shape[0]):
        raise Undocumented("ids outside of 0..%d have no row" % (table.shape[0] - 1))
    return table[ids]


def _embedding_weights(x, input_dim, output_dim, **others):
    return [_table(input_dim, output_dim)]


@reference("keras.layers.Embedding", weights=_embedding_weights)
def embedding(call, x, input_dim, output_dim, mask_zero=False):
    """The row of each id."""
    return _rows(call.weights["embeddings"], x)


def _reversible_weights(x, input_dim, output_dim, tie_weights, **others):
    weights = [_table(input_dim, output_dim)]
    return (
        weights
        if tie_weights
        else weights + [Weight("reverse_embeddings", (output_dim, input_dim))]
    )


@reference("keras.layers.ReversibleEmbedding", weights=_reversible_weights)
def reversible_embedding(
    call,
    x,
    input_dim,
    output_dim,
    tie_weights=True,
    mask_zero=False,
    logit_soft_cap=None,
    reverse=False,
):
    """The row of each id; in reverse, a projection to one number per id."""
    table = call.weights["embeddings"]
    if not reverse:
        return _rows(table, x)
    y = np.tensordot(x, table.T if tie_weights else call.weights["reverse_embeddings"], axes=1)
    return y if logit_soft_cap is None else np.tanh(y / logit_soft_cap) * logit_soft_cap


# -------------------------------------------------------------- input is the output


@reference("keras.layers.Masking")
def masking(x, mask_value=0.0):
    """x; what becomes of the steps that are all ``mask_value`` is for the layers after it."""
    if mask_value != 0.0 and np.any(np.all(x == mask_value, axis=-1)):
        raise Undocumented("the values of masked steps are not documented")
    return x
