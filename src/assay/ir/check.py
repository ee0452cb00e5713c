"""Check: is a model the same everywhere? The records of its answer. Pure data."""

from typing import Literal

import msgspec

from assay.ir.graph import Graph, plain_name, producer
from assay.ir.recipe import Array

#: Nothing to compare: not one finite number on any side, or only targets that differ from
#: themselves.
ModelVerdict = Literal["consistent", "inconsistent", "nothing to compare"]


#: Bounds of the bins of an instance's largest deviation; exact agreement is a bin of its own.
DECADES = tuple(10.0**power for power in range(-8, 2))


class TensorSpec(msgspec.Struct, frozen=True):
    """An input or output of a model; a free axis has the size None.

    With a ``scale``, whole numbers q stand for (q - ``zero_point``) * ``scale``.
    """

    name: str
    shape: tuple[int | None, ...]
    dtype: str
    scale: float = 0.0
    zero_point: int = 0


class LayerSpec(msgspec.Struct, frozen=True):
    """A layer of a model (a node of an ONNX graph): the tensors it reads and writes."""

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def layers_of(graph: Graph) -> tuple[LayerSpec, ...]:
    """A graph's nodes as layers; of a node's outputs, the first and those that are read."""
    read = {plain_name(tensor) for node in graph.nodes for tensor in node.tensors()}
    return tuple(
        LayerSpec(
            name=node.id,
            op=node.op,
            inputs=tuple(dict.fromkeys(plain_name(tensor) for tensor in node.tensors())),
            outputs=(node.id, *sorted(t for t in read - {node.id} if producer(t) == node.id)),
        )
        for node in graph.nodes
    )


class Stored(msgspec.Struct, frozen=True):
    """An array of weights of a model, and what identifies its values."""

    name: str
    size: int
    digest: str


class ModelSpec(msgspec.Struct, frozen=True):
    """A model as a target sees it: layers in topological order.

    ``digest`` identifies the values of its weights: two targets with different ones do
    not hold the same model. ``words`` says who named the layers, if not the file: what two
    runtimes with words of their own call alike need not be the same. ``arrays`` are told where
    files are compared. ``coarse`` layers have weights of 8 bits and read fractions, which a
    runtime rounds to 8 bits as it sees fit. ``left_out`` are outputs that are no arrays of
    numbers; their dtype says what they are.
    """

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    layers: tuple[LayerSpec, ...]
    weights: int
    digest: str
    words: str = ""
    arrays: tuple[Stored, ...] = ()
    coarse: int = 0
    left_out: tuple[TensorSpec, ...] = ()


class LayerDeviation(msgspec.Struct, frozen=True):
    """How far two targets are apart after a layer.

    ``deviation`` is the mean absolute difference of its output, ``before`` the largest
    deviation of the layers it reads, ``rate`` how much the layer adds relative to that.
    ``alone`` is the largest difference of the layer alone on identical input, None if it
    was not run alone.
    """

    layer: str
    op: str
    deviation: float
    before: float
    rate: float
    highlighted: bool = False
    alone: float | None = None


class Suspect(msgspec.Struct, frozen=True):
    """The layer from which on two targets differ.

    ``alone``: how much it differs alone on identical input (0 if it does not, and the
    growth of the deviation is all that speaks against it). ``blamed`` is empty when
    nobody can tell who is wrong.
    """

    layer: str
    op: str
    rate: float
    alone: float = 0.0
    before: float = 0.0
    layers_before: int = 0
    blamed: tuple[str, ...] = ()
    reason: str = ""


class Outside(msgspec.Struct, frozen=True):
    """Two targets differ though no layer does by itself: ``where`` is the part that is left.

    ``blamed`` is who does not hand on what its own layers gave, if that was seen.
    """

    where: str
    blamed: tuple[str, ...] = ()


class Gate(msgspec.Struct, frozen=True):
    """A threshold that was given, and what was measured of a pair of targets, also in words.

    ``measure`` is "values" (of an ``output``: ``value`` is the largest deviation as a multiple
    of what is allowed), "agreement" (of an output: the share of instances) or a metric (the
    difference of the two targets).
    """

    measure: str
    output: str
    allowed: str
    measured: str
    value: float
    limit: float
    passed: bool

    @property
    def threshold(self) -> str:
        """What is allowed of what."""
        return f"{self.output}: {self.allowed}" if self.output else self.allowed

    def __str__(self) -> str:
        return f"{self.threshold}, measured {self.measured}"


class PairResult(msgspec.Struct, frozen=True):
    """Two targets on all instances.

    ``worst`` is the most inconsistent instance; ``labels`` what each target predicts
    there, and the truth if it is known. ``histogram`` counts instances by distance: class
    distances 16, [8,16), [4,8) … 0, then ten equal bins of MAD distances. ``category``
    says what an inconsistency is; a consistent pair has none. ``ratio`` is how many times
    their own rounding bound the outputs are apart where that is most: above 1 rounding does
    not explain it, None if nothing got past the screen. ``outside`` says which part of the
    model is left where it does not and no layer differs by itself. ``deviations`` counts
    instances by max |Δ|: 0, below ``DECADES[0]``, between each two of these, and from the last
    on. ``gates`` are the thresholds that were given; if there are any, they made the verdict.
    ``accuracy_differences`` are of the best 1 to 5 labels, by the labels that are known or, where
    none are, by what most targets predict. ``exceeded`` are the metrics of a published rule that
    call the pair inconsistent.
    """

    targets: tuple[str, str]
    verdict: ModelVerdict
    top1_agreement: float | None
    max_abs: float
    mean_abs: float
    max_rel: float
    max_ulp: float
    d_class_max: float | None
    d_mad_max: float
    share_class: float
    share_mad: float
    histogram: tuple[int, ...]
    worst: int
    labels: tuple[int, ...] = ()
    suspect: Suspect | None = None
    explanation: str = ""
    category: Literal["", "bug", "rounding"] = ""
    ratio: float | None = None
    outside: Outside | None = None
    deviations: tuple[int, ...] = ()
    gates: tuple[Gate, ...] = ()
    accuracy_differences: tuple[float, ...] = ()
    exceeded: tuple[str, ...] = ()


