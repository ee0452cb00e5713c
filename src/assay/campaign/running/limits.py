"""The limits of workers that a configuration and options name, checked."""

import re

from assay.campaign.running.duration import parse_duration
from assay.config import Config
from assay.errors import AssayError
from assay.execute import Limits

_UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
#: A library does not start with less.
_LEAST_MEMORY = 64 << 20
_MOST_SECONDS = 24 * 3600.0


def limits_of(settings: Config, deadline: str | None = None, memory: str | None = None) -> Limits:
    """What workers may use; ``deadline`` and ``memory`` are options, which win.

    ``AssayError`` naming the option, or the file and key, that does not say what it should.
    """
    usual, asked, file = Limits(), settings.limits, f"{settings.path}: limits"
    if asked.restarts is not None and asked.restarts < 0:
        raise AssayError(f"{file}.restarts must be at least 0; received {asked.restarts}.")
    return Limits(
        start_seconds=_seconds(f"{file}.start", asked.start, usual.start_seconds),
        run_seconds=_seconds("--deadline", deadline, 0.0)
        or _seconds(f"{file}.deadline", asked.deadline, usual.run_seconds),
        memory_bytes=_bytes("--memory", memory, 0)
        or _bytes(f"{file}.memory", asked.memory, usual.memory_bytes),
        restarts=asked.restarts,
    )


def _seconds(name: str, value: str | int | None, usual: float) -> float:
    if value is None:
        return usual
    seconds = parse_duration(str(value), name)
    if not 1 <= seconds <= _MOST_SECONDS:
        raise AssayError(f'{name} must be from 1s to 24h; received "{value}".')
    return seconds


def _bytes(name: str, value: str | int | None, usual: int) -> int:
    if value is None:
        return usual
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]B)?", str(value).strip().upper())
    if found is None:
        raise AssayError(f'{name} takes a size such as 500MB or 4GB; received "{value}".')
    size = int(float(found[1]) * _UNITS[found[2] or ""])
    if size < _LEAST_MEMORY:
        raise AssayError(f'{name} must be at least 64MB; received "{value}".')
    return size
