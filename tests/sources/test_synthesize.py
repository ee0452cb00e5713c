"""Generated models: one source, one sink, shapes that fit, and everything used."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.ir import Case, LossOp, Trial, Wave, producer
from assay.ops import Draw, specs
from assay.sources import contract, create, techniques, usual_techniques
from assay.sources.synthesize.memory import Memory
from assay.sources.synthesize.roles import roles
from assay.sources.synthesize.structure import Skeleton, cells, chain_with_skips

TARGETS = ("keras-tensorflow", "keras-torch")
VARIANTS = ("synthesize", "synthesize-unit", "synthesize-muffin")
MANY = 300


@cache
def trials(name: str = "synthesize", count: int = MANY) -> tuple[Trial, ...]:
    source = create(name, 11, TARGETS)
    return tuple(source.ask(index) for index in range(count))


@pytest.mark.parametrize("name", VARIANTS)
def test_the_source_keeps_the_contract(name: str) -> None:
    contract.check_all(lambda seed: create(name, seed, TARGETS), range(10))


def test_variants_are_used_only_by_those_who_name_them() -> None:
    assert set(VARIANTS) <= set(techniques())
    assert usual_techniques() == ("rewrite", "single-op", "synthesize")


def test_a_trial_far_into_an_epoch_does_not_depend_on_what_was_asked_before() -> None:
    fresh = create("synthesize", 11, TARGETS)
    assert fresh.ask(40) == trials()[40]
    assert fresh.ask(3) == trials()[3]


# ------------------------------------------------------------------ structure


def assert_one_source_and_one_sink(skeleton: Skeleton) -> None:
    read = {vertex for earlier in skeleton.predecessors for vertex in earlier}
    count = len(skeleton.predecessors)
    for vertex, earlier in enumerate(skeleton.predecessors):
        assert all(other < vertex for other in earlier)
        assert bool(earlier) == (vertex > 0)
        assert (vertex in read) == (vertex < count - 1)


@given(st.integers(0, 10**9), st.integers(1, 30))
def test_chains_have_one_source_and_one_sink(seed: int, most: int) -> None:
    skeleton = chain_with_skips(Draw(seed), most)
    assert_one_source_and_one_sink(skeleton)
    assert len(skeleton.predecessors) <= most


@given(st.integers(0, 10**9), st.integers(1, 5))
def test_cells_have_one_source_and_one_sink(seed: int, most: int) -> None:
    skeleton = cells(Draw(seed), most)
    assert_one_source_and_one_sink(skeleton)
    assert len(skeleton.predecessors) <= 5 * most
    assert all(vertex < len(skeleton.predecessors) for vertex in skeleton.reductions)


def test_both_templates_skip() -> None:
    for template in (lambda draw: chain_with_skips(draw, 30), lambda draw: cells(draw, 5)):
        skeletons = [template(Draw(seed)) for seed in range(20)]
        assert any(len(earlier) > 1 for item in skeletons for earlier in item.predecessors)


# --------------------------------------------------------------------- models


def assert_well_formed(case: Case) -> None:
    """Nothing is computed in vain, and the loss reads the one end."""
    read = {producer(tensor) for node in case.graph.nodes for tensor in node.tensors()}
    (end,) = case.graph.outputs
    assert {node.id for node in case.graph.nodes} - read == {end}
    assert {item.name for item in case.graph.inputs} <= read
    assert isinstance(case.loss, LossOp)
    assert case.stage == ("update" if case.optimizer else "gradient")
    labels = case.loss.labels.materialise(case.loss.label_shape, case.loss.label_dtype)
    assert labels.shape == case.loss.label_shape


@pytest.mark.parametrize("name", VARIANTS)
def test_models_have_one_sink_and_no_isolated_node(name: str) -> None:
    for trial in trials(name, 60):
        assert_well_formed(trial.case)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_any_seed_gives_models(seed: int) -> None:
    assert_well_formed(create("synthesize", seed, TARGETS).ask(0).case)


def test_the_paper_s_models_are_of_layers() -> None:
    helpers = ("keras.ops.", "keras.activations.sigmoid")
    for trial in trials("synthesize-muffin", 30):
        drawn = {triple[0] for triple in trial.classes}
        assert all(op.startswith(("keras.layers.", "keras.losses.")) for op in drawn)
        assert (trial.case.weights.low, trial.case.weights.high) == (0.0, 100.0)
        others = {node.op for node in trial.case.graph.nodes if "layers" not in node.op}
        assert all(op.startswith(helpers) for op in others)


def test_three_hundred_models_use_every_op_that_can_stand_in_one() -> None:
    used = {triple[0] for trial in trials() for triple in trial.classes}
    able = roles(specs(), ("layers", "ops", "activations"))
    assert {spec.name for spec in able.all()} - used == set()
    layers = {name for name, spec in specs().items() if spec.family == "layers"}
    assert layers <= used


def test_three_hundred_models_meet_most_parameter_classes() -> None:
    covered = {triple for trial in trials() for triple in trial.classes}
    assert len(covered) > 0.85 * len(create("synthesize", 11, TARGETS).universe())


def test_data_comes_from_all_sources() -> None:
    kinds = {type(recipe).__name__ for t in trials() for recipe in t.case.inputs.values()}
    assert {"Uniform", "Picture", "Wave", "Walk", "Mixed", "Integers"} <= kinds


def test_a_rare_op_catches_up() -> None:
    rare, common = specs()["keras.layers.ReLU"], specs()["keras.layers.ELU"]
    memory = Memory()
    for _ in range(50):
        memory.use(common.name, "input", ())
    draw = Draw(3)
    chosen = [memory.choose(draw, (rare, common), "input", 2).name for _ in range(100)]
    assert chosen.count(rare.name) > 90


def test_ops_that_cannot_stand_in_a_model_are_refused() -> None:
    only = {"keras.ops.argmax": specs()["keras.ops.argmax"]}
    with pytest.raises(AssayError, match="can stand inside a model"):
        create("synthesize", 1, TARGETS, only)


def test_waves_are_sines_to_three_digits() -> None:
    wave = Wave(5).materialise((2, 64, 3), "float64")
    spectrum = np.abs(np.fft.rfft(wave * np.hanning(64)[:, None], axis=1)) ** 2
    peak = spectrum.argmax(axis=1)
    near = [
        spectrum[batch, max(0, k - 2) : k + 3, channel].sum()
        for batch in range(2)
        for channel, k in enumerate(peak[batch])
    ]
    assert np.min(near / spectrum.sum(axis=1).reshape(-1)) > 0.99


@pytest.mark.parametrize(
    "ops",
    [
        ("keras.layers.Conv2D",),
        ("keras.layers.Add",),
        ("keras.layers.Embedding",),
        ("keras.layers.LSTM", "keras.losses.Hinge"),
    ],
)
def test_models_of_few_ops_use_them(ops: tuple[str, ...]) -> None:
    source = create("synthesize", 5, TARGETS, {name: specs()[name] for name in ops})
    cases = [source.ask(index).case for index in range(8)]
    for case in cases:
        assert_well_formed(case)
    used = {node.op for case in cases for node in case.graph.nodes}
    used |= {case.loss.op for case in cases if isinstance(case.loss, LossOp)}
    assert set(ops) <= used
