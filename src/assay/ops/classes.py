"""The classes of a call that coverage counts: what each op must meet, and what a call meets."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import combinations

from assay.ops._base import Companions, Fit, OpSpec, Params, Shape, Shapes, alone
from assay.ops._draw import Draw
from assay.ops.shapes import SHAPE_CLASSES, SPECIAL_SHAPES, Palette, shape_classes
from assay.ops.values import value_classes

#: (op, parameter or aspect, class): what coverage counts.
Triple = tuple[str, str, str]

#: How many of SHAPE_CLASSES shapes of rank 0, 1, 2, and 3 or more can have.
_CLASSES_BY_RANK = (0, 4, 5, 7)
#: Parameters and ranks that exclude each other in valid calls, by shell pattern of the op.
_NEVER = {
    "keras.layers.*Conv*": ("dilation_rate and strides",),
    "keras.ops.conv_transpose": ("dilation_rate and strides",),
    "keras.layers.IntegerLookup": ("invert and output_mode",),
    "keras.layers.MultiHeadAttention": (
        "attention_axes and sliding_window",
        "attention_axes and use_causal_mask",
    ),
    "keras.layers.Solarization": (
        "addition_factor and threshold_factor",
        "addition_factor and value_range",
        "threshold_factor and value_range",
    ),
    "keras.losses.*": ("sample_weight 0",),
    "keras.metrics.AUC": ("from_logits and label_weights", "label_weights and thresholds"),
    "keras.ops.ctc_decode": (
        "mask_index and strategy",
        "mask_index and top_paths",
        "merge_repeated and strategy",
        "merge_repeated and top_paths",
        "strategy and top_paths",
    ),
    "keras.ops.layer_normalization": (
        *(f"{name} {rank}" for name in ("beta", "gamma") for rank in (2, 3, 4)),
    ),
    "keras.ops.rms_normalization": ("scale 3", "scale 4"),
    "keras.ops.multi_hot": ("axis and dtype",),
    "keras.ops.pad": ("constant_values and mode",),
    "keras.ops.unique": (
        "axis and sorted",
        "fill_value and sorted",
        "return_counts and sorted",
        "return_index and sorted",
        "return_inverse and sorted",
        "size and sorted",
    ),
    "keras.optimizers.*": (
        "clipnorm and clipvalue",
        "clipnorm and global_clipnorm",
        "clipvalue and global_clipnorm",
    ),
    "keras.*.?esiz*": (
        "antialias and fill_mode",
        "crop_to_aspect_ratio and fill_mode",
        "crop_to_aspect_ratio and pad_to_aspect_ratio",
        "data_format and fill_mode",
        "fill_mode and fill_value",
        "fill_mode and interpolation",
        "fill_mode and pad_to_aspect_ratio",
    ),
}
#: Shapes of each rank that are tried to learn what ranks further tensors have.
_DRAWS = 24


def classes_of(
    spec: OpSpec,
    labels: Mapping[str, str],
    params: Params,
    shapes: Shapes,
    dtypes: Sequence[str],
    slots: Sequence[int],
) -> tuple[Triple, ...]:
    """What a call meets; ``labels`` are the classes of its parameters."""
    complete = spec.complete(params)
    names = [_argument(spec, slot) for slot in slots]
    found = [*labels.items()]
    found += [
        ("shape", name)
        for shape in shapes
        for name in shape_classes(shape)
        if name not in spec.impossible
    ]
    found += [("dtype", f"{name} {dtype}") for name, dtype in zip(names, dtypes, strict=True)]
    known = _ranks(spec)
    found += [
        ("rank", f"{name} {len(shape)}")
        for name, slot, shape in zip(names, slots, shapes, strict=True)
        if (slot, len(shape)) in known
    ]
    found += [("present", _told(name, name in names)) for name in _optional(spec)]
    found += [
        ("relation", name) for name, holds in spec.relations.items() if holds(complete, shapes)
    ]
    found += [("relation", pair) for pair in _pairs(spec, _given(spec, params))]
    never = _never(spec.name)
    return tuple(dict.fromkeys((spec.name, *pair) for pair in found if pair[1] not in never))


def universe(spec: OpSpec) -> frozenset[Triple]:
    """Every triple that calls of the op can exercise, valid and invalid."""
    pairs: set[tuple[str, str]] = {("input", "ordinary")} if spec.tensors else set()
    for item in spec.parameters:
        pairs |= {(item.name, choice.label) for choice in (*item.valid, *item.boundary)}
        pairs |= {(item.name, f"invalid:{choice.label}") for choice in item.invalid}
        if not item.required:
            pairs.add((item.name, "default"))
    for slot, tensor in enumerate(spec.tensors):
        pairs |= {("dtype", f"{_argument(spec, slot)} {name}") for name in tensor.dtypes}
        for name in tensor.dtypes:
            for domain in (tensor.domain, *tensor.alternatives):
                pairs |= {("input", label) for label in value_classes(domain, name)}
    for name in _optional(spec):
        pairs |= {("present", _told(name, there)) for there in (True, False)}
    pairs |= {("rank", f"{_argument(spec, slot)} {rank}") for slot, rank in _ranks(spec)}
    largest = max((rank for tensor in spec.tensors for rank in tensor.ranks), default=0)
    possible = SHAPE_CLASSES[: _CLASSES_BY_RANK[min(largest, 3)]]
    pairs |= {("shape", name) for name in possible if name not in spec.impossible}
    pairs |= {("relation", name) for name in spec.relations}
    pairs |= {("relation", pair) for pair in _pairs(spec, [p.name for p in spec.parameters])}
    if takes_several(spec):
        pairs.add(("input", "equal"))
    never = _never(spec.name)
    return frozenset((spec.name, *pair) for pair in pairs if pair[1] not in never)


@cache
def _never(op: str) -> frozenset[str]:
    """Classes that exclude each other in valid calls of the op."""
    return frozenset(
        name for pattern, names in _NEVER.items() if fnmatchcase(op, pattern) for name in names
    )


def parameter_classes(spec: OpSpec) -> frozenset[Triple]:
    """The triples of the parameters of valid calls."""
    names = {item.name for item in spec.parameters}
    return frozenset(
        triple
        for triple in universe(spec)
        if triple[1] in names and not triple[2].startswith("invalid:")
    ) or frozenset({(spec.name, "input", "ordinary")})


def edges(spec: OpSpec) -> frozenset[Triple]:
    """The triples of valid calls that are at an edge: boundary, special value, shape or dtype."""
    usual = {("input", "ordinary")}
    usual |= {
        ("dtype", f"{_argument(spec, slot)} {tensor.dtypes[0]}")
        for slot, tensor in enumerate(spec.tensors)
    }
    usual |= {(item.name, choice.label) for item in spec.parameters for choice in item.valid}
    usual |= {(item.name, "default") for item in spec.parameters}
    return frozenset(
        triple
        for triple in universe(spec)
        if triple[1:] not in usual
        and triple[1] not in ("relation", "rank", "present")
        and not triple[2].startswith("invalid:")
        and (triple[1] != "shape" or triple[2] in SPECIAL_SHAPES)
    )


def takes_several(spec: OpSpec) -> bool:
    """Can two inputs of the same kind be given the same values?"""
    if spec.companions is alone:
        return False
    twins = any(one == other for one, other in combinations(spec.tensors, 2))
    return twins or not spec.tensor(1).keyword


def _argument(spec: OpSpec, slot: int) -> str:
    """What a tensor is called: its keyword, or its place; all further ones have the last's."""
    return spec.tensor(slot).keyword or f"x{min(slot, len(spec.tensors) - 1)}"


