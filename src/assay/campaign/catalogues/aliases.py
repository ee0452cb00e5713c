"""Other names of what a catalogue holds under one: a function may be public in several places."""

from collections.abc import Collection, Mapping

import msgspec

from assay.campaign.catalogues.asking import told_by
from assay.errors import TargetError
from assay.execute import Hello, Supervisor
from assay.targets import Target

#: Names that are told, of those that a pattern means.
_SHOWN = 3
_SECONDS = 300.0


def aliases_of(target: Target) -> dict[str, str]:
    """Other public paths, and the names that the catalogue has of the same; ``TargetError``.

    Asked of the library itself, which takes as long as its import.
    """
    worker = msgspec.structs.replace(target, mode="eager")
    with Supervisor([worker], standbys=False) as supervisor:
        started = supervisor.start()[worker.name]
        if not isinstance(started, Hello):
            raise TargetError(f"{worker.name}: {started.message}. (assay doctor shows all)")
        told = told_by(supervisor, worker.name, "aliases", _SECONDS)
    return msgspec.convert(told["aliases"], dict[str, str])


def same_as(found: Mapping[str, str], names: Collection[str]) -> str:
    """A line that says which names of the catalogue are meant by other ones."""
    known = {path: name for path, name in sorted(found.items()) if name in names}
    lines = [f"{path} is {name}" for path, name in list(known.items())[:_SHOWN]]
    more = len(known) - len(lines)
    return "; ".join(lines) + (f"; and {more} more" if more else "")
