"""Layers for a skeleton, vertex by vertex, each made to fit what it reads."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import msgspec

from assay.ops import Draw, Invalid, OpSpec, Shape
from assay.ops.instance import Call, instantiate
from assay.ops.shapes import Palette
from assay.sources._assemble import domain_of
from assay.sources.synthesize.building import Flow, Model
from assay.sources.synthesize.data import LARGEST_DATA
from assay.sources.synthesize.memory import Memory
from assay.sources.synthesize.repair import into_domain, to_shape
from assay.sources.synthesize.roles import MASKING, TAMING, WILD, Roles, flows, within

#: Elements of a tensor; larger ones are cut.
_LARGEST = 800
#: Calls drawn for a vertex, of which the one with the most news is taken.
_CANDIDATES = 10
_TRIES = 14
_TAMED = 0.9


class Style(msgspec.Struct, frozen=True):
    """How models look. See ``assay.sources.synthesize`` for the presets."""

    max_vertices: int = 16
    max_cells: int = 4
    families: tuple[str, ...] = ("layers", "ops", "activations")
    #: Prefer repairs that leave the numbers alone to Flatten, Dense, Reshape.
    exact: bool = True
    #: Keep numbers in range behind ops whose results grow, and out of places that have no gradient.
    tame: bool = True
    #: Chance that a model starts with a layer for whole numbers.
    whole_numbers: float = 0.12
    weights: tuple[float, float] = (-0.4, 0.4)
    #: Data in the shapes of well-known data sets, as published.
    datasets: bool = False
    #: Chance that an optimizer takes a step with the gradients, which costs half as much again.
    update: float = 0.35
    #: Chance that the layers of a model are told to compute in half precision.
    mixed_precision: float = 0.1
    #: One layer instead of a skeleton; what else it reads are inputs of their own.
    unit: bool = False


class Grower(NamedTuple):
    """What is needed to put a layer on a vertex."""

    model: Model
    draw: Draw
    palette: Palette
    roles: Roles
    memory: Memory
    style: Style
    batch: int

    def vertex(self, read: Sequence[Flow], reducing: bool) -> Flow:
        """One layer that reads these tensors, with whatever makes it fit."""
        offered = self.roles.several if len(read) > 1 else self.roles.single
        offered = offered or self.roles.single or self.roles.several
        if not offered:  # the only ops named are sources
            flow = read[0]
            for other in read[1:]:
                flow = self._added(flow, other)
            return flow
        if reducing and len(read) == 1 and self.roles.reducing:
            offered = self.roles.reducing
        return self.layer(self._choice(offered, read[0]), read)

    def _choice(self, offered: Sequence[OpSpec], behind: Flow) -> OpSpec:
        return self.memory.choose(self.draw, offered, behind.op, len(behind.shape))

    def layer(self, spec: OpSpec, read: Sequence[Flow]) -> Flow:
        """The op, fed with the tensors read (or what else it takes)."""
        call = self._call(spec, read[0].shape if flows(spec.tensors[0]) else None, len(read))
        self.memory.use(spec.name, read[0].op, call.classes)
        flow = self.model.call(call, self._fed(call, read))
        left = read[sum(flows(spec.tensor(slot)) for slot in call.slots) :]
        return self._settled(call, flow, read[0], left)

    def _call(self, spec: OpSpec, shape: Shape | None, count: int) -> Call:
        """The drawn call with the most news, of as many tensors as are there if that can be."""
        best: tuple[tuple[int, int], Call] | None = None
        found = 0
        for attempt in range(_TRIES):
            first = self._entry(spec, shape if attempt < _CANDIDATES else None)
            try:
                call = instantiate(spec, self.draw, self.palette, first, "", optional=False)
            except Invalid:
                continue
            if not _usable(call, self.style.datasets):
                continue
            found += 1
            rank = (int(len(call.slots) == count), self.memory.new(call.classes))
            if best is None or rank > best[0]:
                best = rank, call
            if found == _CANDIDATES:
                break
        if best is None:
            raise Invalid(f"{spec.name} fits nowhere")
        return best[1]

    def _entry(self, spec: OpSpec, shape: Shape | None) -> Shape | None:
        """The shape at hand if the op can take it, else one of the palette with our batch.

        None if only the op's own spec can tell what fits.
        """
        tensor = spec.tensors[0]
        if shape is None or len(shape) not in tensor.ranks:
            rank = self.draw.pick([rank for rank in tensor.ranks if rank > 1] or tensor.ranks)
            shape = self.palette.shape(self.draw, rank)
            shape = (self.batch, *shape[1:]) if rank > 1 else shape
        if tensor.fit is None:
            return shape
        fitting = tensor.fit(self.draw, shape)
        return fitting if tensor.fit(self.draw, fitting) == fitting else None

    def _fed(self, call: Call, read: Sequence[Flow]) -> list[Flow | None]:
        """A tensor for every slot of the call: one that was read, or None for an own input."""
        fed: list[Flow | None] = []
        taken = 0
        for place, slot in enumerate(call.slots):
            if not flows(call.spec.tensor(slot)) or (self.style.unit and taken >= len(read)):
                fed.append(None)
                continue
            flow = self._fitted(read[taken % len(read)], call.shapes[place])
            taken += 1
            domain = domain_of(call, slot)
            fed.append(flow if within(domain) else into_domain(self.model, flow, domain))
        return fed

    def _fitted(self, flow: Flow, shape: Shape) -> Flow:
        return to_shape(self.model, flow, shape, self.draw, self.style.exact)

    def _settled(self, call: Call, flow: Flow, read: Flow, left: Sequence[Flow]) -> Flow:
        """The result as the next vertex can use it: floats, in range, with a gradient."""
        model, spec = self.model, call.spec
        dtype = _dtype(call)
        if dtype != "float32":
            flow = model.add("keras.ops.cast", flow, flow.shape, dtype="float32")
        if spec.name in MASKING:
            # A function hands on the numbers without the mask.
            flow = model.add("keras.ops.negative", flow, flow.shape)
        if self.style.tame and spec.name in WILD and self.draw.chance(_TAMED):
            flow = model.add(self.draw.pick(TAMING), flow, flow.shape)
        if prod(flow.shape) > _LARGEST:
            smaller = self._entry_of(len(flow.shape))
            flow = self._fitted(flow, smaller)
        blocked = not spec.differentiable or not dtype.startswith(("float", "bfloat"))
        if blocked and flows(spec.tensors[0]):
            flow = self._around(flow, read)
        for other in left:
            flow = self._added(flow, other)
        return flow

    def _entry_of(self, rank: int) -> Shape:
        shape = self.palette.shape(self.draw, min(rank, 4))
        return (self.batch, *shape[1:]) if rank > 1 else shape

    def _around(self, flow: Flow, read: Flow) -> Flow:
        """What is not differentiable beside the tensor it was made of, so that gradients live on.

        Nothing is claimed of its own gradient: it is stopped.
        """
        flow = self.model.add("keras.ops.stop_gradient", flow, flow.shape)
        return self._added(read, flow)

    def _added(self, first: Flow, second: Flow) -> Flow:
        second = self._fitted(second, first.shape)
        return self.model.join("keras.ops.add", (first, second), first.shape)

    def source(self) -> Flow:
        """The first vertex that reads whole numbers: an input with values it can take."""
        spec = self.memory.choose(self.draw, self.roles.sources, "input", 0)
        call = self._call(spec, None, 1)
        self.memory.use(spec.name, "input", call.classes)
        fed: list[Flow | None] = [None] * len(call.slots)
        flow = self.model.call(call, fed)
        return self._settled(call, flow, flow, ())


def _dtype(call: Call) -> str:
    """The dtype of the result for float32 inputs: a parameter may ask for another."""
    if call.spec.result == "integer":
        return "int32"
    return str(call.params.get("dtype") or "float32")


def _usable(call: Call, datasets: bool) -> bool:
    """Something in and something out, in the usual precision where tensors flow."""
    most = LARGEST_DATA if datasets else 4 * _LARGEST
    sizes = [prod(shape) for shape in (*call.shapes, call.outputs[0])]
    floats = all(
        dtype == "float32"
        for slot, dtype in zip(call.slots, call.dtypes, strict=True)
        if flows(call.spec.tensor(slot))
    )
    return floats and min(sizes) > 0 and max(sizes) <= most and not _fails_everywhere(call)


def _fails_everywhere(call: Call) -> bool:
    """Calls that raise on every target, though they should not, and would waste the whole model.

    They are met one by one by ``single-op``.
    """
    axis = call.params.get("axis")
    if call.spec.name == "keras.layers.RMSNormalization":
        return axis not in (None, -1, len(call.shapes[0]) - 1)
    if call.spec.name.endswith("softmax") and isinstance(axis, (list, tuple)):
        return any(item < 0 for item in axis)
    return False