@cache
def _known_ranks(
    companions: Companions, fit: Fit | None, ranks: Shape
) -> frozenset[tuple[int, int]]:
    """Position and rank of every tensor of a call, as further ones follow from the first."""
    palette = Palette(0)
    draws = [(Draw(number), rank) for rank in ranks for number in range(_DRAWS)]
    firsts = [(draw, palette.shape(draw, rank)) for draw, rank in draws]
    fitted = [(draw, shape if fit is None else fit(draw, shape)) for draw, shape in firsts]
    calls = [(first, *companions(draw, first)) for draw, first in fitted]
    return frozenset((slot, len(shape)) for shapes in calls for slot, shape in enumerate(shapes))


def _ranks(spec: OpSpec) -> frozenset[tuple[int, int]]:
    """Every rank that the tensor at a position can have."""
    first = spec.tensor(0) if spec.tensors else None
    return _known_ranks(spec.companions, first.fit, first.ranks) if first else frozenset()


def _optional(spec: OpSpec) -> list[str]:
    """The arguments that may be left out."""
    optional = [slot for slot, tensor in enumerate(spec.tensors) if tensor.optional]
    return list(dict.fromkeys(_argument(spec, slot) for slot in optional))


def _told(argument: str, there: bool) -> str:
    return argument if there else f"no {argument}"


def _given(spec: OpSpec, params: Params) -> list[str]:
    """The parameters that have another value than their default."""
    defaults = {item.name: item.default for item in spec.parameters if not item.required}
    return [name for name, value in params.items() if name in defaults and value != defaults[name]]


def _pairs(spec: OpSpec, names: Sequence[str]) -> list[str]:
    """Two parameters that both have another value than usual."""
    optional = {item.name for item in spec.parameters if not item.required}
    chosen = sorted(name for name in names if name in optional)
    return [f"{one} and {other}" for one, other in combinations(chosen, 2)]
