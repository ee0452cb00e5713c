"""The entries that silence, described for people."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.judge.conventions import Convention, conventions
from assay.judge.expected import Refusal, refusals
from assay.judge.intermediates import Intermediate, intermediates

_INPUTS = {
    "nan": "some input is NaN",
    "nonfinite": "some input is NaN or infinite",
    "nonfinite_there": "the element in question is NaN or infinite",
    "zero_there": "the element in question is zero",
    "nan_there": "the element in question is NaN",
    "out_of_range": "an id names nothing",
}


class Described(msgspec.Struct, frozen=True):
    """An entry in words: what it silences, why, where that is documented, and for which versions.

    ``versions`` are ranges by distribution.
    """

    id: str
    silences: str
    reason: str
    link: str
    versions: dict[str, str]


def described() -> tuple[Described, ...]:
    """Every entry of the data files that silence."""
    silenced = (
        *((entry, _convention(entry)) for entry in conventions()),
        *((entry, _refusal(entry)) for entry in refusals()),
        *((entry, _intermediate(entry)) for entry in intermediates()),
    )
    return tuple(
        Described(entry.id, silences, entry.reason, entry.link, entry.versions)
        for entry, silences in silenced
    )


def _convention(entry: Convention) -> str:
    what = "gradients of" if entry.stage == "gradient" else "results of"
    answers = " and some target answers NaN" if entry.answers == "nan" else ""
    numbers = f", and each number is {' or '.join(f'{n:g}' for n in entry.numbers)}"
    return (
        f"different {what} {_ops(entry.op)}{_given(entry.params)} where {_INPUTS[entry.inputs]}"
        f"{answers}{numbers if entry.numbers else ''}; stored as convention"
    )


def _intermediate(entry: Intermediate) -> str:
    made = f"what {entry.through} makes of its inputs" if entry.through else "its result"
    given = _given({name: (value,) for name, value in entry.given.items()})
    return (
        f"results of {_ops(entry.op)}{_given(entry.params)} where {made}{given} "
        "does not fit the format; stored as rounding"
    )


def _given(params: Mapping[str, Sequence[Any]]) -> str:
    """The parameters of a call, as a reader sees them."""
    said = (f"{name}={' or '.join(map(repr, values))}" for name, values in params.items())
    return f" with {' or '.join(said)}" if params else ""


def _refusal(entry: Refusal) -> str:
    inputs = "" if entry.inputs == "any" else f" where {_INPUTS[entry.inputs]}"
    # A pattern in verbose notation is spelled out for the machine, not for a reader.
    message = "" if entry.message.startswith("(?x)") else f' saying "{entry.message}"'
    where = f"{_platforms(entry)} in {_ops(entry.op)}"
    return f"errors of {where}{inputs}{message}; stored as unsupported"


def _platforms(entry: Refusal) -> str:
    backends = f" on {' or '.join(entry.backend)}" if entry.backend else ""
    modes = f" ({' or '.join(entry.mode)})" if entry.mode else ""
    return f"{entry.library}{backends}{modes}"


def _ops(patterns: tuple[str, ...]) -> str:
    return "any op" if patterns == ("*",) else ", ".join(patterns)
