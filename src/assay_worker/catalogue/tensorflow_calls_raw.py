"""Calls of raw operators whose arguments depend on each other in ways that no registry tells."""

from assay_worker.catalogue.tensorflow_facts import dtype
from assay_worker.catalogue.wanted import Wanted, holding, tensor

#: Places of a sparse matrix of three rows and four columns, and of another one.
_PLACES = [[0, 0], [1, 2], [2, 1]]
_OTHER_PLACES = [[0, 0], [1, 1], [2, 3]]
_SHAPE = [3, 4]


def long(values):
    """A tensor of 64-bit integers."""
    return holding(values, "int64")


def _sparse(indices="indices", values="values", shape="shape", places=_PLACES, **more):
    """A sparse matrix under the names that an operator has for its parts."""
    return dict({indices: long(places), values: tensor(3), shape: list(_SHAPE)}, **more)


def _sets(values):
    """Sets of small numbers."""
    return holding(values, "int32")


_BOXES = [[0.1, 0.1, 0.6, 0.7], [0.2, 0.0, 0.9, 0.8], [0.0, 0.3, 0.5, 1.0]]
_KEY = {"key": Wanted((1,), "uint64", 1, 9), "counter": Wanted((2,), "uint64", 1, 9), "alg": 1}

# Of LSTMs: two rows, four inputs, three units.
_CELL = {
    "cs_prev": tensor(2, 3),
    "h_prev": tensor(2, 3),
    "w": tensor(7, 12),
    "wci": tensor(3),
    "wcf": tensor(3),
    "wco": tensor(3),
    "b": tensor(12),
}
_LSTM = dict(_CELL, x=tensor(2, 4))
_LSTMS = dict(_CELL, x=tensor(5, 2, 4), seq_len_max=long(5))
_GATES = ("i", "cs", "f", "o", "ci", "co")
_LSTMS_GRADIENT = dict(
    _LSTMS,
    use_peephole=True,
    **{name: tensor(5, 2, 3) for name in _GATES + ("h", "cs_grad", "h_grad")},
)
_GRU = {
    "x": tensor(2, 4),
    "h_prev": tensor(2, 3),
    "w_ru": tensor(7, 6),
    "w_c": tensor(7, 3),
    "b_ru": tensor(6),
    "b_c": tensor(3),
}
_PROJECTION = [[1.0, 0.1, 0.5, -0.1, 1.0, 0.2, 0.0, 0.0]] * 2
_PICTURES = {"images": tensor(2, 6, 5, 3), "transforms": holding(_PROJECTION, "float32")}
_CONVOLVED = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_ROWS = {
    "superdiag": tensor(1, 4),
    "maindiag": tensor(1, 4),
    "subdiag": tensor(1, 4),
    "rhs": tensor(4, 3),
}
_CROSSED = {"indices": [long([[0, 0], [1, 0]])], "values": [long([3, 4])], "shapes": [[2, 1]]}
_DENSE_CROSSED = dict(_CROSSED, dense_inputs=[long([[1], [2]])])
_COMPARED = {
    "hypothesis_indices": long([[0, 0], [0, 1], [1, 0]]),
    "hypothesis_values": holding([1, 2, 3]),
    "hypothesis_shape": [2, 2],
    "truth_indices": long([[0, 0], [1, 0], [1, 1]]),
    "truth_values": holding([1, 3, 2]),
    "truth_shape": [2, 2],
}
_FIRST_SET = {"set1_indices": long([[0, 0], [0, 1], [1, 0]]), "set1_values": _sets([1, 2, 3])}
_SECOND_SET = {
    "set2_indices": long([[0, 0], [1, 0], [1, 1]]),
    "set2_values": _sets([1, 3, 4]),
    "set2_shape": [2, 2],
}


def _two(**more):
    """Two sparse matrices."""
    found = _sparse("a_indices", "a_values", "a_shape")
    found.update(_sparse("b_indices", "b_values", "b_shape", _OTHER_PLACES))
    return dict(found, **more)


def _reduced():
    return _sparse("input_indices", "input_values", "input_shape", reduction_axes=[1])


