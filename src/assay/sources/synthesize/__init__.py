"""Models made from nothing: a DAG, layers for its vertices, a loss, and data.

``synthesize`` generates whole models; ``synthesize-unit`` one layer with its
repairs and a loss; ``synthesize-muffin`` models as in the paper that the method
comes from (layers only, up to 30 of them, repaired by Flatten, Dense, Reshape).
"""

from collections.abc import Mapping

from assay.errors import AssayError
from assay.ir import (
    Arm,
    Case,
    Graph,
    Node,
    OptimizerOp,
    Trial,
    Uniform,
    derive,
    validate_case,
)
from assay.ir.transform import with_policy
from assay.ops import Draw, Invalid, OpSpec, specs
from assay.ops.classes import parameter_classes
from assay.ops.shapes import Palette
from assay.sources._base import Memoryless, Triple, source
from assay.sources.synthesize.building import Flow, Model
from assay.sources.synthesize.data import draw_data, draw_dataset
from assay.sources.synthesize.growing import Grower, Style
from assay.sources.synthesize.head import draw_loss, draw_optimizer, finish
from assay.sources.synthesize.memory import Memory
from assay.sources.synthesize.roles import Roles, roles
from assay.sources.synthesize.structure import (
    Skeleton,
    cells,
    chain_with_skips,
    single_vertex,
)

NAME = "synthesize"
UNIT = "synthesize-unit"
MUFFIN = "synthesize-muffin"
#: Models that know of each other; the next ones begin anew, so that any index is near a beginning.
EPOCH = 1000
_REPEAT_EVERY = 8
_TRAINING_CHANCE = 0.35
_ATTEMPTS = 20
#: Trials that are kept: more than a campaign has under way at once.
_KEPT = 128
_PLAINEST_LOSS = "keras.losses.MeanSquaredError"
#: Layers that refuse it on every target.
_NO_BFLOAT16 = ("keras.layers.STFTSpectrogram", "keras.layers.MelSpectrogram")
#: Random when training.
_NOISE = ("Dropout", "GaussianNoise")


