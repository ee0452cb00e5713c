"""One call, computed in two ways: which pairs there are, and what is drawn of them."""

from collections import Counter

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


def test_nothing_to_pair_is_refused() -> None:
    with pytest.raises(AssayError, match="no rule applies"):
        rewrite(1, "xla")
