"""The contract of a source as checks: run them on your own source in your tests.

    from assay.sources import contract

    def test_my_source_keeps_the_contract():
        contract.check_all(lambda seed: MySource(seed, ("keras-torch",), specs()))

Each check takes a factory (seed → source) and raises ``AssertionError`` saying
which promise is broken at which index.
"""

from collections.abc import Callable, Iterable

from assay.ir import Trial, content_hash, from_json, to_json, validate_case
from assay.sources._base import Source

Make = Callable[[int], Source]


def check_all(make: Make, indices: Iterable[int] = range(64), seed: int = 1) -> None:
    """Every check."""
    indices = tuple(indices)
    check_deterministic(make, indices, seed)
    check_any_order(make, indices, seed)
    check_seed_matters(make, indices, seed)
    check_distinct(make, indices, seed)
    check_valid(make, indices, seed)
    check_round_trip(make, indices, seed)
    check_universe(make, indices, seed)


def _ask(make: Make, indices: Iterable[int], seed: int) -> dict[int, Trial]:
    source = make(seed)
    return {index: source.ask(index) for index in indices}


def _require(holds: bool, message: str) -> None:
    if not holds:  # not an assert statement: those vanish under python -O
        raise AssertionError(message)


def check_deterministic(make: Make, indices: Iterable[int], seed: int) -> None:
    """Two sources with one seed give equal trials."""
    indices = tuple(indices)
    first, second = _ask(make, indices, seed), _ask(make, indices, seed)
    for index in indices:
        same = content_hash(first[index]) == content_hash(second[index])
        _require(same, f"trial {index} differs between two sources with seed {seed}")


def check_any_order(make: Make, indices: Iterable[int], seed: int) -> None:
    """A trial does not depend on which trials were asked for before it."""
    indices = tuple(indices)
    forwards = _ask(make, indices, seed)
    backwards = _ask(make, reversed(indices), seed)
    for index in indices:
        same = content_hash(forwards[index]) == content_hash(backwards[index])
        _require(same, f"trial {index} depends on the order in which trials are asked for")


def check_seed_matters(make: Make, indices: Iterable[int], seed: int) -> None:
    """Another seed gives another campaign."""
    indices = tuple(indices)
    first, second = _ask(make, indices, seed), _ask(make, indices, seed + 1)
    differ = any(content_hash(first[i].cases) != content_hash(second[i].cases) for i in indices)
    _require(differ, f"seeds {seed} and {seed + 1} give the same trials")


def check_distinct(make: Make, indices: Iterable[int], seed: int) -> None:
    """No two indices ask the same question."""
    seen: dict[str, int] = {}
    for index, trial in _ask(make, indices, seed).items():
        _require(trial.index == index, f"trial {index} says that its index is {trial.index}")
        digest = content_hash(trial.cases)
        _require(digest not in seen, f"trials {seen.get(digest)} and {index} have equal cases")
        seen[digest] = index


def check_valid(make: Make, indices: Iterable[int], seed: int) -> None:
    """Cases are well formed, arms name existing cases, intent and spoilt parameter agree."""
    source = make(seed)
    for index in indices:
        trial = source.ask(index)
        _require(trial.source == source.name, f"trial {index} says it is of {trial.source!r}")
        _require(bool(trial.arms), f"trial {index} has no arms")
        for case in trial.cases:
            validate_case(case)
            case.input_arrays()
        for arm in trial.arms:
            known = 0 <= arm.case < len(trial.cases)
            _require(known, f"trial {index}: arm {arm.target!r} names case {arm.case}")
        agree = (trial.intent == "invalid") == bool(trial.spoilt)
        _require(agree, f"trial {index}: intent and spoilt contradict each other")


def check_round_trip(make: Make, indices: Iterable[int], seed: int) -> None:
    """Trials survive JSON unchanged."""
    for index, trial in _ask(make, indices, seed).items():
        again = from_json(to_json(trial), Trial)
        _require(content_hash(again) == content_hash(trial), f"trial {index} changes in JSON")


def check_universe(make: Make, indices: Iterable[int], seed: int) -> None:
    """What trials exercise is in the universe, so that coverage never exceeds 100%."""
    source = make(seed)
    universe = source.universe()
    for index in indices:
        outside = set(source.ask(index).classes) - universe
        _require(not outside, f"trial {index} exercises what the universe lacks: {outside}")
