"""Calls of public functions whose arguments depend on each other in ways that no name tells."""

from assay_worker.catalogue.tensorflow_calls_raw import long, quantized
from assay_worker.catalogue.tensorflow_facts import dtype
from assay_worker.catalogue.wanted import Made, Named, Wanted, holding, tensor

_PLACES = [[0, 0], [1, 2], [2, 1]]
_BOXES = [[0.1, 0.1, 0.6, 0.7], [0.2, 0.0, 0.9, 0.8], [0.0, 0.3, 0.5, 1.0]]


def call(*positional, **keywords):
    """Arguments of a call."""
    return positional, keywords


def sparse(places=_PLACES, shape=(3, 4), values=None):
    """A sparse tensor of these places."""
    held = tensor(len(places)) if values is None else holding(values, "int32")
    return Made("tf.SparseTensor", long(places), held, list(shape))


def ragged(splits=(0, 2, 2, 5), values=None):
    """A ragged tensor of rows that begin at these places."""
    held = tensor(splits[-1]) if values is None else holding(values)
    return Made("tf.RaggedTensor.from_row_splits", held, long(list(splits)))


_ROWS = (sparse(((0, 0), (1, 0)), (2, 1), [3, 4]), ragged((0, 1, 3), [3, 4, 5]))
_CLASSES = call(long([[1, 2], [3, 4]]), 2, 3, True, 7, seed=1)
_PICTURES = tensor(2, 6, 5, 3, low=0, high=1)
_COMPLEX = tensor(3, 4, dtype="complex64")
_SAMPLED = call(
    tensor(7, 4),
    tensor(7),
    long([[1], [3], [5]]),
    tensor(3, 4),
    3,
    7,
    sampled_values=(long([0, 2, 6]), tensor(3, 1, low=0.2, high=0.5), tensor(3, low=0.2, high=0.5)),
)
_ELEMENTS = [[2, 1], [3, 2], [0, 0]]
_LU = holding([[4.0, 1.0, -1.0], [0.5, 3.0, 1.0], [0.25, -0.5, 2.0]], "float32")

