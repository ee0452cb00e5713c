"""What rounding explains: how far the answer moves when the input moves by one ULP.

A deviation between two arms is rounding if the arm we believe deviates from
itself as much when its inputs are nudged by about one unit in the last place.
The same test tells conventions from bugs in gradients: at a kink or a tie the
gradient jumps under the nudge, at a smooth point it does not.
"""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from assay.ir import Array, Case, Dot, Explicit, Recipe, derive
from assay.judge.compare import FLUSHED
from assay.judge.precision import in_format, in_full_precision, spacing

#: How many nudged copies are run, and how many times their largest movement is granted.
NUDGES = 6
GRANTED = 16.0
#: What is granted to products, whose factors inside (one over a root, say) are not known.
_GRANTED_TO_PRODUCTS = 64.0
#: What is granted to quotients of output and input: more would hide small gradients.
_GRANTED_TO_QUOTIENTS = 4.0


def perturbed_cases(case: Case) -> tuple[Case, ...]:
    """The case with every float input element nudged up or down, ``NUDGES`` times.

    Exact zeros move by one ULP of the largest element, so that kinks at zero show.
    """
    arrays = case.input_arrays()
    floats = {name for name, array in arrays.items() if array.dtype.kind == "f"}
    if not floats:
        return ()
    cases, coarse = [], spacing(case)
    for copy in range(NUDGES):
        inputs = {
            name: Explicit(_nudged(array, derive(copy, name), coarse) if name in floats else array)
            for name, array in arrays.items()
        }
        cases.append(msgspec.structs.replace(case, inputs=inputs))
    return tuple(cases)


def _nudged(array: Array, seed: int, coarse: float = 0.0) -> Array:
    values = array.astype("float64")
    finite = np.isfinite(values)
    epsilon = max(coarse, float(np.finfo(array.dtype).eps))
    largest = float(np.abs(values[finite]).max()) if finite.any() else 1.0
    generator = np.random.Generator(np.random.PCG64(seed))
    direction = np.where(generator.random(array.shape) < 0.5, -1.0, 1.0)
    size = np.where(values == 0.0, min(largest, 1.0) or 1.0, np.abs(values))
    # Subnormal numbers are as far apart as the smallest normal ones.
    size = np.maximum(size, float(np.finfo(array.dtype).tiny))
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.where(finite, values + direction * epsilon * size, values)
        moved = np.asarray(moved.astype(array.dtype))
    # A nudge must not turn a number into an infinity.
    return np.where(np.isfinite(moved) | ~finite, moved, array)


def moderated_case(case: Case) -> Case | None:
    """The case with huge and tiny elements made moderate; None if there are none.

    A disagreement that goes away with them is an overflow or underflow inside, or
    an ordinary number lost beside a large one: in a wider format the arms would
    agree. Upstream gradients count as inputs.
    """
    inputs: dict[str, Recipe] = {
        name: Explicit(moderate)
        for name, array in case.input_arrays().items()
        if (moderate := _moderated(array)) is not None
    }
    loss, changed = case.loss, bool(inputs)
    if isinstance(loss, Dot):
        upstream = tuple(
            Explicit(moderate)
            if isinstance(recipe, Explicit) and (moderate := _moderated(recipe.array)) is not None
            else recipe
            for recipe in loss.upstream
        )
        changed |= any(new is not old for new, old in zip(upstream, loss.upstream, strict=True))
        loss = Dot(upstream)
    if not changed:
        return None
    return msgspec.structs.replace(case, inputs={**case.inputs, **inputs}, loss=loss)


def _moderated(array: Array) -> Array | None:
    if array.dtype.kind != "f" or array.size == 0:
        return None
    size = np.abs(array.astype("float64"))
    info = np.finfo(array.dtype)
    largest = min(float(info.max) ** 0.25, 1.0 / float(info.eps))
    huge = np.isfinite(size) & (size > largest)
    tiny = (size > 0) & (size < float(info.tiny) ** 0.25)
    if not (huge.any() or tiny.any()):
        return None
    moderate = np.where(huge, 4.0, 0.25) * np.sign(array.astype("float64"))
    return np.asarray(np.where(huge | tiny, moderate, array).astype(array.dtype))


#: The next wider format of each.
_WIDER = {"float16": "float32", "float32": "float64"}


