"""Seed models and their variants: valid where they are meant to be, and a function of the seed."""

from collections import Counter

import msgspec
import pytest

from assay.config import MutateConfig
from assay.errors import AssayError
from assay.ir import Case, Trial, from_json, to_json
from assay.ops import specs
from assay.ops.placing import shapes_of
from assay.sources import contract, create
from assay.sources.mutate.seeds import MODELS, OF_TEXTS, Wanted, seed_model
from assay.sources.mutate.settings import checked

TARGETS = ("one", "other")


def trials(count: int, seed: int = 1, **settings: object) -> list[Trial]:
    given = msgspec.structs.replace(MutateConfig(), **settings)
    source = create("mutate", seed, TARGETS, mutation=given)
    return [source.ask(index) for index in range(count)]


def test_the_source_keeps_the_contract() -> None:
    contract.check_all(lambda seed: create("mutate", seed, TARGETS), range(32))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_a_seed_model_is_a_case_whose_shapes_the_specs_know(name: str, full: bool) -> None:
    seed = seed_model(name, Wanted(3, full))
    shapes = shapes_of(seed.case, specs())
    assert {node.id for node in seed.case.graph.nodes} <= set(shapes)
    labels = 2 if name in OF_TEXTS else 10
    assert shapes[seed.logits] == shapes[seed.case.graph.outputs[0]] == (1, labels)
    assert from_json(to_json(seed.case), Case) == seed.case


@pytest.mark.parametrize("name", sorted(OF_TEXTS))
def test_a_model_of_texts_may_begin_behind_its_embedding(name: str) -> None:
    whole, behind = (seed_model(name, Wanted(3, embedded=it)).case for it in (False, True))
    assert whole.graph.inputs[0].dtype == "int32"
    assert behind.graph.inputs[0].dtype == "float32"
    assert [node.op for node in whole.graph.nodes[1:]] == [n.op for n in behind.graph.nodes]


def test_full_models_have_the_published_layers() -> None:
    counts = Counter(node.op for node in seed_model("resnet20", Wanted(1, True)).case.graph.nodes)
    assert counts["keras.layers.Conv2D"] == 19 + 2, "and two for the ways around"
    assert counts["keras.layers.Dense"] == 1
    counts = Counter(node.op for node in seed_model("vgg16", Wanted(1, True)).case.graph.nodes)
    assert (counts["keras.layers.Conv2D"], counts["keras.layers.Dense"]) == (13, 3)


def test_the_first_variant_is_the_model_itself_and_others_are_not() -> None:
    found = trials(3 * len(MODELS), invalid=0.0)
    first, later = found[: len(MODELS)], found[len(MODELS) :]
    assert all(not trial.classes for trial in first)
    assert sum(bool(trial.classes) for trial in later) > len(later) / 2


def test_variants_that_are_meant_to_be_valid_are_so_by_the_specs() -> None:
    for trial in trials(120):
        if trial.intent == "valid":
            shapes_of(trial.case, specs())
            assert trial.search is not None
        else:
            assert trial.search is None
            assert any(trial.spoilt in node.params for node in trial.case.graph.nodes)


def test_as_many_variants_are_searched_as_are_asked_for_at_every_level_and_goal() -> None:
    found = trials(60, models=("lenet5",), variants=20, searched=6)
    searched = [trial.search for trial in found if trial.search and trial.search.generations]
    assert len(searched) == 3 * 6
    ways = Counter((search.level, search.goal) for search in searched)
    assert set(ways.values()) == {3}
    assert len(ways) == 6


def test_labels_and_words_stay_as_many_as_they_are() -> None:
    for trial in trials(60, models=("gru", "lenet5"), layers=0, varied=0.9, invalid=0.0):
        nodes = {node.id: node for node in trial.case.graph.nodes}
        assert trial.search is not None
        assert nodes[trial.search.logits].params["units"] in (2, 10)
        for node in nodes.values():
            if node.op == "keras.layers.Embedding":
                assert node.params["input_dim"] == 500


def test_only_layers_of_the_vocabulary_vary() -> None:
    vocabulary = {"keras.layers.Dense": specs()["keras.layers.Dense"]}
    source = create("mutate", 1, TARGETS, vocabulary)
    met = {triple[0] for index in range(60) for triple in source.ask(index).classes}
    assert met == {"keras.layers.Dense"}
    with pytest.raises(AssayError, match="no op to draw from is a layer of the seed models"):
        create("mutate", 1, TARGETS, {"keras.ops.abs": specs()["keras.ops.abs"]})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"models": ("lenet",)}, 'mutate.models: unknown model "lenet".*Did you mean "lenet5"'),
        ({"levels": ("all",)}, 'mutate.levels: unknown level "all"'),
        ({"goals": ()}, "mutate.goals is empty"),
        ({"strategy": "luck"}, 'mutate.strategy: unknown strategy "luck"'),
        ({"population": 1}, "mutate.population must be at least 2; received 1"),
        ({"varied": 1.5}, "mutate.varied must be from 0 to 1; received 1.5"),
        ({"mutation": 0.0}, "only mutated children go on"),
        ({"parents": 40}, "mutate.parents must be fewer than the population of 40"),
        ({"noise": 0.0}, "mutate.noise must be above 0; received 0"),
        ({"bound": float("nan")}, "mutate.bound must be at least 0; received nan"),
    ],
)
def test_settings_that_cannot_be_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(AssayError, match=message):
        checked(msgspec.structs.replace(MutateConfig(), **settings), "mutate")
