"""Gradients of the reference: finite differences that know when they do not know.

For each element the derivatives from the right and from the left are
extrapolated from three steps (h, h/2, h/4). Where both exist and agree, that is
the derivative, also at points where only the second derivative jumps. Where
they differ (a kink), or do not settle for any step size, nothing is claimed.
"""

import numpy as np

#: First steps tried, relative to max(1, |x|).
_STEPS = (2.0**-10, 2.0**-14, 2.0**-18)
#: Left and right must agree to this, relative to the largest derivative known.
_AGREEMENT = 1e-6
#: The last two extrapolations must agree to this.
_CONVERGENCE = 1e-3
#: Elements that are looked at, for each that is decided.
_LOOKED_AT = 4
_EPSILON = float(np.finfo("float64").eps)


def _one_sided(function, flat, place, step, base):
    """Derivative along one signed step, its convergence error, and the noise in it."""
    start = flat[place]
    slopes, largest = [], abs(base)
    try:
        for part in (1.0, 0.5, 0.25):
            flat[place] = start + step * part
            value = function()
            slopes.append((value - base) / (flat[place] - start))
            largest = max(largest, abs(value))
    finally:
        flat[place] = start
    first, second = 2 * slopes[1] - slopes[0], 2 * slopes[2] - slopes[1]
    best = (4 * second - first) / 3
    return best, abs(best - second), 64 * _EPSILON * largest / abs(step)


def _steps_for(value):
    """Step sizes to try, larger first; the last follows small values down."""
    steps = [step * max(1.0, abs(value)) for step in _STEPS]
    if 0.0 < abs(value) < 2.0**-8:
        steps.append(abs(value) * _STEPS[0])
    return steps


def derivative(function, flat, place, base):
    """d function / d flat[place], or None where no value can be claimed.

    ``flat`` is the writable array that ``function()`` reads; it is left as it
    was. ``base`` is the function's present value.
    """
    if not (np.isfinite(base) and np.isfinite(flat[place])):
        return None
    for step in _steps_for(flat[place]):
        right, right_error, noise = _one_sided(function, flat, place, step, base)
        left, left_error, _ = _one_sided(function, flat, place, -step, base)
        if not (np.isfinite(right) and np.isfinite(left)):
            continue
        scale = max(abs(right), abs(left))
        # Noise that could hide the derivative proves nothing.
        if noise > 1e-6 and noise > _AGREEMENT * scale:
            continue
        settled = max(right_error, left_error) <= _CONVERGENCE * scale + noise
        if settled and abs(right - left) <= _AGREEMENT * scale + noise:
            return (right + left) / 2
    return None


def _telling(function, flat, count, base):
    """The places of so many elements, those that move the function most among a spread sample."""
    sample = min(flat.size, _LOOKED_AT * count)
    places = sorted(set(np.linspace(0, flat.size - 1, sample).astype(int)))
    if count >= flat.size:
        return places

    def moves(place):
        start = flat[place]
        flat[place] = start + _STEPS[0] * max(1.0, abs(start))
        moved = abs(function() - base)
        flat[place] = start
        return moved if np.isfinite(moved) else 0.0

    return sorted(sorted(places, key=moves, reverse=True)[:count])


def gradient(function, array, most=None):
    """The gradient of ``function()`` with respect to ``array``, and where it is undecided.

    ``array`` is what ``function`` reads: contiguous float64, left as it was. Of an
    array with more than ``most`` elements that many are decided: of a few times as many,
    evenly spread, those that matter most, since one may disagree about anything but zeros.
    """
    base = function()
    result = np.zeros(array.shape)
    undecided = np.ones(array.shape, dtype=bool)
    flat = array.reshape(-1)
    count = flat.size if most is None else min(most, flat.size)
    for place in _telling(function, flat, count, base):
        found = derivative(function, flat, place, base)
        if found is not None:
            undecided.reshape(-1)[place] = False
            result.reshape(-1)[place] = found
    return result, undecided