class Special(msgspec.Struct, frozen=True):
    """The shares of an output's elements that are NaN and infinite, over all instances."""

    output: str
    nan: float
    infinite: float


class TargetResult(msgspec.Struct, frozen=True):
    """One target: its versions, its accuracy where labels are known, or why it has no result.

    ``itself`` is the largest difference between two runs on the same input;
    ``nondeterministic``, if it is more than rounding. ``special`` has the outputs that are
    not all finite. It ran on ``instances``, which are fewer than all if it is slow. So many
    layers are ``coarse`` (``ModelSpec``).
    """

    name: str
    versions: dict[str, str] = {}
    top1_accuracy: float | None = None
    top5_accuracy: float | None = None
    mean_absolute_error: float | None = None
    failure: str = ""
    cpu_seconds: float = 0.0
    itself: float = 0.0
    nondeterministic: bool = False
    special: tuple[Special, ...] = ()
    instances: int = 0
    coarse: int = 0


class FileResult(msgspec.Struct, frozen=True):
    """One of several files: who ran it, and how its inputs and outputs were matched with those
    of the first (in words; empty for the first).
    """

    name: str
    format: str
    targets: tuple[str, ...]
    layers: int = 0
    weights: int = 0
    inputs: str = ""
    outputs: str = ""
    weights_differ: str = ""


class LocalizationMap(msgspec.Struct, frozen=True):
    """The deviations of every layer for one pair and instance."""

    targets: tuple[str, str]
    instance: int
    suspect: str
    layers: tuple[LayerDeviation, ...]


class Located(msgspec.Struct, frozen=True):
    """From which layer on two targets differ: the suspect, if one layer differs beyond rounding
    by itself, and the one that the growth of the deviation points at.

    ``complete``: every layer was run alone, so that if there is no suspect, no layer
    differs by itself. ``outside``: which part of the model is left where it is none of
    the layers.
    """

    suspect: Suspect | None
    by_growth: LayerDeviation | None
    map: LocalizationMap | None
    complete: bool
    outside: Outside | None = None


class UniqueInconsistency(msgspec.Struct, frozen=True):
    """Pairs that are inconsistent in the same way; by a published rule, all with this ``pattern``
    of distances (the part of their histograms that the rule went by).
    """

    layer: str
    op: str
    blamed: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    instance: int
    pattern: tuple[int, ...] = ()


class WeightFacts(msgspec.Struct, frozen=True):
    """A weight of a layer in a few numbers; ``spread`` is its standard deviation."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    smallest: float
    largest: float
    mean: float
    spread: float


class LayerFacts(msgspec.Struct, frozen=True):
    """What a layer was made with, each attribute as text, and its weights."""

    layer: str
    attributes: dict[str, str] = {}
    weights: tuple[WeightFacts, ...] = ()


class Exhibit(msgspec.Struct, frozen=True):
    """An inconsistency for the eye: its worst instance with both targets' outputs, in the order of
    ``targets``, and facts about the layers. No part of a check's JSON.
    """

    targets: tuple[str, str]
    instance: int
    inputs: dict[str, Array]
    outputs: tuple[tuple[Array, ...], tuple[Array, ...]]
    output_names: tuple[str, ...] = ()
    facts: tuple[LayerFacts, ...] = ()


class Check(msgspec.Struct, frozen=True):
    """The answer of a check. ``findings`` are ids in the store it was recorded in.

    ``files`` are told where there are several; ``layers`` and ``weights`` are the first one's.
    ``data_notes``: what was converted, and how what is in the data files was understood.
    ``left_out``: outputs that are no arrays of numbers and were not compared, in words.
    ``thresholds`` are those that were given, in words; they decide where there are any.
    A target that differs from itself makes it inconsistent, whatever the pairs say.
    """

    model: str
    instances: int
    generated: bool
    task: Literal["classification", "regression"]
    preset: str
    verdict: ModelVerdict
    targets: tuple[TargetResult, ...]
    pairs: tuple[PairResult, ...]
    unique_inconsistencies: tuple[UniqueInconsistency, ...] = ()
    layers: tuple[LayerSpec, ...] = ()
    weights: int = 0
    maps: tuple[LocalizationMap, ...] = ()
    cpu_seconds: float = 0.0
    findings: tuple[str, ...] = ()
    data_notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    thresholds: str = ""
    files: tuple[FileResult, ...] = ()

    def pair_of(self, item: UniqueInconsistency) -> PairResult:
        """The pair that an inconsistency is told by: the one that is farthest apart."""
        pairs = [pair for pair in self.pairs if pair.targets in item.pairs]
        return max(pairs, key=lambda pair: pair.max_abs)

    @property
    def nondeterministic(self) -> tuple[str, ...]:
        """The targets that differ from themselves beyond rounding."""
        return tuple(item.name for item in self.targets if item.nondeterministic)