def quantized(*shape, **said):
    """A tensor of quantized numbers, all that the type has but the ends."""
    kind = said.get("kind", "quint8")
    low = 1 if kind == "quint8" else -100
    return tensor(*shape, dtype=kind, low=low, high=100)


def _range(name):
    """What the least and the greatest quantized number mean."""
    return {"min_" + name: -1.0, "max_" + name: 1.0}


def _uniform(prefix, kind):
    """How numbers of a type are spread."""
    least, greatest = {"qint8": (-128, 127), "qint32": (-(1 << 31), (1 << 31) - 1)}[kind]
    found = {prefix + "quantization_min_val": least, prefix + "quantization_max_val": greatest}
    scales = tensor(low=0.25, high=0.75)
    return dict(found, **{prefix + "scales": scales, prefix + "zero_points": holding(1)})


def _uniforms(lhs, rhs, output):
    """The same of both sides and the result."""
    return dict(_uniform("lhs_", lhs), **dict(_uniform("rhs_", rhs), **_uniform("output_", output)))


_POOLED = dict(
    _range("input"),
    input=quantized(2, 6, 6, 3),
    ksize=[1, 2, 2, 1],
    strides=[1, 2, 2, 1],
    padding="VALID",
)
_NORMALISED = {
    name: value
    for part, shape in (
        ("t", (2, 4, 4, 3)),
        ("m", (3,)),
        ("v", (3,)),
        ("beta", (3,)),
        ("gamma", (3,)),
    )
    for name, value in (
        (part, quantized(*shape)),
        (part + "_min", 0.0 if part == "v" else -1.0),
        (part + "_max", 1.0),
    )
}
_PAIR = dict(_range("x"), x=quantized(3, 4), y=quantized(3, 4), **_range("y"))
_IN_8, _IN_32 = dtype("qint8"), dtype("qint32")

