"""EAGLE's tables: what is counted as a pair, as a bug, and as seen by others."""

import msgspec
import pytest

from assay_worker.rules import rules
from benchmarks.eagle_tables import (
    CATEGORIES,
    PUBLISHED,
    Run,
    Seen,
    across,
    categories,
    elsewhere,
    pairs,
    seen,
)
from tests.factories import make_finding


def test_every_published_rule_is_in_one_category() -> None:
    numbers = [number for group in CATEGORIES.values() for number in group]
    assert sorted(numbers) == list(range(1, 17))
    assert {rule.eagle for rule in rules()} - {0} == set(numbers)
    assert [sum(column) for column in zip(*PUBLISHED.values(), strict=True)] == [18, 7]


def test_pairs_are_those_that_were_compared_and_an_api_counts_once() -> None:
    runs = {("torch", name): Run() for name in ("jit", "export", "padding")}
    for api in ("torch.sum", "torch.sum", "torch.abs"):
        runs["torch", "jit"].add(api, 20)
    runs["torch", "export"].add("torch.sum", 5)
    runs["torch", "padding"].add("torch.conv1d", 0)  # out of the rule's domain
    rows = {row[0]: row[1] for row in pairs(runs, ["torch"])}
    assert rows["1"] == "2, 3, 65"
    assert rows["2"] == "–"
    assert rows["all"] == "3 pairs, 65 inputs"


def bug(rule: str = "jit", api: str = "torch.sum", category: str = "bug", wrong: str = "") -> Seen:
    return Seen("torch", rule, api, category, 1, ("jax",), wrong)


def test_bugs_are_counted_once_for_a_rule_and_an_api() -> None:
    found = [bug(), bug(category="rounding"), bug("export"), bug("sparse", category="convention")]
    rows = {row[0]: row[1] for row in categories(found, ["torch"])}
    assert rows["Optimization"] == "2, 0"
    assert rows["Data Structure Equivalence"] == "0, 1"
    assert [row[2] for row in across(found)[1:]] == ["torch.sum", "torch.sum"]


@pytest.mark.parametrize(
    ("reason", "elsewhere_", "said"),
    [
        ("…; NumPy gives 1, so that the plain call is wrong", ("jax",), "yes"),
        ("…; NumPy gives 1, so that the other program is wrong", ("jax",), "no: the plain call"),
        ("these two must agree", ("jax",), "nobody says who is wrong"),
        ("…; NumPy gives 1, so that the plain call is wrong", (), "no: only this library"),
    ],
)
def test_others_see_what_is_wrong_with_the_plain_call_if_they_have_it(
    reason: str, elsewhere_: tuple[str, ...], said: str
) -> None:
    finding = make_finding()
    evidence = msgspec.structs.replace(finding.evidence, reason=reason)
    finding = msgspec.structs.replace(finding, evidence=evidence, rule="jit")
    assert seen("torch", finding, elsewhere_).across.startswith(said)


def test_a_function_is_known_elsewhere_by_its_own_name() -> None:
    names = {"torch": ["torch.log_softmax"], "tensorflow": ["tf.nn.log_softmax"], "jax": ["jax.f"]}
    assert elsewhere("torch.nn.functional.log_softmax", "torch", names) == ("tensorflow",)
    assert elsewhere("torch.nn.LogSoftmax", "torch", names) == ("tensorflow",)
    assert elsewhere("torch.smm", "torch", names) == ()