CALLS = {
    "tf.acosh": call(tensor(3, 4, low=1.5, high=5.0)),
    "tf.add_n": call([tensor(3, 4), tensor(3, 4)]),
    "tf.argsort": call(tensor(3, 4)),
    "tf.batch_to_space": call(tensor(4, 3, 2, 3), [2, 2], [[0, 1], [1, 0]]),
    "tf.broadcast_dynamic_shape": call(holding([3, 1, 4]), holding([2, 1])),
    "tf.broadcast_static_shape": call(
        Made("tf.TensorShape", [3, 1, 4]), Made("tf.TensorShape", [2, 1])
    ),
    "tf.debugging.assert_all_finite": call(tensor(3, 4), "numbers"),
    "tf.debugging.check_numerics": call(tensor(3, 4), "numbers"),
    "tf.dynamic_stitch": call([holding([0, 2]), holding([1, 3])], [tensor(2, 3), tensor(2, 3)]),
    "tf.edit_distance": call(
        sparse(((0, 0), (0, 1), (1, 0)), (2, 2), [1, 2, 3]),
        sparse(((0, 0), (1, 0), (1, 1)), (2, 2), [1, 3, 2]),
    ),
    "tf.experimental.numpy.arange": call(2, 11, 3),
    "tf.experimental.numpy.arccosh": call(tensor(3, 4, low=1.5, high=5.0)),
    "tf.experimental.numpy.around": call(tensor(3, 4), 1),
    "tf.experimental.numpy.atleast_1d": call(tensor()),
    "tf.experimental.numpy.atleast_2d": call(tensor(4)),
    "tf.experimental.numpy.atleast_3d": call(tensor(3, 4)),
    "tf.experimental.numpy.diag_indices": call(4, 2),
    "tf.experimental.numpy.full": call([3, 4], tensor(4)),
    "tf.experimental.numpy.full_like": call(tensor(3, 4), tensor()),
    "tf.experimental.numpy.geomspace": call(1.0, 64.0, 7),
    "tf.experimental.numpy.identity": call(4),
    "tf.experimental.numpy.matmul": call(tensor(3, 4), tensor(4, 2)),
    "tf.experimental.numpy.polyval": call(tensor(3), tensor(4)),
    "tf.experimental.numpy.random.poisson": call(3.0, [3, 4]),
    "tf.experimental.numpy.random.rand": call(3, 4),
    "tf.experimental.numpy.random.randint": call(2, 9, [3, 4]),
    "tf.experimental.numpy.random.randn": call(3, 4),
    "tf.experimental.numpy.random.random": call([3, 4]),
    "tf.experimental.numpy.random.standard_normal": call([3, 4]),
    "tf.experimental.numpy.random.uniform": call(-1.0, 2.0, [3, 4]),
    "tf.experimental.numpy.round": call(tensor(3, 4), 1),
    "tf.experimental.numpy.select": call(
        [Wanted((3, 4), "bool"), Wanted((3, 4), "bool")], [tensor(3, 4), tensor(3, 4)]
    ),
    "tf.experimental.numpy.take_along_axis": call(
        tensor(3, 4), holding([[0, 2, 1], [3, 0, 0], [1, 1, 2]]), 1
    ),
    "tf.experimental.numpy.where": call(Wanted((3, 4), "bool"), tensor(3, 4), tensor(3, 4)),
    "tf.fill": call([3, 4], tensor()),
    "tf.foldl": call(Named("tf.math.add"), tensor(3, 4)),
    "tf.foldr": call(Named("tf.math.add"), tensor(3, 4)),
    "tf.gather_nd": call(tensor(3, 4), holding(_ELEMENTS)),
    "tf.image.adjust_jpeg_quality": call(tensor(8, 8, 3, low=0, high=1), 75),
    "tf.image.combined_non_max_suppression": call(
        holding([[[box] for box in _BOXES]], "float32"), tensor(1, 3, 2, low=0, high=1), 2, 3
    ),
    "tf.image.crop_and_resize": call(
        _PICTURES, holding(_BOXES, "float32"), holding([0, 1, 0]), [3, 4]
    ),
    "tf.image.draw_bounding_boxes": call(
        _PICTURES, holding([_BOXES, _BOXES], "float32"), tensor(2, 3, low=0, high=1)
    ),
    "tf.image.extract_glimpse": call(_PICTURES, [3, 2], tensor(2, 2), noise="zero"),
    "tf.image.grayscale_to_rgb": call(tensor(2, 6, 5, 1)),
    "tf.image.hsv_to_rgb": call(_PICTURES),
    "tf.image.non_max_suppression_overlaps": call(
        tensor(4, 4, low=0, high=1), tensor(4, low=0, high=1), 3, 0.5, 0.0
    ),
    "tf.image.pad_to_bounding_box": call(_PICTURES, 1, 2, 9, 8),
    "tf.image.random_jpeg_quality": call(tensor(8, 8, 3, low=0, high=1), 60, 90, seed=1),
    "tf.image.rgb_to_hsv": call(_PICTURES),
    "tf.image.sample_distorted_bounding_box": call(
        holding([6, 5, 3]), holding([_BOXES], "float32"), 1, 0.3
    ),
    "tf.image.ssim": call(
        tensor(2, 12, 13, 3, low=0, high=1), tensor(2, 12, 13, 3, low=0, high=1), 1.0
    ),
    "tf.image.ssim_multiscale": call(
        tensor(1, 16, 16, 1, low=0, high=1),
        tensor(1, 16, 16, 1, low=0, high=1),
        1.0,
        (0.4, 0.6),
        4,
    ),
    "tf.image.stateless_random_jpeg_quality": call(tensor(8, 8, 3, low=0, high=1), 60, 90, [1, 2]),
    "tf.image.stateless_random_saturation": call(tensor(6, 5, 3, low=0, high=1), 0.5, 1.5, [1, 2]),
    "tf.image.stateless_sample_distorted_bounding_box": call(
        holding([6, 5, 3]), holding([_BOXES], "float32"), [1, 2], 0.3
    ),
    "tf.linalg.banded_triangular_solve": call(tensor(2, 4, low=1.0, high=3.0), tensor(4, 3)),
    "tf.linalg.eigh_tridiagonal": call(tensor(5), tensor(4)),
    "tf.linalg.lu_matrix_inverse": call(_LU, holding([2, 0, 1])),
    "tf.linalg.lu_reconstruct": call(_LU, holding([2, 0, 1])),
    "tf.linalg.lu_solve": call(_LU, holding([2, 0, 1]), tensor(3, 2)),
    "tf.linalg.tridiagonal_matmul": call(
        [tensor(4), tensor(4), tensor(4)], tensor(4, 2), diagonals_format="sequence"
    ),
    "tf.linalg.tridiagonal_solve": call(tensor(3, 4, low=1.0, high=4.0), tensor(4, 2)),
    "tf.linspace": call(tensor(3), tensor(3, low=2.0, high=4.0), 5),
    "tf.math.betainc": call(
        tensor(5, low=0.5, high=3.0), tensor(5, low=0.5, high=3.0), tensor(5, low=0, high=1)
    ),
    "tf.math.bincount": call(holding([1, 3, 2, 2, 0])),
    "tf.math.confusion_matrix": call(holding([0, 2, 1, 2, 3]), holding([1, 2, 1, 0, 3]), 4),
    "tf.math.igamma": call(tensor(5, low=0.5, high=3.0), tensor(5, low=0.5, high=4.0)),
    "tf.math.igammac": call(tensor(5, low=0.5, high=3.0), tensor(5, low=0.5, high=4.0)),
    "tf.math.invert_permutation": call(holding([2, 0, 1, 4, 3])),
    "tf.math.lbeta": call(tensor(3, 4, low=0.5, high=4.0)),
    "tf.math.polygamma": call(
        holding([1.0, 2.0, 3.0, 1.0, 2.0], "float32"), tensor(5, low=0.5, high=4.0)
    ),
    "tf.math.polyval": call([tensor(3, 4), tensor(3, 4), tensor(3, 4)], tensor(3, 4)),
    "tf.math.sobol_sample": call(3, 5, 2),
    "tf.math.zeta": call(tensor(5, low=1.5, high=5.0), tensor(5, low=0.5, high=4.0)),
    "tf.matmul": call(tensor(3, 4), tensor(4, 2)),
    "tf.meshgrid": call(tensor(3), tensor(4)),
    "tf.nn.all_candidate_sampler": call(long([[1, 2], [3, 4]]), 2, 5, True, seed=1),
    "tf.nn.atrous_conv2d": call(tensor(2, 6, 6, 3), tensor(2, 3, 3, 4), 2, "SAME"),
    "tf.nn.atrous_conv2d_transpose": call(
        tensor(2, 6, 6, 4), tensor(2, 3, 3, 4), [2, 6, 6, 3], 2, "SAME"
    ),
    "tf.nn.collapse_repeated": call(holding([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]]), holding([5, 4])),
    "tf.nn.compute_accidental_hits": call(long([[1, 2], [3, 4]]), long([2, 3, 7]), 2),
    # Windows in steps, with gaps, beyond the edges: of each what the others do not have.
    "tf.nn.conv1d": [
        call(tensor(2, 9, 3), tensor(3, 3, 4), 1, "SAME"),
        call(tensor(2, 9, 3), tensor(3, 3, 4), 2, "VALID"),
        call(tensor(2, 9, 3), tensor(3, 3, 4), 1, "VALID", "NWC", 2),
        call(tensor(2, 9, 3), tensor(2, 3, 4), 3, "SAME"),
    ],
    "tf.nn.conv2d": [
        call(tensor(2, 7, 6, 3), tensor(3, 2, 3, 4), 1, "SAME"),
        call(tensor(2, 7, 6, 3), tensor(2, 3, 3, 4), [2, 3], "SAME"),
        call(tensor(2, 7, 6, 3), tensor(3, 2, 3, 4), 1, "VALID", "NHWC", [2, 3]),
        call(tensor(2, 7, 6, 3), tensor(2, 2, 3, 4), 2, [[0, 0], [1, 0], [0, 2], [0, 0]]),
    ],
    "tf.nn.conv3d": [
        call(tensor(2, 4, 5, 6, 2), tensor(2, 3, 2, 2, 3), [1, 1, 1, 1, 1], "SAME"),
        call(tensor(2, 4, 5, 6, 2), tensor(2, 2, 3, 2, 3), [1, 2, 2, 2, 1], "VALID"),
        call(tensor(2, 4, 5, 6, 2), tensor(2, 2, 3, 2, 3), [1, 2, 3, 2, 1], "SAME"),
    ],
    "tf.nn.convolution": [
        call(tensor(2, 9, 3), tensor(3, 3, 4), 2, "SAME"),
        call(tensor(2, 7, 6, 3), tensor(3, 2, 3, 4), 1, "SAME", "NHWC", [2, 1]),
        call(tensor(2, 4, 5, 6, 2), tensor(2, 2, 3, 2, 3), 1, "VALID"),
    ],
    "tf.nn.conv1d_transpose": call(tensor(2, 5, 4), tensor(3, 2, 4), [2, 10, 2], 2),
    "tf.nn.conv2d_transpose": call(tensor(2, 3, 4, 4), tensor(3, 2, 5, 4), [2, 6, 8, 5], [2, 2]),
    "tf.nn.conv3d_transpose": call(
        tensor(1, 2, 3, 2, 4), tensor(2, 3, 2, 3, 4), [1, 4, 6, 4, 3], [2, 2, 2]
    ),
    "tf.nn.conv_transpose": call(tensor(2, 3, 4, 4), tensor(3, 2, 5, 4), [2, 6, 8, 5], [2, 2]),
    "tf.nn.ctc_beam_search_decoder": call(tensor(5, 2, 4), holding([5, 3]), 3),
    "tf.nn.ctc_greedy_decoder": call(tensor(5, 2, 4), holding([5, 3])),
    "tf.nn.ctc_loss": call(
        holding([[1, 2], [3, 1]]), tensor(5, 2, 4), holding([2, 1]), holding([5, 4])
    ),
    "tf.nn.ctc_unique_labels": call(holding([[1, 3, 3, 2], [2, 2, 0, 0]])),
    "tf.nn.depthwise_conv2d": [
        call(tensor(2, 7, 6, 3), tensor(3, 2, 3, 2), [1, 1, 1, 1], "SAME"),
        call(tensor(2, 7, 6, 3), tensor(2, 3, 3, 1), [1, 2, 2, 1], "VALID"),
        call(tensor(2, 7, 6, 3), tensor(3, 2, 3, 2), [1, 1, 1, 1], "VALID", "NHWC", [2, 3]),
    ],
    "tf.nn.depthwise_conv2d_backprop_filter": call(
        tensor(2, 6, 5, 3), [2, 3, 3, 2], tensor(2, 6, 5, 6), [1, 1, 1, 1], "SAME"
    ),
    "tf.nn.depthwise_conv2d_backprop_input": call(
        [2, 6, 5, 3], tensor(2, 3, 3, 2), tensor(2, 6, 5, 6), [1, 1, 1, 1], "SAME"
    ),
    "tf.nn.dilation2d": call(
        tensor(2, 6, 5, 3), tensor(2, 3, 3), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]
    ),
    "tf.nn.dropout": call(tensor(3, 4), 0.4, seed=1),
    "tf.nn.embedding_lookup": call(tensor(5, 3), holding([[0, 2], [4, 1]])),
    "tf.nn.embedding_lookup_sparse": call(
        tensor(5, 3), sparse(((0, 0), (0, 2), (1, 1)), (2, 3), [1, 4, 2]), None, "sum"
    ),
    "tf.nn.erosion2d": call(
        tensor(2, 6, 5, 3), tensor(2, 3, 3), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]
    ),
    "tf.nn.experimental.general_dropout": call(tensor(3, 4), 0.4, Named("tf.random.uniform")),
    "tf.nn.experimental.stateless_dropout": call(tensor(3, 4), 0.4, [1, 2]),
    "tf.nn.fixed_unigram_candidate_sampler": call(
        long([[1, 2], [3, 4]]), 2, 3, True, 5, unigrams=(0.1, 0.2, 0.3, 0.2, 0.2), seed=1
    ),
    "tf.nn.in_top_k": call(holding([1, 3, 0]), tensor(3, 4), 2),
    "tf.nn.learned_unigram_candidate_sampler": _CLASSES,
    "tf.nn.nce_loss": _SAMPLED,
    "tf.nn.safe_embedding_lookup_sparse": call(
        tensor(5, 3), sparse(((0, 0), (0, 2), (1, 1)), (2, 3), [1, 4, 2])
    ),
    "tf.nn.sampled_softmax_loss": _SAMPLED,
    "tf.nn.separable_conv2d": call(
        tensor(2, 6, 5, 3), tensor(2, 3, 3, 2), tensor(1, 1, 6, 4), [1, 1, 1, 1], "SAME"
    ),
    "tf.nn.sigmoid_cross_entropy_with_logits": call(tensor(3, 4, low=0, high=1), tensor(3, 4)),
    "tf.nn.sparse_softmax_cross_entropy_with_logits": call(holding([1, 3, 0]), tensor(3, 4)),
    "tf.quantization.dequantize": call(quantized(3, 4), -1.0, 1.0),
    "tf.quantization.quantized_concat": call(
        0, [quantized(3, 4), quantized(2, 4)], [-1.0, -2.0], [1.0, 2.0]
    ),
    "tf.quantization.fake_quant_with_min_max_vars_per_channel": call(
        tensor(3, 4), tensor(4, low=-2.0, high=-1.0), tensor(4, low=1.0, high=2.0)
    ),
    "tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient": call(
        tensor(3, 4), tensor(3, 4), tensor(4, low=-2.0, high=-1.0), tensor(4, low=1.0, high=2.0)
    ),
    "tf.quantization.quantize": call(tensor(3, 4), -2.0, 2.0, dtype("quint8")),
    "tf.ragged.constant": call([[1.5, 2.5], [], [3.0]]),
    "tf.ragged.cross_hashed": call(list(_ROWS), 9),
    "tf.ragged.map_flat_values": call(Named("tf.math.square"), ragged()),
    "tf.ragged.range": call(holding([0, 2, 5]), holding([3, 2, 9])),
    "tf.ragged.row_splits_to_segment_ids": call(long([0, 2, 2, 5])),
    "tf.ragged.stack": call([ragged(), ragged()]),
    "tf.ragged_fill_empty_rows": call(long([0, 0, 2]), tensor(3), 4, tensor()),
    "tf.ragged_fill_empty_rows_grad": call(long([2, 0, 1]), tensor(4)),
    "tf.random.categorical": call(tensor(3, 4), 5, seed=1),
    "tf.random.experimental.index_shuffle": call(
        holding([0, 3, 5]), holding([[1, 2, 3]] * 3, "uint32"), holding(7)
    ),
    "tf.random.fold_in": call([1, 2], 3),
    "tf.random.gamma": call([3], tensor(4, low=0.5, high=3.0), seed=1),
    "tf.random.log_uniform_candidate_sampler": _CLASSES,
    "tf.random.poisson": call([3], tensor(4, low=0.5, high=5.0), seed=1),
    "tf.random.stateless_binomial": call(
        [3, 4], [1, 2], tensor(4, low=2.0, high=9.0), tensor(4, low=0, high=1)
    ),
    "tf.random.stateless_categorical": call(tensor(3, 4), 5, [1, 2]),
    "tf.random.stateless_gamma": call([3, 4], [1, 2], tensor(4, low=0.5, high=3.0)),
    "tf.random.stateless_poisson": call(
        [3, 4], [1, 2], tensor(4, low=0.5, high=5.0), dtype("int32")
    ),
    "tf.random.uniform_candidate_sampler": _CLASSES,
    "tf.random_index_shuffle": call(holding([0, 3, 5]), holding([1, 2, 3], "uint32"), holding(7)),
    "tf.range": call(2, 11, 3),
    "tf.reverse": call(tensor(3, 4), [0, 1]),
    "tf.reverse_sequence": call(tensor(3, 4), holding([2, 3, 4]), 1, 0),
    "tf.scalar_mul": call(0.5, tensor(3, 4)),
    "tf.scan": call(Named("tf.math.add"), tensor(3, 4)),
    "tf.scatter_nd": call(holding(_ELEMENTS), tensor(3), [4, 3]),
    "tf.searchsorted": call(
        holding([[1.0, 2.0, 3.5, 4.0, 6.0]] * 2, "float32"), tensor(2, 3, low=0, high=7)
    ),
    "tf.sets.difference": call(holding([[1, 2, 3], [4, 5, 6]]), holding([[2, 3, 9], [6, 7, 5]])),
    "tf.sets.size": call(sparse(((0, 0), (0, 1), (1, 0)), (2, 2), [1, 2, 3])),
    "tf.signal.irfft": call(_COMPLEX),
    "tf.signal.linear_to_mel_weight_matrix": call(5, 17, 8000, 100.0, 3000.0),
    "tf.signal.mdct": call(tensor(24), 8),
    "tf.sort": call(tensor(3, 4)),
    "tf.sparse.add": call(sparse(), sparse(((0, 0), (1, 1), (2, 3)))),
    "tf.sparse.bincount": call(holding([1, 3, 2, 2, 0])),
    "tf.sparse.concat": call(1, [sparse(), sparse()]),
    "tf.sparse.cross_hashed": call([_ROWS[0], sparse(((0, 0), (1, 0)), (2, 1), [5, 6])], 9),
    "tf.sparse.expand_dims": call(sparse(), 1),
    "tf.sparse.fill_empty_rows": call(sparse(((0, 0), (2, 1))), 0.5),
    "tf.sparse.mask": call(
        Made("tf.IndexedSlices", tensor(3, 2), holding([0, 2, 4])), holding([2])
    ),
    "tf.sparse.maximum": call(sparse(), sparse(((0, 0), (1, 1), (2, 3)))),
    "tf.sparse.minimum": call(sparse(), sparse(((0, 0), (1, 1), (2, 3)))),
    "tf.sparse.reduce_max": call(sparse(), 1),
    "tf.sparse.reduce_sum": call(sparse(), 1),
    "tf.sparse.reorder": call(sparse(((2, 1), (0, 0), (1, 2)))),
    "tf.sparse.reset_shape": call(sparse(), [4, 5]),
    "tf.sparse.reshape": call(sparse(), [2, 6]),
    "tf.sparse.retain": call(sparse(), holding([True, False, True])),
    "tf.sparse.sampled_addmm": call(
        holding([[0, 0], [1, 2], [2, 1]]), tensor(3), [3, 4], tensor(3, 2), tensor(2, 4)
    ),
    "tf.sparse.slice": call(sparse(), [0, 0], [2, 3]),
    "tf.sparse.softmax": call(sparse()),
    "tf.sparse.sparse_dense_matmul": call(sparse(), tensor(4, 2)),
    "tf.sparse.split": call(sparse(), 2, 1),
    "tf.sparse.to_dense": call(sparse(), 0.5),
    "tf.sparse.to_indicator": call(sparse(((0, 0), (1, 0), (1, 1)), (2, 2), [1, 2, 4]), 6),
    "tf.sparse.transpose": call(sparse(), [1, 0]),
    "tf.tensordot": call(tensor(3, 4), tensor(4, 2), 1),
    "tf.vectorized_map": call(Named("tf.reduce_sum"), tensor(3, 4)),
    "tf.where": call(Wanted((3, 4), "bool"), tensor(3, 4), tensor(3, 4)),
}
