"""Adjustments of images."""

import numpy as np

from assay_worker.reference.registry import Undocumented, Unsupported, reference


def _limits(value_range):
    if not isinstance(value_range, tuple) or len(value_range) != 2:
        raise ValueError("expected a range (low, high); received %r" % (value_range,))
    return value_range


@reference("keras.layers.AutoContrast")
def auto_contrast(x, value_range=(0, 255)):
    """The values of each channel of an image stretched over the range."""
    low, high = _limits(value_range)
    smallest = x.min(axis=(-3, -2), keepdims=True)
    largest = x.max(axis=(-3, -2), keepdims=True)
    if np.any(smallest == largest):
        raise Undocumented("how one value is stretched over a range is not documented")
    return (x - smallest) / (largest - smallest) * (high - low) + low


def _certain(factor):
    """A factor that leaves nothing to chance."""
    pair = factor if isinstance(factor, tuple) else (0.0, factor)
    if len(pair) != 2 or not 0 <= pair[0] <= pair[1] <= 1:
        raise ValueError("expected numbers from 0 to 1; received %r" % (factor,))
    if pair[0] != pair[1]:
        raise Unsupported("the reference does not know which number is drawn")
    return pair[0]


@reference("keras.layers.Solarization")
def solarization(x, addition_factor=0.0, threshold_factor=0.0, value_range=(0, 255)):
    """high - x + low for every pixel above the threshold."""
    low, high = _limits(value_range)
    addition, threshold = _certain(addition_factor), _certain(threshold_factor)
    x = np.clip(x + addition * (high - low), low, high)
    if threshold == 0.0:
        return high - x + low
    edge = low + threshold * (high - low)
    if np.any(x == edge):
        raise Undocumented("whether the threshold is above itself is not documented")
    return np.where(x > edge, high - x + low, x)