#: Keyword arguments by operator.
CALLS = {
    "AvgPoolGrad": {
        "orig_input_shape": [2, 6, 6, 3],
        "grad": tensor(2, 3, 3, 3),
        "ksize": [1, 2, 2, 1],
        "strides": [1, 2, 2, 1],
        "padding": "VALID",
    },
    "AvgPool3DGrad": {
        "orig_input_shape": [2, 4, 4, 4, 3],
        "grad": tensor(2, 2, 2, 2, 3),
        "ksize": [1, 2, 2, 2, 1],
        "strides": [1, 2, 2, 2, 1],
        "padding": "VALID",
    },
    "BatchToSpace": {"input": tensor(4, 3, 2, 3), "crops": [[0, 1], [1, 0]], "block_size": 2},
    "BatchToSpaceND": {
        "input": tensor(4, 3, 2, 3),
        "block_shape": [2, 2],
        "crops": [[0, 1], [1, 0]],
    },
    "Betainc": {
        "a": tensor(5, low=0.5, high=3.0),
        "b": tensor(5, low=0.5, high=3.0),
        "x": tensor(5, low=0, high=1),
    },
    "BlockLSTM": _LSTMS,
    "BlockLSTMGrad": _LSTMS_GRADIENT,
    "BlockLSTMGradV2": _LSTMS_GRADIENT,
    "BlockLSTMV2": _LSTMS,
    "CTCBeamSearchDecoder": {
        "inputs": tensor(5, 2, 4),
        "sequence_length": holding([5, 3]),
        "beam_width": 3,
        "top_paths": 1,
    },
    "CTCGreedyDecoder": {"inputs": tensor(5, 2, 4), "sequence_length": holding([5, 3])},
    "CTCLoss": {
        "inputs": tensor(5, 2, 4),
        "labels_indices": long([[0, 0], [0, 1], [1, 0]]),
        "labels_values": holding([0, 2, 1]),
        "sequence_length": holding([5, 4]),
    },
    "CombinedNonMaxSuppression": {
        "boxes": holding([[[box] for box in _BOXES]], "float32"),
        "scores": tensor(1, 3, 2, low=0, high=1),
        "max_output_size_per_class": 2,
        "max_total_size": 3,
        "iou_threshold": 0.5,
        "score_threshold": 0.1,
    },
    "ComputeAccidentalHits": {
        "true_classes": long([[1, 2], [3, 4]]),
        "sampled_candidates": long([2, 3, 7]),
        "num_true": 2,
    },
    "Conv2DBackpropFilter": dict(
        _CONVOLVED,
        input=tensor(2, 6, 5, 3),
        filter_sizes=[2, 3, 3, 4],
        out_backprop=tensor(2, 6, 5, 4),
    ),
    "Conv2DBackpropInput": dict(
        _CONVOLVED,
        input_sizes=[2, 6, 5, 3],
        filter=tensor(2, 3, 3, 4),
        out_backprop=tensor(2, 6, 5, 4),
    ),
    "Conv3DBackpropFilterV2": {
        "input": tensor(2, 4, 5, 4, 3),
        "filter_sizes": [2, 3, 2, 3, 2],
        "out_backprop": tensor(2, 4, 5, 4, 2),
        "strides": [1, 1, 1, 1, 1],
        "padding": "SAME",
    },
    "Conv3DBackpropInputV2": {
        "input_sizes": [2, 4, 5, 4, 3],
        "filter": tensor(2, 3, 2, 3, 2),
        "out_backprop": tensor(2, 4, 5, 4, 2),
        "strides": [1, 1, 1, 1, 1],
        "padding": "SAME",
    },
    "CropAndResizeGradBoxes": {
        "grads": tensor(3, 3, 4, 2),
        "image": tensor(2, 6, 5, 2),
        "boxes": holding(_BOXES, "float32"),
        "box_ind": holding([0, 1, 0]),
    },
    "CropAndResizeGradImage": {
        "grads": tensor(3, 3, 4, 2),
        "boxes": holding(_BOXES, "float32"),
        "box_ind": holding([0, 1, 0]),
        "image_size": [2, 6, 5, 2],
        "T": dtype("float32"),
    },
    "DenseToDenseSetOperation": {
        "set1": _sets([[1, 2, 3], [4, 5, 6]]),
        "set2": _sets([[2, 3, 9], [6, 7, 5]]),
        "set_operation": "union",
    },
    "DenseToSparseSetOperation": dict(
        _SECOND_SET, set1=_sets([[1, 2, 3], [4, 5, 6]]), set_operation="union"
    ),
    "DepthwiseConv2dNativeBackpropFilter": dict(
        _CONVOLVED,
        input=tensor(2, 6, 5, 3),
        filter_sizes=[2, 3, 3, 2],
        out_backprop=tensor(2, 6, 5, 6),
    ),
    "DepthwiseConv2dNativeBackpropInput": dict(
        _CONVOLVED,
        input_sizes=[2, 6, 5, 3],
        filter=tensor(2, 3, 3, 2),
        out_backprop=tensor(2, 6, 5, 6),
    ),
    "DrawBoundingBoxesV2": {
        "images": tensor(2, 6, 5, 3),
        "boxes": holding([_BOXES, _BOXES], "float32"),
        "colors": tensor(2, 3, low=0, high=1),
    },
    "EditDistance": _COMPARED,
    "ExtractGlimpse": {
        "input": tensor(2, 6, 5, 3),
        "size": [3, 2],
        "offsets": tensor(2, 2),
        "noise": "zero",
        "uniform_noise": False,
    },
    "ExtractGlimpseV2": {
        "input": tensor(2, 6, 5, 3),
        "size": [3, 2],
        "offsets": tensor(2, 2),
        "noise": "zero",
        "uniform_noise": False,
    },
    "FakeQuantWithMinMaxVarsPerChannel": {
        "inputs": tensor(3, 4),
        "min": tensor(4, low=-2.0, high=-1.0),
        "max": tensor(4, low=1.0, high=2.0),
    },
    "FakeQuantWithMinMaxVarsPerChannelGradient": {
        "gradients": tensor(3, 4),
        "inputs": tensor(3, 4),
        "min": tensor(4, low=-2.0, high=-1.0),
        "max": tensor(4, low=1.0, high=2.0),
    },
    "FractionalAvgPoolGrad": {
        "orig_input_tensor_shape": [2, 6, 6, 3],
        "out_backprop": tensor(2, 4, 4, 3),
        "row_pooling_sequence": long([0, 2, 3, 5, 6]),
        "col_pooling_sequence": long([0, 1, 3, 4, 6]),
    },
    "FractionalMaxPoolGrad": {
        "orig_input": tensor(1, 4, 4, 1),
        "orig_output": tensor(1, 2, 2, 1),
        "out_backprop": tensor(1, 2, 2, 1),
        "row_pooling_sequence": long([0, 2, 4]),
        "col_pooling_sequence": long([0, 2, 4]),
    },
    "FusedPadConv2D": dict(
        _CONVOLVED,
        input=tensor(2, 6, 5, 3),
        paddings=[[0, 0], [1, 1], [2, 1], [0, 0]],
        filter=tensor(2, 3, 3, 4),
        mode="REFLECT",
    ),
    "FusedResizeAndPadConv2D": dict(
        _CONVOLVED,
        input=tensor(2, 6, 5, 3),
        size=[7, 8],
        paddings=[[0, 0], [1, 1], [2, 1], [0, 0]],
        filter=tensor(2, 3, 3, 4),
        mode="REFLECT",
    ),
    "GRUBlockCell": _GRU,
    "GRUBlockCellGrad": dict(
        _GRU, r=tensor(2, 3), u=tensor(2, 3), c=tensor(2, 3), d_h=tensor(2, 3)
    ),
    "ImageProjectiveTransformV2": dict(_PICTURES, output_shape=[4, 5], interpolation="BILINEAR"),
    "ImageProjectiveTransformV3": dict(
        _PICTURES, output_shape=[4, 5], fill_value=0.5, interpolation="BILINEAR"
    ),
    "InvertPermutation": {"x": holding([2, 0, 1, 4, 3])},
    "KmeansPlusPlusInitialization": {
        "points": tensor(6, 3),
        "num_to_sample": 2,
        "seed": 1,
        "num_retries_per_sample": 2,
    },
    "LSTMBlockCell": _LSTM,
    "LSTMBlockCellGrad": dict(
        _LSTM, use_peephole=True, **{name: tensor(2, 3) for name in _GATES + ("cs_grad", "h_grad")}
    ),
    "NonMaxSuppressionWithOverlaps": {
        "overlaps": tensor(4, 4, low=0, high=1),
        "scores": tensor(4, low=0, high=1),
        "max_output_size": 3,
        "overlap_threshold": 0.5,
        "score_threshold": 0.0,
    },
    "Polygamma": {
        "a": holding([1.0, 2.0, 3.0, 1.0, 2.0], "float32"),
        "x": tensor(5, low=0.5, high=4.0),
    },
    "RaggedBincount": {
        "splits": long([0, 2, 5]),
        "values": holding([1, 3, 2, 2, 0]),
        "size": 4,
        "weights": tensor(5),
    },
    "RaggedCountSparseOutput": {
        "splits": long([0, 2, 5]),
        "values": holding([1, 3, 2, 2, 0]),
        "weights": tensor(5),
        "binary_output": False,
    },
    "RaggedCross": {
        "ragged_values": [long([3, 4, 5])],
        "ragged_row_splits": [long([0, 1, 3])],
        "sparse_indices": [],
        "sparse_values": [],
        "sparse_shape": [],
        "dense_inputs": [long([[1], [2]])],
        "input_order": "RD",
        "hashed_output": True,
        "num_buckets": 9,
        "hash_key": 956888297470,
        "out_values_type": dtype("int64"),
        "out_row_splits_type": dtype("int64"),
    },
    "RaggedFillEmptyRows": {
        "value_rowids": long([0, 0, 2]),
        "values": tensor(3),
        "nrows": 4,
        "default_value": tensor(),
    },
    "RaggedFillEmptyRowsGrad": {"reverse_index_map": long([2, 0, 1]), "grad_values": tensor(4)},
    "RaggedGather": {
        "params_nested_splits": [long([0, 2, 5])],
        "params_dense_values": tensor(5, 3),
        "indices": holding([1, 0, 1]),
        "OUTPUT_RAGGED_RANK": 1,
    },
    "Range": {"start": holding(2), "limit": holding(11), "delta": holding(3)},
    "RaggedRange": {
        "starts": holding([0, 2, 5]),
        "limits": holding([3, 2, 9]),
        "deltas": holding([1, 1, 2]),
    },
    "RaggedTensorToSparse": {"rt_nested_splits": [long([0, 2, 5])], "rt_dense_values": tensor(5)},
    "RaggedTensorToTensor": {
        "shape": [-1, -1],
        "values": tensor(5),
        "default_value": tensor(),
        "row_partition_tensors": [long([0, 2, 5])],
        "row_partition_types": ["ROW_SPLITS"],
    },
    "RandomIndexShuffle": {
        "index": holding([0, 3, 5]),
        "seed": holding([1, 2, 3], "uint32"),
        "max_index": holding(7),
    },
    "ReverseV2": {"tensor": tensor(3, 4), "axis": [0, 1]},
    "ScaleAndTranslate": {
        "images": tensor(2, 6, 5, 3),
        "size": [4, 7],
        "scale": tensor(2, low=0.5, high=1.5),
        "translation": tensor(2),
    },
    "ScaleAndTranslateGrad": {
        "grads": tensor(2, 4, 7, 3),
        "original_image": tensor(2, 6, 5, 3),
        "scale": tensor(2, low=0.5, high=1.5),
        "translation": tensor(2),
    },
    "Select": {"condition": Wanted((3, 4), "bool"), "x": tensor(3, 4), "y": tensor(3, 4)},
    "SetSize": {
        "set_indices": long([[0, 0], [0, 1], [1, 0]]),
        "set_values": _sets([1, 2, 3]),
        "set_shape": [2, 2],
    },
    "SobolSample": {"dim": 3, "num_results": 5, "skip": 2},
    "SparseAdd": _two(thresh=0.0),
    "SparseBincount": {
        "indices": long(_PLACES),
        "values": holding([1, 3, 2]),
        "dense_shape": _SHAPE,
        "size": 4,
        "weights": tensor(3),
    },
    "SparseConcat": {
        "indices": [long(_PLACES), long(_OTHER_PLACES)],
        "values": [tensor(3), tensor(3)],
        "shapes": [_SHAPE, _SHAPE],
        "concat_dim": 1,
    },
    "SparseCountSparseOutput": {
        "indices": long(_PLACES),
        "values": holding([1, 3, 2]),
        "dense_shape": _SHAPE,
        "weights": tensor(3),
        "binary_output": False,
    },
    "SparseCross": dict(
        _DENSE_CROSSED,
        hashed_output=True,
        num_buckets=9,
        hash_key=956888297470,
        out_type=dtype("int64"),
        internal_type=dtype("int64"),
    ),
    "SparseCrossHashed": dict(_DENSE_CROSSED, num_buckets=9, strong_hash=False, salt=[1, 2]),
    "SparseDenseCwiseAdd": _sparse("sp_indices", "sp_values", "sp_shape", dense=tensor(3, 4)),
    "SparseDenseCwiseDiv": _sparse("sp_indices", "sp_values", "sp_shape", dense=tensor(3, 4)),
    "SparseDenseCwiseMul": _sparse("sp_indices", "sp_values", "sp_shape", dense=tensor(3, 4)),
    "SparseFillEmptyRows": {
        "indices": long([[0, 0], [0, 2], [2, 1]]),
        "values": tensor(3),
        "dense_shape": _SHAPE,
        "default_value": tensor(),
    },
    "SparseFillEmptyRowsGrad": {"reverse_index_map": long([2, 0, 1]), "grad_values": tensor(4)},
    "SparseReduceMax": _reduced(),
    "SparseReduceMaxSparse": _reduced(),
    "SparseReduceSum": _reduced(),
    "SparseReduceSumSparse": _reduced(),
    "SparseReorder": {
        "input_indices": long([[2, 1], [0, 0], [1, 2]]),
        "input_values": tensor(3),
        "input_shape": _SHAPE,
    },
    "SparseReshape": {"input_indices": long(_PLACES), "input_shape": _SHAPE, "new_shape": [2, 6]},
    "SparseSlice": _sparse(start=[0, 0], size=[2, 3]),
    "SparseSliceGrad": {
        "backprop_val_grad": tensor(2),
        "input_indices": long(_PLACES),
        "input_start": [0, 0],
        "output_indices": long([[0, 0], [1, 2]]),
    },
    "SparseSoftmax": _sparse("sp_indices", "sp_values", "sp_shape"),
    "SparseSparseMaximum": _two(),
    "SparseSparseMinimum": _two(),
    "SparseSplit": _sparse(split_dim=1, num_split=2),
    "SparseTensorDenseAdd": {
        "a_indices": long(_PLACES),
        "a_values": tensor(3),
        "a_shape": long(_SHAPE),
        "b": tensor(3, 4),
    },
    "SparseTensorDenseMatMul": _sparse("a_indices", "a_values", "a_shape", b=tensor(4, 2)),
    "SparseToDense": {
        "sparse_indices": long(_PLACES),
        "output_shape": long(_SHAPE),
        "sparse_values": tensor(3),
        "default_value": tensor(),
    },
    "SparseToSparseSetOperation": dict(
        _FIRST_SET, set1_shape=[2, 2], set_operation="union", **_SECOND_SET
    ),
    "Split": {"axis": 1, "value": tensor(3, 4), "num_split": 2},
    "SplitV": {"value": tensor(3, 4), "size_splits": [1, 3], "axis": 1, "num_split": 2},
    "StatelessRandomGammaV3": dict(_KEY, shape=[3, 4], alpha=tensor(4, low=0.5, high=2.0)),
    "StatelessRandomNormalV2": dict(_KEY, shape=[3, 4]),
    "StatelessRandomUniformFullIntV2": dict(_KEY, shape=[3, 4], dtype=dtype("int32")),
    "StatelessRandomUniformIntV2": dict(_KEY, shape=[3, 4], minval=holding(-3), maxval=holding(9)),
    "StatelessRandomUniformV2": dict(_KEY, shape=[3, 4]),
    "StatelessSampleDistortedBoundingBox": {
        "image_size": holding([6, 5, 3]),
        "bounding_boxes": holding([_BOXES], "float32"),
        "min_object_covered": 0.3,
        "seed": [1, 2],
    },
    "StatelessShuffle": dict(_KEY, value=tensor(5, 3)),
    "StatelessTruncatedNormalV2": dict(_KEY, shape=[3, 4]),
    "TridiagonalMatMul": _ROWS,
    "TridiagonalSolve": {"diagonals": tensor(3, 4, low=1.0, high=4.0), "rhs": tensor(4, 2)},
    "UniqueV2": {"x": holding([[1, 0, 0], [1, 0, 0], [2, 0, 0]]), "axis": [0]},
    "UniqueWithCountsV2": {"x": holding([[1, 0, 0], [1, 0, 0], [2, 0, 0]]), "axis": [0]},
    "Where": {"condition": holding([[True, False], [True, True]])},
    "Zeta": {"x": tensor(5, low=1.5, high=5.0), "q": tensor(5, low=0.5, high=4.0)},
    "Dequantize": {"input": quantized(3, 4), "min_range": -1.0, "max_range": 1.0},
    "QuantizeDownAndShrinkRange": {
        "input": quantized(3, 4, kind="qint32"),
        "input_min": -1.0,
        "input_max": 1.0,
        "out_type": dtype("quint8"),
    },
    "QuantizedAdd": _PAIR,
    "QuantizedAvgPool": _POOLED,
    "QuantizedBatchNormWithGlobalNormalization": dict(
        _NORMALISED, out_type=_IN_32, variance_epsilon=0.01, scale_after_normalization=True
    ),
    "QuantizedBiasAdd": dict(
        _range("input"), input=quantized(3, 4), bias=quantized(4), out_type=_IN_32, **_range("bias")
    ),
    "QuantizedConcat": {
        "concat_dim": 0,
        "values": [quantized(3, 4), quantized(2, 4)],
        "input_mins": [-1.0, -2.0],
        "input_maxes": [1.0, 2.0],
    },
    "QuantizedConv2D": dict(
        _CONVOLVED,
        input=quantized(2, 6, 5, 3),
        filter=quantized(2, 3, 3, 4),
        **dict(_range("input"), **_range("filter")),
    ),
    "QuantizedInstanceNorm": {"x": quantized(2, 6, 5, 3), "x_min": -1.0, "x_max": 1.0},
    "QuantizedMatMul": dict(_range("a"), a=quantized(3, 4), b=quantized(4, 2), **_range("b")),
    "QuantizedMaxPool": _POOLED,
    "QuantizedMul": _PAIR,
    "QuantizedRelu": {"features": quantized(3, 4), "min_features": -1.0, "max_features": 1.0},
    "QuantizedRelu6": {"features": quantized(3, 4), "min_features": -1.0, "max_features": 1.0},
    "QuantizedReshape": {
        "tensor": quantized(3, 4),
        "shape": [2, 6],
        "input_min": -1.0,
        "input_max": 1.0,
    },
    "QuantizedResizeBilinear": {
        "min": -1.0,
        "max": 1.0,
        "images": quantized(2, 6, 5, 3),
        "size": [4, 7],
    },
    "RequantizationRange": {
        "input": quantized(3, 4, kind="qint32"),
        "input_min": -1.0,
        "input_max": 1.0,
    },
    "Requantize": {
        "input": quantized(3, 4, kind="qint32"),
        "input_min": -1.0,
        "input_max": 1.0,
        "requested_output_min": -0.5,
        "requested_output_max": 0.5,
        "out_type": dtype("quint8"),
    },
    "UniformDequantize": dict(
        _uniform("", "qint8"), input=quantized(3, 4, kind="qint8"), Tout=dtype("float32")
    ),
    "UniformQuantize": dict(_uniform("", "qint8"), input=tensor(3, 4), Tout=_IN_8),
    "UniformQuantizedAdd": dict(
        _uniforms("qint32", "qint32", "qint32"),
        lhs=quantized(3, 4, kind="qint32"),
        rhs=quantized(3, 4, kind="qint32"),
    ),
    "UniformQuantizedClipByValue": dict(
        _uniform("", "qint32"),
        operand=quantized(3, 4, kind="qint32"),
        min=quantized(kind="qint32"),
        max=quantized(kind="qint32"),
    ),
    "UniformQuantizedConvolution": dict(
        _uniforms("qint8", "qint8", "qint32"),
        lhs=quantized(2, 3, 6, 5, kind="qint8"),
        rhs=quantized(4, 3, 2, 3, kind="qint8"),
        Tout=_IN_32,
        padding="VALID",
    ),
    "UniformQuantizedConvolutionHybrid": dict(
        _uniform("rhs_", "qint8"),
        lhs=tensor(2, 3, 6, 5),
        rhs=quantized(4, 3, 2, 3, kind="qint8"),
        Tout=dtype("float32"),
        padding="VALID",
    ),
    "UniformQuantizedDot": dict(
        _uniforms("qint8", "qint8", "qint32"),
        lhs=quantized(3, 4, kind="qint8"),
        rhs=quantized(4, 2, kind="qint8"),
        Tout=_IN_32,
    ),
    "UniformQuantizedDotHybrid": dict(
        _uniform("rhs_", "qint8"),
        lhs=tensor(3, 4),
        rhs=quantized(4, 2, kind="qint8"),
        Tout=dtype("float32"),
    ),
    "UniformRequantize": dict(
        _uniform("input_", "qint32"),
        input=quantized(3, 4, kind="qint32"),
        Tout=_IN_8,
        **_uniform("output_", "qint8"),
    ),
}
