"""A baseline: the bugs that are known, so that only new ones fail a build."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.ir import Finding

FORMAT = 1


class Entry(msgspec.Struct, frozen=True):
    """A known bug. Only the fingerprint counts; the rest is for whoever reads the file."""

    fingerprint: str
    id: str
    op: str
    kind: str
    what: str = ""


class Baseline(msgspec.Struct, frozen=True):
    """The file: JSON, sorted, so that it can be kept under version control."""

    assay_baseline: int
    findings: tuple[Entry, ...] = ()


class Compared(msgspec.Struct, frozen=True):
    """Bugs against a baseline: in neither order of importance nor time, but of the store."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    fixed: tuple[Entry, ...]


def read(path: str) -> Baseline:
    """The baseline in a file; ``AssayError`` if there is none."""
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=Baseline)
    except OSError as error:
        raise AssayError(
            f"--baseline cannot read {path}: {error.strerror}. "
            "Make one with: assay findings --baseline FILE --update-baseline"
        ) from error
    except msgspec.MsgspecError as error:
        raise AssayError(f"{path} is no baseline: {error}. Make one with --update-baseline.") from (
            error
        )
    if found.assay_baseline > FORMAT:
        raise AssayError(
            f"{path} was written by a newer Assay (format {found.assay_baseline}; "
            f"this one reads up to {FORMAT})."
        )
    return found


def write(path: str, bugs: Sequence[Finding], described: Sequence[str]) -> None:
    """Make the file hold exactly these bugs."""
    entries = [
        Entry(bug.fingerprint, bug.id, bug.op, bug.kind, text)
        for bug, text in zip(bugs, described, strict=True)
    ]
    entries.sort(key=lambda entry: (entry.op, entry.kind, entry.fingerprint))
    encoded = msgspec.json.encode(Baseline(FORMAT, tuple(entries)))
    try:
        Path(path).write_bytes(msgspec.json.format(encoded, indent=2) + b"\n")
    except OSError as error:
        raise AssayError(f"--baseline cannot write {path}: {error.strerror}.") from error


def compared(bugs: Sequence[Finding], baseline: Baseline) -> Compared:
    """Which bugs are new, which are known, and which known ones are there no longer."""
    known = {entry.fingerprint for entry in baseline.findings}
    present = {bug.fingerprint for bug in bugs}
    return Compared(
        new=tuple(bug for bug in bugs if bug.fingerprint not in known),
        known=tuple(bug for bug in bugs if bug.fingerprint in known),
        fixed=tuple(entry for entry in baseline.findings if entry.fingerprint not in present),
    )
