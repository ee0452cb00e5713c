"""One call, computed in two ways: which pairs there are, and what is drawn of them."""

from collections import Counter

import msgspec
import numpy as np
import pytest

from assay.catalogue.chosen import Chosen
from assay.errors import AssayError
from assay.libraries import vocabulary
from assay.sources import Source, contract, create
from assay.sources.rewrite import Rewrite
from assay_worker.rules import rule
from tests.sources.catalogue import TORCH

TARGETS = ("torch", "reference")


def chosen(*rules: str) -> Chosen:
    return Chosen(libraries={"torch": "torch"}, snapshots={"torch": TORCH}, rules=rules)


def rewrite(seed: int = 1, *rules: str) -> Source:
    return create("rewrite", seed, TARGETS, chosen=chosen(*rules))


def pairs(source: Source) -> set[tuple[str, str]]:
    assert isinstance(source, Rewrite)
    return {(pair.api, pair.rule.name) for pair in source.pairs}


def test_the_source_keeps_the_contract() -> None:
    contract.check_all(lambda seed: rewrite(seed), range(120))


def test_ops_of_the_vocabulary_keep_the_contract_too() -> None:
    by_words = Chosen(libraries={"torch": "torch"}, rules=("strided", "jit"))
    words = vocabulary(["torch"])
    contract.check_all(lambda seed: create("rewrite", seed, ("torch",), words, by_words), range(60))


def test_every_pair_has_its_turn_in_a_round_and_compilers_come_last() -> None:
    source = rewrite()
    assert isinstance(source, Rewrite)
    size = len(source.pairs)
    for start in (0, size):
        trials = [source.ask(start + place) for place in range(size)]
        asked = Counter((trial.cases[0].graph.nodes[0].op, trial.rule) for trial in trials)
        assert asked == dict.fromkeys(pairs(source), 1)
        compiled = [rule(trial.rule).compiles for trial in trials]
        assert compiled == sorted(compiled)


def test_two_rounds_draw_other_inputs() -> None:
    source = rewrite(1, "strided")
    assert isinstance(source, Rewrite)
    size = len(source.pairs)
    by_api = [
        {source.ask(n * size + place).cases[0].graph.nodes[0].op: n for place in range(size)}
        for n in range(2)
    ]
    assert by_api[0].keys() == by_api[1].keys()
    first, second = (
        {t.cases[0].graph.nodes[0].op: t.cases[0].inputs for t in map(source.ask, indices)}
        for indices in (range(size), range(size, 2 * size))
    )
    assert all(first[api] != second[api] for api in first)


def test_only_calls_in_a_rules_domain_are_paired() -> None:
    found = pairs(rewrite())
    assert ("torch.tanh", "inplace") in found
    assert not {rule for api, rule in found if api == "torch.special.nothing"}
    # Equal calls may differ: only what is told before the call is compared.
    assert {rule for api, rule in found if api == "torch.randperm"} <= {"symbolic"}


def test_dear_rules_take_part_only_where_they_are_named() -> None:
    assert "compile" not in {rule for _, rule in pairs(rewrite())}
    assert {rule for _, rule in pairs(rewrite(1, "compile"))} == {"compile"}


def test_a_rule_that_does_not_hold_for_special_values_draws_none() -> None:
    source = rewrite(3, "modes")
    drawn = [source.ask(index) for index in range(60)]
    assert all(aspect != "special" for trial in drawn for _, aspect, _ in trial.classes)
    other = [rewrite(3, "strided").ask(index) for index in range(60)]
    assert any(aspect == "special" for trial in other for _, aspect, _ in trial.classes)


def test_a_rule_may_hold_for_nan_alone() -> None:
    (pair,) = (entry for entry in TORCH.entries if entry.api == "torch.fmod")
    call = msgspec.structs.replace(pair.calls[0], special=("nan", "positive_infinity"))
    made = msgspec.structs.replace(
        TORCH, entries=(msgspec.structs.replace(pair, api="torch.maximum", calls=(call,)),)
    )
    given = Chosen(libraries={"torch": "torch"}, snapshots={"torch": made}, rules=("samename",))
    source = create("rewrite", 3, TARGETS, chosen=given)
    classes = [found for index in range(60) for found in source.ask(index).classes]
    assert {name for _, aspect, name in classes if aspect == "special"} == {"nan"}


def test_nor_of_ops_of_the_vocabulary() -> None:
    words = vocabulary(["torch"])

    def values(name: str) -> set[str]:
        by_words = Chosen(libraries={"torch": "torch"}, rules=(name,))
        source = create("rewrite", 3, ("torch",), words, by_words)
        drawn = [source.ask(index).classes for index in range(60)]
        return {told for classes in drawn for _, aspect, told in classes if aspect == "input"}

    assert values("linear") <= {"ordinary", "equal"}
    assert "huge" in values("strided")


def test_nothing_to_pair_is_refused() -> None:
    with pytest.raises(AssayError, match="no rule applies"):
        rewrite(1, "xla")


def test_it_is_enough_when_every_pair_had_the_inputs_that_were_asked_for() -> None:
    for inputs, trials, draws in ((400, 20, 20), (30, 2, 20), (5, 1, 5)):
        asked = msgspec.structs.replace(chosen("strided"), inputs=inputs)
        source = create("rewrite", 1, TARGETS, chosen=asked)
        assert isinstance(source, Rewrite)
        assert source.enough == trials * len(source.pairs)
        assert source.ask(0).draws == draws
    everlasting = rewrite()
    assert isinstance(everlasting, Rewrite)
    assert everlasting.enough == 0


def test_uniform_draws_take_every_size_and_number_alike() -> None:
    asked = msgspec.structs.replace(chosen("strided"), drawing="uniform", tolerance=(1e-2, 1e-5))
    source = create("rewrite", 1, TARGETS, chosen=asked)
    trials = [source.ask(index) for index in range(120)]
    assert {trial.tolerance for trial in trials} == {(1e-2, 1e-5)}
    cases = [trial.case for trial in trials if trial.case.graph.nodes[0].op == "torch.tanh"]
    sizes = Counter(case.graph.inputs[0].shape[0] for case in cases)
    dtypes = Counter(case.graph.inputs[0].dtype for case in cases)
    assert set(sizes) == {1, 5, 9}
    assert set(dtypes) == {"float16", "float32", "float64"}
    for case in cases:
        (array,) = case.input_arrays().values()
        assert np.isfinite(array).all()
        assert np.abs(array).max() > np.finfo(array.dtype).max / 100


def test_a_library_is_asked_its_own_words_only() -> None:
    words = vocabulary(["keras", "torch"])
    both = Chosen(libraries={"keras-torch": "keras", "torch": "torch"}, rules=("strided", "split"))
    source = create("rewrite", 1, ("keras-torch", "torch"), words, both)
    assert isinstance(source, Rewrite)
    roots = {(pair.target, pair.api.partition(".")[0]) for pair in source.pairs}
    assert roots == {("keras-torch", "keras"), ("torch", "torch")}
