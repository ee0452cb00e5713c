"""What arguments of TensorFlow's functions and operators mean, by their names.

``known(name, shape)`` gives the values that an argument may take beside a main tensor of that
shape, the likeliest first; None if its name says nothing, and it is taken for a tensor.
"""

import re

from assay_worker.catalogue.domains import AS_IT_IS
from assay_worker.catalogue.wanted import Named, Wanted, holding, tensor

#: Shapes of the main tensors, the likeliest first.
PROFILES = (
    (3, 4),
    (5,),
    (4, 4),
    (2, 3, 4),
    (2, 6, 6, 3),
    (),
    (2, 4, 4, 4, 3),
)


def dtype(name):
    """A dtype as an argument."""
    return Named("tf." + name)


def _rank(shape):
    return len(shape)


def _axes(shape):
    return [0, -1] if shape else [0]


def _lists_of_axes(shape):
    return [[0], 0, -1]


def _leading(shape):
    return shape[0] if shape else 1


def _segments(shape):
    count = _leading(shape)
    return [holding([place // 2 for place in range(count)])]


def _indices(shape):
    last = max(_leading(shape) - 1, 0)
    return [
        holding([0, last]),
        holding([[0], [last]]),
        holding([[0] * max(len(shape), 1), [last] + [0] * max(len(shape) - 1, 0)]),
        holding(0),
        holding([[0, 1], [1, 0]]),
    ]


def _spatial(one, shape):
    """A number for each axis, of pictures or volumes those inside only."""
    if len(shape) >= 4:
        return [[1] + [one] * (len(shape) - 2) + [1], one]
    return [[one] * max(len(shape), 1), one]


def _corners(shape):
    boxes = [[0.1, 0.1, 0.6, 0.7], [0.2, 0.0, 0.9, 0.8], [0.0, 0.3, 0.5, 1.0]]
    return [holding(boxes, "float32"), holding([boxes, boxes], "float32")]


def _filters(shape):
    channels = shape[-1] if shape else 1
    count = max(len(shape) - 2, 1)
    return [
        tensor(*((2,) * count + (channels, 2))),
        tensor(*((2,) * count + (channels,))),
    ]


#: Values by the argument's name, as functions of the main tensors' shape.
_KNOWN = {
    # which axes
    "axis": _axes,
    "axes": _lists_of_axes,
    "dim": _axes,
    "dimension": _axes,
    "split_dim": _axes,
    "concat_dim": lambda shape: [0],
    "batch_dim": lambda shape: [0],
    "seq_dim": lambda shape: [1],
    "batch_dims": lambda shape: [0],
    "reduction_indices": _lists_of_axes,
    "input_axes": _lists_of_axes,
    "reduction_axes": _lists_of_axes,
    "reduce_dims": _lists_of_axes,
    "dims": lambda shape: [[True] * len(shape), list(shape)],
    "squeeze_dims": lambda shape: [[]],
    "perm": lambda shape: [list(reversed(range(len(shape))))],
    "axis1": lambda shape: [0],
    "axis2": lambda shape: [1],
    "source": lambda shape: [0],
    "destination": lambda shape: [-1],
    "shift": lambda shape: [1, [1]],
    # sizes
    "shape": lambda shape: [list(shape), [2, 3]],
    "input_shape": lambda shape: [list(shape)],
    "output_shape": lambda shape: [list(shape)],
    "new_shape": lambda shape: [[-1]],
    "newshape": lambda shape: [[-1]],
    "s0": lambda shape: [list(shape)],
    "s1": lambda shape: [[1] * len(shape)],
    "size": lambda shape: [[1] * len(shape), [4, 5], 3],
    "sizes": lambda shape: [[1] * len(shape)],
    "slice_sizes": lambda shape: [[1] * len(shape)],
    "begin": lambda shape: [[0] * len(shape)],
    "start": lambda shape: [0.0, 0, [0] * len(shape)],
    "stop": lambda shape: [5.0, 5],
    "limit": lambda shape: [7.0, 7],
    "delta": lambda shape: [tensor(*shape), 1.0],
    "end": lambda shape: [list(shape)],
    "strides": lambda shape: _spatial(1, shape),
    "stride": lambda shape: _spatial(1, shape),
    "rates": lambda shape: _spatial(1, shape),
    "rate": lambda shape: _spatial(1, shape),
    "dilations": lambda shape: _spatial(1, shape),
    "ksize": lambda shape: _spatial(2, shape),
    "ksizes": lambda shape: _spatial(2, shape),
    "window_shape": lambda shape: [[2] * max(len(shape) - 2, 1)],
    "window_length": lambda shape: [6],
    "pooling_ratio": lambda shape: [[1.0, 1.5, 1.5, 1.0]],
    "pooling_type": lambda shape: ["MAX", "AVG"],
    "paddings": lambda shape: [[[1, 1]] * len(shape), [[0, 0], [0, 0]]],
    "pad_width": lambda shape: [[[1, 1]] * len(shape)],
    "crops": lambda shape: [[[0, 0], [0, 0]]],
    "block_shape": lambda shape: [[2, 2]],
    "block_size": lambda shape: [2],
    "padding": lambda shape: ["SAME", "VALID"],
    "padding_type": lambda shape: ["SAME"],
    "mode": lambda shape: ["REFLECT", "constant", "MIN_COMBINED"],
    "multiples": lambda shape: [[2] * len(shape)],
    "reps": lambda shape: [[2] * len(shape)],
    "repeats": lambda shape: [2],
    "depth": lambda shape: [5],
    "num": lambda shape: [5, _leading(shape)],
    "num_split": lambda shape: [1],
    "num_splits": lambda shape: [1],
    "num_or_size_splits": lambda shape: [1],
    "indices_or_sections": lambda shape: [1, 2],
    "size_splits": lambda shape: [[1, max(_leading(shape) - 1, 0)]],
    "num_partitions": lambda shape: [2],
    "num_rows": lambda shape: [3],
    "num_columns": lambda shape: [4],
    "num_upper": lambda shape: [1],
    "num_lower": lambda shape: [1],
    "nbins": lambda shape: [5],
    "maxlen": lambda shape: [6],
    "k": lambda shape: [2, 0, [0]],
    "K": lambda shape: [2],
    "n": lambda shape: [1, 3],
    "N": lambda shape: [3],
    "M": lambda shape: [4],
    "diagonal": lambda shape: [tensor(*shape[:-1]), tensor(min(shape) if shape else 1)],
    "depth_radius": lambda shape: [2],
    "frame_length": lambda shape: [3],
    "frame_step": lambda shape: [1],
    "fft_length": lambda shape: [[4] * min(len(shape), 1), [4, 4], [4, 4, 4]],
    "num_boxes": lambda shape: [2],
    "max_output_size": lambda shape: [2],
    "max_output_size_per_class": lambda shape: [2],
    "max_total_size": lambda shape: [3],
    "crop_size": lambda shape: [[3, 4]],
    "offset_height": lambda shape: [1],
    "offset_width": lambda shape: [1],
    "target_height": lambda shape: [3],
    "target_width": lambda shape: [3],
    "upper_bound": lambda shape: [3],
    "num_classes": lambda shape: [5],
    "num_segments": lambda shape: [3],
    "output_dim0": lambda shape: [4],
    "dense_output_dim0": lambda shape: [4],
    "num_buckets": lambda shape: [7],
    "target_shape": lambda shape: [list(shape)],
    # indices and orders
    "segment_ids": _segments,
    "partitions": lambda shape: [
        holding([place % 2 for place in range(_leading(shape))]),
        Wanted(shape, "int32", 0, 1),
    ],
    "indices": _indices,
    "seq_lengths": lambda shape: [holding([min(shape[1:2] or (1,))] * _leading(shape))],
    "lengths": lambda shape: [holding([1, 3, 2])],
    "sorted_sequence": lambda shape: [Wanted((2, 5), None, values=[[1, 2, 3, 4, 5]] * 2)],
    "sorted_inputs": lambda shape: [Wanted((2, 5), None, values=[[1, 2, 3, 4, 5]] * 2)],
    # what numbers may be
    "boxes": _corners,
    "bboxes": _corners,
    "box_ind": lambda shape: [holding([0, 1, 0])],
    "box_indices": lambda shape: [holding([0, 1, 0])],
    "scores": lambda shape: [holding([0.9, 0.75, 0.6], "float32")],
    "iou_threshold": lambda shape: [0.5],
    "score_threshold": lambda shape: [0.1],
    "overlap_threshold": lambda shape: [0.5],
    "soft_nms_sigma": lambda shape: [0.0],
    "seed": lambda shape: [[1, 2], 1],
    "num_bits": lambda shape: [8],
    "min": lambda shape: [-1.0],
    "max": lambda shape: [1.0],
    "input_min": lambda shape: [-1.0],
    "input_max": lambda shape: [1.0],
    "clip_value_min": lambda shape: [-0.5],
    "clip_value_max": lambda shape: [0.5],
    "clip_norm": lambda shape: [1.0],
    "value_range": lambda shape: [[-1.0, 1.0]],
    "minval": lambda shape: [0],
    "maxval": lambda shape: [9],
    "max_delta": lambda shape: [0.2],
    "lower": lambda shape: [0.5],
    "upper": lambda shape: [1.5],
    "delta_": lambda shape: [0.2],
    "contrast_factor": lambda shape: [0.7],
    "saturation_factor": lambda shape: [0.7],
    "scale": lambda shape: [tensor(*shape[-1:]), 0.5],
    "gamma": lambda shape: [tensor(*shape[-1:], low=0.5, high=1.5)],
    "variance": lambda shape: [tensor(*shape[-1:], low=0.5, high=1.5)],
    "mean": lambda shape: [tensor(*shape[-1:])],
    "offset": lambda shape: [tensor(*shape[-1:])],
    "variance_epsilon": lambda shape: [0.001],
    "epsilon": lambda shape: [0.001],
    "max_val": lambda shape: [1.0],
    "central_fraction": lambda shape: [0.5],
    "scale_after_normalization": lambda shape: [True],
    "alpha": lambda shape: [tensor(*shape), 0.2],
    "rtol": lambda shape: [0.01],
    "tolerance": lambda shape: [0.01],
    "keep_prob": lambda shape: [0.5],
    "power_iterations": lambda shape: [2],
    "bias": lambda shape: [tensor(*shape[-1:]), tensor(*shape)],
    "filter": _filters,
    "filters": _filters,
    "kernel": lambda shape: [tensor(*((2,) * max(len(shape) - 2, 1) + shape[-1:]))],
    "boundaries": lambda shape: [[-0.5, 0.0, 0.5]],
    "condition": lambda shape: [Wanted(shape, "bool")],
    "cond": lambda shape: [Wanted(shape, "bool")],
    "mask": lambda shape: [Wanted(shape, "bool"), Wanted(shape[:1], "bool")],
    "pred": lambda shape: [True],
    "equation": lambda shape: ["ij,jk->ik", "...->..."],
    "subscripts": lambda shape: ["ij,jk->ik"],
    "dtype": lambda shape: [dtype("float32"), dtype("int32")],
    "T": lambda shape: [dtype("float32"), dtype("int32")],
    "DstT": lambda shape: [dtype("float64"), dtype("int32")],
    "Tout": lambda shape: [dtype("float32"), dtype("int32")],
    "out_type": lambda shape: [dtype("int32"), dtype("float32")],
    "type": lambda shape: [dtype("int32"), dtype("uint32")],
    "fn": lambda shape: [Named("tf.math.square"), Named("tf.math.add")],
    "combiner": lambda shape: ["sum"],
    "name": lambda shape: ["called"],
    "stddevs": lambda shape: [tensor(*shape, low=0.5, high=1.5)],
    "normalized": lambda shape: [True],
    "keep_dims": lambda shape: [False],
    "a_is_sparse": lambda shape: [False],
}


#: Arguments whose values only mean something together with those of others, which kernels do not
#: check: places of sparse and ragged tensors, and how many there are.
_AS_THEY_ARE = re.compile(
    r"(\w+_)?(indices|splits|shape|rowids|sequence|index_map|sizes|row_splits|partition_tensors)$"
)
#: Operators that take such arguments.
_OF_PARTS = re.compile(
    r"tf\.raw_ops\.(\w*(Sparse|Ragged|Fractional|CTC|Backprop)\w*|EditDistance)$"
)
#: Operators that take a picture twice, of one batch, which kernels do not check.
_OF_ONE_BATCH = re.compile(r"tf\.raw_ops\.(Resize\w+|ScaleAndTranslate)Grad$")
#: What is to be sorted, or a matrix of some kind, though nothing raises without.
_STRUCTURES = {
    "Cholesky": {"input": "positive_definite"},
    "LowerBound": {"sorted_inputs": "ordered"},
    "SelfAdjointEigV2": {"input": "symmetric"},
    "UpperBound": {"sorted_inputs": "ordered"},
    "tf.linalg.cholesky": {"0": "positive_definite", "input": "positive_definite"},
    "tf.linalg.eigh": {"0": "symmetric", "tensor": "symmetric"},
    "tf.linalg.eigvalsh": {"0": "symmetric", "tensor": "symmetric"},
    "tf.searchsorted": {"0": "ordered", "sorted_sequence": "ordered"},
}


def structures(api, names=()):
    """Structures that arguments of an API need, by name or place; ``names`` are its arguments."""
    found = dict(_STRUCTURES.get(api.replace("tf.raw_ops.", ""), {}))
    if _OF_PARTS.match(api):
        found.update({name: AS_IT_IS for name in names if _AS_THEY_ARE.match(name)})
    return found


def unchecked(api):
    """Steps of looking at an API that are left out: see ``Harvest.unchecked``."""
    return ("sizes",) if _OF_ONE_BATCH.match(api) else ()


def known(name, shape):
    """See the module."""
    return _KNOWN[name](shape) if name in _KNOWN else None


def tensors(shape):
    """Tensors that an argument of which nothing is known may be, beside others of that shape."""
    found = [tensor(*shape)]
    for other in (shape[-1:], (), shape[:1], shape[:-1]):
        if other not in [item.shape for item in found]:
            found.append(tensor(*other))
    return found
