"""The contract of a source as checks: run them on your own source in your tests.

    from assay.sources import contract

    def test_my_source_keeps_the_contract():
        contract.check_all(lambda seed: MySource(seed, ("keras-torch",), specs()))

Each check takes a factory (seed → source) and raises ``AssertionError`` saying
which promise is broken at which index. A source that learns is told, of every trial, what
``result`` gives: by default traces that are a function of the trial.
"""

from collections.abc import Callable, Iterable, Sequence

from assay.ir import (
    Trace,
    Trial,
    Uniform,
    Verdict,
    content_hash,
    derive,
    from_json,
    to_json,
    validate_case,
)
from assay.sources._base import Source

Make = Callable[[int], Source]
#: What a source is told of a trial.
Result = Callable[[Trial], tuple[Sequence[Trace], Sequence[Verdict]]]


def arbitrary_result(trial: Trial) -> tuple[Sequence[Trace], Sequence[Verdict]]:
    """One trace per arm, whose only output is numbers that depend on trial and arm alone."""
    shape, dtype = (2, 3), "float32"
    traces = []
    for arm in trial.arms:
        recipe = Uniform(derive(trial.index, arm.name, content_hash(trial.cases)))
        arrays = {
            f"output:{node.id}": recipe.materialise(shape, dtype)
            for node in trial.cases[arm.case].graph.nodes
        }
        traces.append(Trace(arm.name, "ok", arrays))
    return traces, ()


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
    check_resumed(make, indices, seed)


def _ask(make: Make, indices: Iterable[int], seed: int) -> dict[int, Trial]:
    """The trials of a source; of one that learns, in order, each told before the next."""
    source = make(seed)
    if not source.generation:
        return {index: source.ask(index) for index in indices}
    asked = {}
    for index in sorted(indices):
        asked[index] = source.ask(index)
        source.tell(index, *arbitrary_result(asked[index]))
    return asked


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
    """A trial does not depend on which trials were asked for before it.

    Of a source that learns, within a generation: what was told of it meanwhile does not count.
    """
    indices = tuple(indices)
    size = make(seed).generation
    if size:
        return _check_any_order_within(make, range(0, len(indices) // size * size, size), seed)
    forwards = _ask(make, indices, seed)
    backwards = _ask(make, reversed(indices), seed)
    for index in indices:
        same = content_hash(forwards[index]) == content_hash(backwards[index])
        _require(same, f"trial {index} depends on the order in which trials are asked for")


def _check_any_order_within(make: Make, starts: Iterable[int], seed: int) -> None:
    ahead, behind = make(seed), make(seed)
    for start in starts:
        own = range(start, start + ahead.generation)
        # All asked before any is told, last first; and each asked after the one before was told.
        trials = {index: ahead.ask(index) for index in reversed(own)}
        for index in own:
            trial = behind.ask(index)
            same = content_hash(trial) == content_hash(trials[index])
            _require(same, f"trial {index} depends on what was told of its own generation")
            behind.tell(index, *arbitrary_result(trial))
            ahead.tell(index, *arbitrary_result(trial))


def check_resumed(make: Make, indices: Iterable[int], seed: int) -> None:
    """A source made anew from the saved state of another goes on as that would have."""
    indices = tuple(sorted(indices))
    whole = _ask(make, indices, seed)
    # Where nothing may be learned, a few moments tell.
    for stop in indices if make(seed).generation else indices[::16]:
        first = make(seed)
        for index in [index for index in indices if index < stop]:
            first.tell(index, *arbitrary_result(first.ask(index)))
        saved = from_json(to_json(first.state()), dict)
        again = make(seed)
        again.restore(saved)
        resumed = again.ask(stop)
        same = content_hash(resumed) == content_hash(whole[stop])
        _require(same, f"trial {stop} differs after the source was restored before it")


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
    for index, trial in _ask(make, indices, seed).items():
        _require(trial.source == source.name, f"trial {index} says it is of {trial.source!r}")
        _require(bool(trial.arms), f"trial {index} has no arms")
        for case in trial.cases:
            validate_case(case)
            case.input_arrays()
        for arm in trial.arms:
            known = 0 <= arm.case < len(trial.cases)
            _require(known, f"trial {index}: arm {arm.name!r} names case {arm.case}")
        names = [arm.name for arm in trial.arms]
        _require(len(set(names)) == len(names), f"trial {index} has two arms of one name")
        for agreement in trial.agreements:
            strangers = sorted(set(agreement.arms) - set(names))
            _require(not strangers, f"trial {index}: no such arms agree: {strangers}")
        agree = (trial.intent == "invalid") == bool(trial.spoilt)
        _require(agree, f"trial {index}: intent and spoilt contradict each other")


def check_round_trip(make: Make, indices: Iterable[int], seed: int) -> None:
    """Trials survive JSON unchanged."""
    for index, trial in _ask(make, indices, seed).items():
        again = from_json(to_json(trial), Trial)
        _require(content_hash(again) == content_hash(trial), f"trial {index} changes in JSON")


def check_universe(make: Make, indices: Iterable[int], seed: int) -> None:
    """What trials exercise is in the universe, so that coverage never exceeds 100%."""
    universe = make(seed).universe()
    for index, trial in _ask(make, indices, seed).items():
        outside = set(trial.classes) - universe
        _require(not outside, f"trial {index} exercises what the universe lacks: {outside}")
