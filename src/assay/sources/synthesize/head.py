"""The end of a model: a loss, labels that fit it, and predictions of the right kind."""

from contextlib import suppress

from assay.ir import LossOp, derive
from assay.ops import Draw, Invalid, OpSpec, Shape
from assay.ops.instance import Call, instantiate
from assay.ops.shapes import Palette
from assay.ops.values import ordinary, special, value_classes
from assay.sources._assemble import domain_of
from assay.sources.synthesize.building import Flow, Model
from assay.sources.synthesize.memory import Memory
from assay.sources.synthesize.repair import into_domain, to_shape
from assay.sources.synthesize.roles import within

_SPECIAL_LABELS = 0.15
_TRIES = 30
_OPTIMIZERS = 8
#: Labels with values no task has (NaN, infinities) tell nothing about the model before them.
_TELLING = ("zero", "one", "tied", "soft", "binary", "negative_zero", "large_mean")


def draw_loss(spec: OpSpec, draw: Draw, palette: Palette, batch: int) -> Call:
    """A call of the loss on labels and predictions of that batch; ``Invalid`` if none is found."""
    for _ in range(_TRIES):
        rank = draw.pick(spec.tensors[0].ranks)
        first: Shape = (batch, *palette.shape(draw, rank)[1:])
        try:
            call = instantiate(spec, draw, palette, first, spec.tensors[0].dtypes[0], False)
        except Invalid:
            continue
        if call.dtypes[1] == "float32" and 0 not in (*call.shapes[0], *call.shapes[1]):
            return call
    raise Invalid(f"{spec.name} has no call on a batch of {batch}")


def draw_optimizer(spec: OpSpec, draw: Draw, palette: Palette, memory: Memory) -> Call:
    """A call of the optimizer, of some the one with the most news; ``Invalid`` if none is found."""
    found = []
    for _ in range(_OPTIMIZERS):
        with suppress(Invalid):
            shape = palette.shape(draw, 2)
            found.append(instantiate(spec, draw, palette, shape, "float32", False))
    if not found:
        raise Invalid(f"{spec.name} has no call")
    return max(found, key=lambda call: memory.new(call.classes))


def finish(model: Model, flow: Flow, call: Call, draw: Draw, exact: bool) -> tuple[Flow, LossOp]:
    """The predictions, and the loss on them."""
    shape = call.shapes[1]
    flow = to_shape(model, flow, shape, draw, exact and flow.shape == shape)
    domain = domain_of(call, call.slots[1])
    if domain.kind == "probabilities":
        flow = model.add("keras.layers.Softmax", flow, shape)
    elif not within(domain):
        flow = into_domain(model, flow, domain)
    model.classes.update(dict.fromkeys(call.classes))
    labels, dtype = domain_of(call, call.slots[0]), call.dtypes[0]
    seed = derive(model.seed, "labels")
    telling = [name for name in value_classes(labels, dtype) if name in _TELLING]
    if telling and draw.chance(_SPECIAL_LABELS):
        recipe = special(draw, labels, dtype, seed, 1, draw.pick(telling))[0]
    else:
        recipe = ordinary(labels, dtype, seed)
    return flow, LossOp(call.spec.name, recipe, call.shapes[0], call.params, dtype)
