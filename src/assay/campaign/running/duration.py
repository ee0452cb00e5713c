"""Durations as people type them: ``90``, ``90s``, ``2m``, ``1h30m``."""

import re

from assay.errors import AssayError

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_PATTERN = re.compile(
    r"(?:(?P<d>\d+(?:\.\d+)?)d)?(?:(?P<h>\d+(?:\.\d+)?)h)?"
    r"(?:(?P<m>\d+(?:\.\d+)?)m)?(?:(?P<s>\d+(?:\.\d+)?)s?)?",
    re.ASCII,
)


def parse_duration(text: str, name: str = "--budget") -> float:
    """Seconds in ``text``; an ``AssayError`` that names the option if it is no duration."""
    found = _PATTERN.fullmatch(text.strip().lower().replace(" ", ""))
    if found is None or not any(found.groupdict().values()):
        raise AssayError(
            f'{name} takes a duration such as 90, 90s, 2m or 1h30m; received "{text}".'
        )
    seconds = sum(float(value) * _UNITS[unit] for unit, value in found.groupdict("0").items())
    if not 0 < seconds < 1e9:
        raise AssayError(f'{name} must be more than 0 and less than 30 years; received "{text}".')
    return seconds
