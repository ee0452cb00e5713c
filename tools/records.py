"""What is kept of the findings of docs/found: ``findings.json`` and a script each.

Pages are made of these alone; the stores that the findings came from are not needed again.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from assay.ir import named
from assay.reproduce.known import KnownIssue, Symptom, backend_named, known_issues

FILE = "findings.json"
SCRIPTS = "scripts"
_BACKEND = "KERAS_BACKEND="
_OUTPUT_LINES = 30
#: Folders of whoever ran it: they say nothing to a reader.
_FOLDERS = re.compile(r"(?<![\w.])(?:/[\w.+@-]+)+/(?=[\w.-]+)")


class Ran(msgspec.Struct, frozen=True):
    """What a script said at a place: ``KERAS_BACKEND=torch``, or a library and its versions."""

    place: str
    code: int
    text: str

    @property
    def backend(self) -> str:
        """The backend of Keras; "" where another library ran it."""
        return self.place.removeprefix(_BACKEND) if self.place.startswith(_BACKEND) else ""


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding as it was published.

    ``by_hand``: somebody met it beside hunts, and wrote the script.
    """

    fingerprint: str
    op: str
    what: str
    kind: str
    stage: str
    blamed: tuple[str, ...]
    tensors: str
    params: dict[str, object]
    versions: str
    evidence: str
    outputs: tuple[Ran, ...]
    by_hand: bool = False

    @property
    def id(self) -> str:
        return self.fingerprint[:8]


def records(folder: Path) -> dict[str, Record]:
    """Every finding by its id."""
    path = folder / FILE
    if not path.exists():
        return {}
    # Not msgspec's own reader: parameters may be NaN, which Python's writes and reads.
    found = json.loads(path.read_text(encoding="utf-8"))
    return msgspec.convert(found, dict[str, Record])


def keep(folder: Path, found: Mapping[str, Record]) -> None:
    """Write them all; a line per field, so that a change can be read."""
    text = json.dumps(
        msgspec.to_builtins(dict(sorted(found.items()))), indent=1, ensure_ascii=False
    )
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def script_of(folder: Path, name: str) -> Path:
    return folder / SCRIPTS / f"{name}.py"


def shown(output: str) -> str:
    """What a script said, as pages show it: at most so many lines, without folders."""
    lines = output.rstrip().splitlines()
    if len(lines) > _OUTPUT_LINES:
        lines = [*lines[:_OUTPUT_LINES], "…"]
    text = "\n".join(_FOLDERS.sub("…/", line).rstrip()[:500] for line in lines)
    return text.replace("```", "'''")


def known(record: Record) -> tuple[KnownIssue, ...]:
    """Public threads about the same fault."""
    message = re.search(r"^- message: `(.*)`$", record.evidence, re.MULTILINE)
    shapes = re.findall(r"\[([\d,]*)\]", record.tensors)
    return known_issues(
        Symptom(
            op=record.op,
            kind=record.kind,
            stage=record.stage,
            blamed=frozenset(backend_named(named(target)) for target in record.blamed),
            params=record.params,
            message=message.group(1) if message else "",
            shapes=tuple(
                tuple(int(length) for length in shape.split(",") if length) for shape in shapes
            ),
        )
    )
