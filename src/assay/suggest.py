"""Did-you-mean: the nearest known name to one that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(received: str, known: Iterable[str]) -> str | None:
    """The known name most like ``received``, or None when none is like it."""
    by_lower = {name.lower(): name for name in known}
    matches = get_close_matches(received.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None


def unknown(what: str, received: str, known: Iterable[str], where: str = "Known here") -> str:
    """One line: the unknown name, the nearest known one, and all known ones.

    ``what`` is the noun (``"target"``); ``where`` introduces the list.
    """
    names = sorted(set(known))
    near = closest(received, names)
    hint = f' Did you mean "{near}"?' if near else ""
    listed = f" {where}: {', '.join(names)}." if names else ""
    return f'unknown {what} "{received}".{hint}{listed}'
