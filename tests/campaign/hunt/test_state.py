"""What a campaign remembers, and that it survives."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.campaign.hunt.coverage import Coverage
from assay.campaign.hunt.state import EXPLANATIONS, Known, State, key_of, load, save
from assay.campaign.hunt.techniques import share
from assay.ir import Verdict
from assay.judge import ErrorOracle, ValidationOracle
from assay.sources import Source, Triple
from tests.factories import make_finding
from tests.judge.observations import TARGETS, observed, ok, raised
from tests.strategies import names

TF, JAX, TORCH = TARGETS
counts = st.dictionaries(names, st.integers(1, 1000), max_size=3)
known = st.builds(Known, names, st.sampled_from(["bug", "rounding"]), st.integers(1, 5))
seconds = st.floats(0, 1e6)
states = st.builds(
    State,
    valid=st.integers(0, 1000),
    valid_intended=st.integers(0, 1000),
    suppressed=counts,
    known=st.dictionaries(names, known, max_size=3),
    covered=st.integers(0, 2**300),
    harness_errors=st.integers(0, 9),
    cpu_generate=seconds,
    cpu_explain=seconds,
)


@given(states)
def test_a_state_survives_json(state: State) -> None:
    assert load(json.loads(json.dumps(save(state)))) == state


def test_nothing_saved_is_a_new_state() -> None:
    assert load({}) == State()
    first, second = State(), State()
    first.suppress("entry")
    assert second.suppressed == {}


def test_what_is_no_state_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="valid"):
        load({"valid": "many", "covered": "0"})


def test_suppressions_are_counted_by_entry() -> None:
    state = State()
    for entry in ("a", "b", "a"):
        state.suppress(entry)
    assert state.suppressed == {"a": 2, "b": 1}


def test_a_bug_is_explained_once() -> None:
    state = State()
    assert state.needs_explaining("key")
    state.learn("key", make_finding("b", category="bug"))
    assert not state.needs_explaining("key")
    assert state.needs_explaining("another key")


@pytest.mark.parametrize("category", ["convention", "rounding", "unsupported", "flaky"])
def test_what_is_no_bug_is_explained_a_few_times(category: str) -> None:
    state = State()
    for _ in range(EXPLANATIONS):
        assert state.needs_explaining("key")
        state.learn("key", make_finding("c", category=category))
    assert not state.needs_explaining("key")


def test_a_bug_behind_something_less_is_found_and_never_forgotten() -> None:
    state = State()
    state.learn("key", make_finding("rounding", category="rounding"))
    state.learn("key", make_finding("bug", category="bug"))
    assert not state.needs_explaining("key")
    state.learn("key", make_finding("flaky", category="flaky"))
    assert state.known["key"].category == "bug"
    assert state.known["key"].fingerprint == make_finding("bug").fingerprint


def error(message: str, target: str = TORCH) -> Verdict:
    traces = [raised(t, message=message) if t == target else ok(t) for t in TARGETS]
    (verdict,) = ErrorOracle().judge(observed(*traces))
    return verdict


def test_keys_are_alike_for_what_looks_alike() -> None:
    assert key_of(error("expected 3, got 4")) == key_of(error("expected 5, got 6"))
    assert key_of(error("expected 3")) != key_of(error("no device"))
    assert key_of(error("expected 3")) != key_of(error("expected 3", JAX))
    changed = msgspec.structs.replace(error("expected 3"), op="keras.ops.add")
    assert key_of(changed) != key_of(error("expected 3"))


def test_the_key_of_a_validation_has_its_parameter_and_no_message() -> None:
    def key(message: str, parameter: str) -> str:
        seen = observed(raised(TF, message=message), ok(JAX), intent="invalid", spoilt=parameter)
        (verdict,) = ValidationOracle().judge(seen)
        return key_of(verdict)

    assert key("must be positive", "units") == key("bad value", "units")
    assert key("must be positive", "units") != key("must be positive", "rate")


class Vocabulary:
    """As much of a source as coverage asks for."""

    name = "test"

    def __init__(self, *triples: Triple) -> None:
        self._triples = frozenset(triples)

    def universe(self) -> frozenset[Triple]:
        return self._triples


A, B, C = ("add", "x", "zero"), ("add", "x", "nan"), ("dense", "units", "one")


def coverage(bits: int = 0) -> Coverage:
    sources: list[Source] = [Vocabulary(A, B), Vocabulary(B, C)]  # type: ignore[list-item]
    return Coverage(sources, {}, bits)


def test_coverage_counts_each_triple_and_op_once() -> None:
    seen = coverage()
    assert (seen.covered, seen.total, seen.ops_covered, seen.ops_total) == (0, 3, 0, 2)
    seen.add([A, A, ("add", "x", "unknown")])
    seen.add([B])
    assert (seen.covered, seen.ops_covered) == (2, 1)
    seen.add([C])
    assert (seen.covered, seen.ops_covered) == (3, 2)


def test_coverage_continues_from_its_bits() -> None:
    before = coverage()
    before.add([C])
    after = coverage(before.bits)
    assert (after.covered, after.ops_covered) == (1, 1)
    after.add([C])
    assert after.covered == 1


def test_techniques_take_turns_and_none_skips_one_of_its_own() -> None:
    names = ["single-op", "synthesize"]
    turns = [share(names, index) for index in range(24)]
    assert [own for place, own in turns if place == 1] == [0, 1, 2]
    assert [own for place, own in turns if place == 0] == list(range(21))
    assert [share(["synthesize"], index) for index in range(3)] == [(0, 0), (0, 1), (0, 2)]
    three = [share(["rewrite", *names], index)[0] for index in range(90)]
    assert [three.count(place) for place in range(3)] == [10, 70, 10]