class Synthesize(Memoryless):
    """Gives models. What a model is made of depends on those before it, back to its epoch's first.

    Learns nothing from results: any index may be asked for at any time, though
    in order is much faster.
    """

    def __init__(
        self,
        name: str,
        style: Style,
        seed: int,
        targets: tuple[str, ...],
        vocabulary: Mapping[str, OpSpec],
    ) -> None:
        self.name = name
        self._style = style
        self._seed = derive(seed, name)
        self._targets = targets
        self._palette = Palette(self._seed)
        self._roles: Roles = roles(vocabulary, style.families)
        #: Precision is a matter of layers.
        self._mixed: Roles = roles(vocabulary, ("layers",))
        if not self._roles.single and not self._roles.several and not self._roles.sources:
            raise AssayError(
                f"no op to draw from can stand inside a model, which {name} makes of Keras' ops. "
                "Name layers, or leave --ops out."
            )
        #: Without one among the ops named, every model ends in the plainest.
        self._losses = self._roles.losses or (specs()[_PLAINEST_LOSS],)
        self._universe = frozenset().union(*map(parameter_classes, self._roles.all()))
        self._memory = Memory()
        self._epoch = -1
        self._recent: dict[int, Trial] = {}

    def ask(self, index: int) -> Trial:
        """The model with that index."""
        if index not in self._recent:
            epoch, place = divmod(index, EPOCH)
            last = max(self._recent, default=-1)
            if epoch != self._epoch or index < last:
                self._memory, self._epoch, self._recent = Memory(), epoch, {}
                last = epoch * EPOCH - 1
            for position in range(last + 1, epoch * EPOCH + place + 1):
                self._recent[position] = self._trial(position)
                self._recent.pop(position - _KEPT, None)
        return self._recent[index]

    def universe(self) -> frozenset[Triple]:
        """The parameter classes of every op that has a role in models."""
        return self._universe

    def _trial(self, index: int) -> Trial:
        for attempt in range(_ATTEMPTS):
            seed = derive(self._seed, index, attempt)
            try:
                case, classes = self._model(seed)
            except Invalid:  # an op that fits nowhere: another draw has others
                continue
            arms = tuple(Arm(target) for target in self._targets)
            trial = Trial(index, self.name, (case,), arms, classes=classes)
            return trial.again() if index % _REPEAT_EVERY == 0 else trial
        raise AssayError(f"{self.name}: no model could be made of the ops named. Name more ops.")

    def _skeleton(self, draw: Draw) -> Skeleton:
        if self._style.unit:
            return single_vertex()
        if draw.chance(0.5):
            return chain_with_skips(draw, self._style.max_vertices)
        return cells(draw, self._style.max_cells)

    def _model(self, seed: int) -> tuple[Case, tuple[Triple, ...]]:
        draw = Draw(seed)
        model = Model(seed)
        batch = draw.pick((1, 2, 2, 3))
        policy = self._policy(draw)
        able = self._mixed if policy else self._roles
        grower = Grower(model, draw, self._palette, able, self._memory, self._style, batch)
        skeleton = self._skeleton(draw)
        ends: list[Flow] = []
        for vertex, earlier in enumerate(skeleton.predecessors):
            read = [ends[other] for other in earlier]
            ends.append(
                grower.vertex(read, vertex in skeleton.reductions)
                if read
                else self._first(grower, batch)
            )
        spec = self._memory.choose(draw, self._losses, ends[-1].op, 0)
        call = draw_loss(spec, draw, self._palette, batch)
        self._memory.use(spec.name, ends[-1].op, call.classes)
        flow, loss = finish(model, ends[-1], call, draw, self._style.exact)
        optimizer = self._optimizer(model, draw, loss.op)
        low, high = self._style.weights
        noisy = any(word in node.op for node in model.nodes for word in _NOISE)
        nodes = tuple(_told(node, policy) for node in model.nodes)
        case = Case(
            graph=Graph(tuple(model.inputs.values()), nodes, (flow.name,)),
            inputs=model.recipes,
            weights=Uniform(derive(seed, "weights"), low, high),
            loss=loss,
            optimizer=optimizer,
            training=not noisy and draw.chance(_TRAINING_CHANCE),
            stage="update" if optimizer else "gradient",
        )
        known = self._universe
        return validate_case(case), tuple(triple for triple in model.classes if triple in known)

    def _policy(self, draw: Draw) -> str:
        if not self._mixed.single or not draw.chance(self._style.mixed_precision):
            return ""
        return draw.pick(("mixed_float16", "mixed_bfloat16"))

    def _optimizer(self, model: Model, draw: Draw, loss: str) -> OptimizerOp | None:
        # Of layers with weights this one is in nearly every model, be it for a repair.
        trained = any(node.op == "keras.layers.Dense" for node in model.nodes)
        if not trained or not self._roles.optimizers or not draw.chance(self._style.update):
            return None
        spec = self._memory.choose(draw, self._roles.optimizers, loss, 0)
        call = draw_optimizer(spec, draw, self._palette, self._memory)
        self._memory.use(spec.name, loss, call.classes)
        model.classes.update(dict.fromkeys(call.classes))
        return OptimizerOp(spec.name, call.params)

    def _first(self, grower: Grower, batch: int) -> Flow:
        """The first vertex: a layer on the data, or one that reads whole numbers."""
        draw, model = grower.draw, grower.model
        able = grower.roles
        only = not able.single and not able.several
        if able.sources and (only or draw.chance(self._style.whole_numbers)):
            return grower.source()
        shape = self._palette.shape(draw, draw.pick((2, 3, 3, 4, 4, 5)))
        shape = (batch, *shape[1:])
        if self._style.datasets:
            shape, recipe = draw_dataset(draw, batch, shape, model.own_seed())
        else:
            recipe = draw_data(draw, shape, model.own_seed())
        data = model.input(shape, "float32", recipe)
        if self._style.unit and draw.chance(0.3) and able.several:
            spec = self._memory.choose(draw, able.several, "input", len(shape))
            return grower.layer(spec, [data])
        return grower.vertex([data], False)


def _told(node: Node, policy: str) -> Node:
    """The node, computing by a dtype policy where it can."""
    if not policy or (policy == "mixed_bfloat16" and node.op in _NO_BFLOAT16):
        return node
    return with_policy(node, policy)


@source(NAME)
def models(seed: int, targets: tuple[str, ...], vocabulary: Mapping[str, OpSpec]) -> Synthesize:
    """Models in Assay's own style."""
    return Synthesize(NAME, Style(), seed, targets, vocabulary)


@source(UNIT, usual=False)
def units(seed: int, targets: tuple[str, ...], vocabulary: Mapping[str, OpSpec]) -> Synthesize:
    """One layer, its repairs and a loss."""
    return Synthesize(UNIT, Style(unit=True), seed, targets, vocabulary)


@source(MUFFIN, usual=False)
def muffin(seed: int, targets: tuple[str, ...], vocabulary: Mapping[str, OpSpec]) -> Synthesize:
    """Models as in the paper: layers only, more of them, and weights from 0 to 100."""
    style = Style(
        max_vertices=30,
        max_cells=5,
        families=("layers",),
        exact=False,
        tame=False,
        weights=(0.0, 100.0),
        update=0.0,
        mixed_precision=0.0,
        datasets=True,
    )
    return Synthesize(MUFFIN, style, seed, targets, vocabulary)