def widened_case(case: Case) -> Case | None:
    """The case with the same numbers in the next wider formats; None if there is none."""
    names = {item.name: _WIDER.get(item.dtype, item.dtype) for item in case.graph.inputs}
    if spacing(case):
        nodes = tuple(in_full_precision(node) for node in case.graph.nodes)
        graph = msgspec.structs.replace(case.graph, nodes=nodes)
        return msgspec.structs.replace(case, graph=graph)
    if all(names[item.name] == item.dtype for item in case.graph.inputs):
        return None
    arrays = case.input_arrays()
    widest = max(names[item.name] for item in case.graph.inputs if item.dtype in _WIDER)
    graph = msgspec.structs.replace(
        case.graph,
        inputs=tuple(
            msgspec.structs.replace(item, dtype=names[item.name]) for item in case.graph.inputs
        ),
        nodes=tuple(in_format(node, widest) for node in case.graph.nodes),
    )
    inputs: dict[str, Recipe] = {
        name: Explicit(array.astype(names[name])) for name, array in arrays.items()
    }
    return msgspec.structs.replace(case, graph=graph, inputs=inputs)


def gradient_noise(case: Case) -> float:
    """What rounding leaves of a gradient that cancels out, or that a saturated function stops.

    Gradients are sums of products of upstream gradients with inputs: their rounding
    does not shrink with the result.
    """
    arrays = list(case.input_arrays().values())
    if isinstance(case.loss, Dot):
        arrays += [item.array for item in case.loss.upstream if isinstance(item, Explicit)]
    floats = [array for array in arrays if array.dtype.kind == "f" and array.size]
    epsilon = max([spacing(case), *(float(np.finfo(array.dtype).eps) for array in floats)])
    factors = [max(1.0, _largest(array)) for array in floats]
    return _GRANTED_TO_PRODUCTS * epsilon * float(np.prod(factors))


def quotient_noise(case: Case, outputs: Sequence[Array]) -> float:
    """What rounding leaves of a gradient whose terms are as large as output over input.

    A function that does not depend on the size of its input (a normalisation) has such
    terms, and they cancel out.
    """
    upstream = case.loss.upstream if isinstance(case.loss, Dot) else ()
    factors = [item.array for item in upstream if isinstance(item, Explicit)]
    inputs = [array for array in case.input_arrays().values() if array.dtype.kind == "f"]
    smallest = min((_largest(array) for array in inputs if array.size), default=0.0)
    if not smallest:
        return 0.0
    epsilon = max([spacing(case), *(float(np.finfo(array.dtype).eps) for array in inputs)])
    largest = max(map(_largest, outputs), default=0.0)
    weight = max(map(_largest, factors), default=1.0)
    return _GRANTED_TO_QUOTIENTS * epsilon * weight * largest / smallest


def _largest(array: Array) -> float:
    return float(np.abs(array[np.isfinite(array)].astype("float64")).max(initial=0.0))


class Sensitivity(msgspec.Struct, frozen=True):
    """How an array moved under the nudges, and where NaN or infinities came or went."""

    movement: Array
    specials: Array

    def special_moves(self, position: tuple[int, ...]) -> bool:
        """Does a nudge make a NaN or an infinity come or go there?"""
        return bool(self.specials[position])

    def explains(self, deviation: float, position: tuple[int, ...]) -> bool:
        """Could rounding cause a deviation of this size there?

        The movement of the whole array counts, weighed down: rounding spreads.
        """
        here = float(self.movement[position]) if self.movement.size else 0.0
        anywhere = float(self.movement.max()) if self.movement.size else 0.0
        return deviation <= max(GRANTED * here, GRANTED * anywhere / 4) + FLUSHED


def sensitivity(base: Array, moved: Sequence[Array]) -> Sensitivity:
    """How ``base`` moved to each of ``moved``, arrays of one shape."""
    movement = np.zeros(base.shape)
    specials = np.zeros(base.shape, dtype=bool)
    reference = base.astype("float64")
    for other in moved:
        if other.shape != base.shape:
            return Sensitivity(np.full(base.shape, np.inf), np.ones(base.shape, dtype=bool))
        values = other.astype("float64")
        finite = np.isfinite(reference) & np.isfinite(values)
        same = (reference == values) | (np.isnan(reference) & np.isnan(values))
        specials |= ~finite & ~same
        with np.errstate(invalid="ignore", over="ignore"):
            movement = np.maximum(movement, np.where(finite, np.abs(values - reference), 0.0))
    return Sensitivity(movement, specials)


def nudged_arrays(arrays: Mapping[str, Array]) -> tuple[dict[str, Array], ...]:
    """The arrays with every float element nudged by about one ULP, ``NUDGES`` times."""
    return tuple(
        {
            name: _nudged(array, derive(copy, name)) if array.dtype.kind == "f" else array
            for name, array in arrays.items()
        }
        for copy in range(NUDGES)
    )
