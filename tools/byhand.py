"""Faults of which there is no finding: somebody met them and wrote the script.

The head of such a script says what a hunt would have recorded:

    # LIBRARY VERSION: OP and what is wrong with it
    # met by hand: KIND, STAGE
    # exit 0: bug present, 1: not present, 2: cannot run here

It is run in a process of its own, by the Python that runs this, and kept if it ends with 0. A
script that is kept already, named by its place in docs/found, keeps its id whatever it says now.
"""

import hashlib
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from records import Ran, Record, keep, records, script_of, shown

from assay.campaign.triage.reproducer import verify
from assay.ir import KINDS, named
from assay.libraries.kernels import chosen

_HEAD = re.compile(
    r"# (?P<target>\S+) (?P<version>\S+): (?P<what>(?P<op>[\w.]+).+)\n"
    r"# met by hand: (?P<kind>\w+), (?P<stage>\w+)\n"
    r"# exit 0: bug present, 1: not present, 2: cannot run here\n"
)


def take(folder: Path, scripts: Sequence[Path]) -> int:
    """Keep what these scripts show; the exit code is 1 if one does not end as it says."""
    kept, failed = records(folder), 0
    (folder / "scripts").mkdir(exist_ok=True)
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        try:
            found = record(text, path.stem, kept)
        except ValueError as error:
            failed += 1
            print(f"{path.name}: {error}", flush=True)
            continue
        kept[found.id] = found
        script_of(folder, found.id).write_text(text, encoding="utf-8")
        keep(folder, kept)  # each took a process of its own: what was seen is not lost
        print(f"{found.id} {found.what}", flush=True)
    print(f"{len(scripts) - failed} kept, {failed} did not verify")
    return 1 if failed else 0


def record(text: str, name: str, kept: Mapping[str, Record]) -> Record:
    """What is kept of a script that shows a fault; ``ValueError`` if it does not."""
    head = _HEAD.match(text)
    if head is None or head["kind"] not in KINDS:
        raise ValueError(f"expected the head of a script met by hand, received {text[:60]!r}")
    target = named(head["target"])
    try:
        there = version(target.library)
    except PackageNotFoundError:
        there = "none"
    if there != head["version"]:
        raise ValueError(f"expected {target.library} {head['version']}, found {there}")
    ended = verify(text, environment=chosen(target))
    if ended.code != 0:
        said = (ended.output + ended.error).strip()[-200:]
        raise ValueError(f"expected exit code 0, received {ended.code}: {said}")
    before = kept.get(name)
    if before is not None and not before.by_hand:
        raise ValueError(f"{name} was found by a hunt")
    fingerprint = hashlib.sha256(f"{head['target']} {head['what']}".encode()).hexdigest()
    versions = f"{target.library} {head['version']}, python {platform.python_version()}"
    return Record(
        fingerprint=fingerprint if before is None else before.fingerprint,
        op=head["op"],
        what=head["what"],
        kind=head["kind"],
        stage=head["stage"],
        blamed=(head["target"],),
        tensors="",
        params={},
        versions=versions,
        evidence="",
        outputs=(Ran(f"{head['target']} ({versions})", 0, shown(ended.output)),),
        by_hand=True,
    )
