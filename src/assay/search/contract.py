"""The contract of a strategy as checks: run them on your own strategy in your tests.

    from assay.search import contract

    def test_my_strategy_keeps_the_contract():
        contract.check_all(MyStrategy)

Each check takes a factory (space, seed, settings → strategy) and raises ``AssertionError`` saying
which promise is broken. Strategies are told scores that are a function of the inputs alone.
"""

import numpy as np

from assay.ir import Array, from_json, to_json
from assay.search._base import Factory, Inputs, Scores, Settings, Space, Strategy, Tensor

#: Small and large, one tensor and two, a number alone, bounds on both sides and on one.
SPACES = (
    Space((Tensor("x0", (2, 2)),), "float32"),
    Space((Tensor("x0", (3, 5), -2.0, 2.0), Tensor("x1", (7,), 0.0)), "float16"),
    Space((Tensor("x0", ()),), "bfloat16"),
    Space((Tensor("x0", (4,), 1e-3, 1e3),), "float64"),
)
_COUNTS = (10, 1, 64, 7, 30, 30, 30)


def arbitrary_scores(space: Space, inputs: Inputs) -> Scores:
    """Scores that depend on the inputs alone; some are equal, some are zero."""
    flat = space.joined(inputs)
    with np.errstate(all="ignore"):
        found = np.floor(16.0 * np.abs(np.sin(np.nan_to_num(flat))))
    return Scores(found.max(axis=1), found.sum(axis=1), found.min(axis=1))


def check_all(make: Factory, seed: int = 1) -> None:
    """Every check, on every space."""
    for space in SPACES:
        check_inputs(make, space, seed)
        check_deterministic(make, space, seed)
        check_seed_matters(make, space, seed)
        check_resumed(make, space, seed)


def _require(holds: bool, message: str) -> None:
    if not holds:  # not an assert statement: those vanish under python -O
        raise AssertionError(message)


def _same(first: Inputs, second: Inputs) -> bool:
    names = set(first) == set(second)
    return names and all(np.array_equal(first[name], second[name]) for name in first)


def _step(made: Strategy, space: Space, count: int) -> Inputs:
    inputs = made.ask(count)
    made.tell(inputs, arbitrary_scores(space, inputs))
    return inputs


def _run(make: Factory, space: Space, seed: int) -> list[Inputs]:
    made = make(space, seed, Settings(corpus=20))
    return [_step(made, space, count) for count in _COUNTS]


def check_inputs(make: Factory, space: Space, seed: int = 1) -> None:
    """As many inputs as were asked for, of the right shapes, float64, in bounds, never NaN."""
    for count, inputs in zip(_COUNTS, _run(make, space, seed), strict=True):
        for tensor in space.tensors:
            found: Array = inputs[tensor.name]
            expected = (count, *tensor.shape)
            _require(found.shape == expected, f"{found.shape} was given for {expected}")
            _require(found.dtype == np.dtype("float64"), f"{tensor.name} is {found.dtype}")
            _require(not np.isnan(found).any(), f"{tensor.name} has NaN")
            inside = (found >= tensor.low) & (found <= tensor.high)
            _require(bool(inside.all()), f"{tensor.name} leaves {tensor.low} to {tensor.high}")


def check_deterministic(make: Factory, space: Space, seed: int = 1) -> None:
    """Two strategies of one seed give equal populations, if they are told the same."""
    pairs = zip(_run(make, space, seed), _run(make, space, seed), strict=True)
    for place, (first, second) in enumerate(pairs):
        _require(_same(first, second), f"population {place} differs between two runs")


def check_seed_matters(make: Factory, space: Space, seed: int = 1) -> None:
    """Another seed gives other populations."""
    pairs = zip(_run(make, space, seed), _run(make, space, seed + 1), strict=True)
    differ = any(not _same(first, second) for first, second in pairs)
    _require(differ, f"seeds {seed} and {seed + 1} give the same populations")


def check_resumed(make: Factory, space: Space, seed: int = 1) -> None:
    """A strategy made anew from the saved state of another goes on as that would have."""
    whole = _run(make, space, seed)
    for stop in range(len(_COUNTS)):
        first = make(space, seed, Settings(corpus=20))
        for count in _COUNTS[:stop]:
            _step(first, space, count)
        again = make(space, seed, Settings(corpus=20))
        again.restore(from_json(to_json(first.state()), dict))
        resumed = again.ask(_COUNTS[stop])
        _require(_same(resumed, whole[stop]), f"population {stop} differs after a restoration")
