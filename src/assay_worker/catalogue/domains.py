"""Which values a call's tensors may have: the widest domain that is seen to be valid."""

import numpy as np

from assay_worker.catalogue import drawing
from assay_worker.catalogue.trying import Invalid, unknown_share

#: Draws that a domain must pass.
_DRAWS = 6
#: A domain of which more elements become NaN is taken only if there is no other.
_MOST_UNKNOWN = 0.25
#: Ranges that are tried where not every number is valid, before the sample's own.
_RANGES = ((-1.0, 1.0), (0.0, 1.0), (1.0, 10.0))
_WHOLE_RANGES = ((0.0, 9.0),)
_SQUARE = ("symmetric", "positive_definite", "lower")
_ROWS = ("ordered", "probabilities")
#: What an argument needs of which nothing but the sample's own values is known to be valid.
AS_IT_IS = "as it is"
_NOTHING = {"low": 0.0, "high": 0.0, "free": False, "values": None, "structure": ""}


def explicit(array):
    """The domain of nothing but these values; None if they cannot be written down."""
    if array.dtype.kind in "fc" and not np.all(np.isfinite(array)):
        return None
    if array.dtype.kind == "c":
        return dict(_NOTHING, values=[array.real.tolist(), array.imag.tolist()])
    return dict(_NOTHING, values=array.tolist())


def _own(array):
    """The sample's own range."""
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    values = np.concatenate([np.asarray(part, "float64").reshape(-1) for part in parts])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)


def candidates(array, structure=""):
    """Domains for a tensor that is such an array in the sample, the widest first."""
    last = explicit(array)
    rest = [] if last is None else [last]
    if array.dtype.kind == "b":
        return [dict(_NOTHING)]
    low, high = _own(array)
    if structure == AS_IT_IS and rest:
        return rest
    if structure:
        return [dict(_NOTHING, low=low, high=high, structure=structure)] + rest
    found = [dict(_NOTHING, low=low, high=high, free=True)]
    whole = array.dtype.kind in "iu"
    ranges = (_WHOLE_RANGES if whole else _RANGES) + ((low, high),)
    found += [dict(_NOTHING, low=one, high=other) for one, other in ranges]
    structures = ("ordered",) if whole else _ROWS
    if not whole and array.ndim > 1 and array.shape[-1] == array.shape[-2]:
        structures = _SQUARE + structures
    if array.ndim:
        found += [dict(_NOTHING, low=low, high=high, structure=name) for name in structures]
    return found + rest


def widened(trying, call, arrays, structures):
    """The call with the widest domain of each tensor.

    ``arrays`` are those of the sample by tensor; ``structures`` what a tensor is known to need.
    ``Invalid`` if there is none.
    """
    choices = [
        candidates(arrays[item["name"]], structures.get(item["name"], ""))
        for item in call["inputs"]
    ]
    widest = _with(call, [options[0] for options in choices])
    share = _unknown(trying, widest)
    if share is not None and share <= _MOST_UNKNOWN:
        return widest
    narrow = [options[-1] for options in choices]
    for place, options in enumerate(choices):
        fallback = None
        for option in options:
            narrow[place] = option
            share = _unknown(trying, _with(call, narrow))
            if share is None:
                continue
            if share <= _MOST_UNKNOWN:
                break
            if fallback is None:
                fallback = option
        else:
            narrow[place] = fallback or options[-1]
    found = _with(call, narrow)
    if _unknown(trying, found) is None:
        raise Invalid("no values but the sample's own are valid")
    return found


def own_ranges(call, arrays):
    """The call with the sample's own range wherever it is wider."""
    domains = []
    for item in call["inputs"]:
        array = arrays[item["name"]]
        if array.dtype.kind == "b" or item["structure"] or item["values"] is not None:
            domains.append({key: item[key] for key in _NOTHING})
        else:
            low, high = _own(array)
            domains.append(dict(_NOTHING, low=low, high=high))
    return _with(call, domains)


def _with(call, domains):
    inputs = [dict(item, **domain) for item, domain in zip(call["inputs"], domains)]
    return dict(call, inputs=inputs)


def _unknown(trying, call):
    """The mean share of NaN over some draws; None if one of them is not valid."""
    shares = []
    for seed in range(1, _DRAWS + 1):
        try:
            shares.append(unknown_share(trying.run(call, drawing.sample(call, seed))))
        except Invalid:
            return None
    return sum(shares) / len(shares)
