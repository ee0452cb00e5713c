"""Make shapes and values fit what comes next, with as little change as possible."""

from math import prod

from assay.ops import Domain, Draw, Shape
from assay.sources.synthesize.building import Flow, Model

#: A crop that keeps less than this share of the elements cuts too many gradients off.
_KEPT = 0.25


def to_shape(model: Model, flow: Flow, shape: Shape, draw: Draw, exact: bool = True) -> Flow:
    """The tensor in another shape.

    ``exact``: by reshaping, cropping and padding where that keeps gradients
    alive, which leaves the numbers as they are; else, and where nothing exact is
    left, Flatten, Dense and Reshape. Whole tensors, batches included, can only be
    cut and filled up.
    """
    if flow.shape == shape:
        return flow
    same_batch = min(len(flow.shape), len(shape)) > 1 and flow.shape[0] == shape[0]
    if same_batch and exact:
        if prod(flow.shape) == prod(shape):
            return model.add("keras.layers.Reshape", flow, shape, target_shape=shape[1:])
        overlap = prod(map(min, flow.shape, shape)) if len(flow.shape) == len(shape) else 0
        if overlap > _KEPT * prod(flow.shape) and draw.chance(0.7):
            return _cut_and_filled(model, flow, shape)
    if same_batch:
        return _through_dense(model, flow, shape)
    flat = (prod(flow.shape),)
    if flow.shape != flat:
        flow = model.add("keras.ops.ravel", flow, flat)
    flow = _cut_and_filled(model, flow, (prod(shape),))
    if flow.shape == shape:
        return flow
    return model.add("keras.ops.reshape", flow, shape, newshape=shape)


def _cut_and_filled(model: Model, flow: Flow, shape: Shape) -> Flow:
    """The middle of the tensor along axes that are too long, zeros around it where too short."""
    kept = tuple(map(min, flow.shape, shape))
    if kept != flow.shape:
        start = tuple((a - b) // 2 for a, b in zip(flow.shape, kept, strict=True))
        flow = model.add("keras.ops.slice", flow, kept, start_indices=start, shape=kept)
    if kept != shape:
        missing = [b - a for a, b in zip(kept, shape, strict=True)]
        width = tuple((count // 2, count - count // 2) for count in missing)
        flow = model.add("keras.ops.pad", flow, shape, pad_width=width)
    return flow


def _through_dense(model: Model, flow: Flow, shape: Shape) -> Flow:
    batch, units = flow.shape[0], prod(shape[1:])
    if len(flow.shape) > 2:
        flow = model.add("keras.layers.Flatten", flow, (batch, prod(flow.shape[1:])))
    flow = model.add("keras.layers.Dense", flow, (batch, units), units=units)
    if flow.shape == shape:
        return flow
    return model.add("keras.layers.Reshape", flow, shape, target_shape=shape[1:])


def into_domain(model: Model, flow: Flow, domain: Domain) -> Flow:
    """Any numbers as numbers between low and high of a domain."""
    flow = model.add("keras.activations.sigmoid", flow, flow.shape)
    scale, offset = domain.high - domain.low, domain.low
    if (scale, offset) == (1.0, 0.0):
        return flow
    return model.add("keras.layers.Rescaling", flow, flow.shape, scale=scale, offset=offset)
