"""What a build has found so far, on disk: a killed one goes on from there."""

from pathlib import Path
from typing import BinaryIO

import msgspec

from assay.catalogue.records import FORMAT, Call


class Found(msgspec.Struct, frozen=True):
    """What was found of an API in one place. ``problem``: why there is no call of it."""

    calls: tuple[Call, ...] = ()
    undefined: str = ""
    problem: str = ""


class Looked(msgspec.Struct, frozen=True):
    """A place that was looked at, in a step of a build: by API, what was found.

    ``crashes`` are what killed the process meanwhile, by API ("" if it was none's).
    """

    step: str
    key: str
    apis: dict[str, Found] = {}
    problem: str = ""
    crashes: dict[str, tuple[str, ...]] = {}


class Begun(msgspec.Struct, frozen=True):
    """The first line: what is being built, by which Assay, of which names and places."""

    library: str
    version: str
    assay: str
    contents: str
    format: int = FORMAT


class Partial:
    """The file of a build that is under way. Use as a context manager."""

    def __init__(self, path: Path, begun: Begun) -> None:
        self._path = path
        self._begun = begun
        self._file: BinaryIO | None = None
        self.found: dict[tuple[str, str], Looked] = {}

    def __enter__(self) -> "Partial":
        """Take up what an interrupted build of the same left."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        whole = self._read()
        self._file = open(self._path, "r+b" if whole else "wb")
        self._file.truncate(whole)
        self._file.seek(whole)
        if not whole:
            self._write(self._begun)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, looked: Looked) -> None:
        """Keep it; it is on disk when this returns."""
        self.found[looked.step, looked.key] = looked
        self._write(looked)

    def discard(self) -> None:
        """It is not needed any more."""
        self._path.unlink(missing_ok=True)

    def _write(self, record: msgspec.Struct) -> None:
        assert self._file is not None
        self._file.write(msgspec.json.encode(record) + b"\n")
        self._file.flush()

    def _read(self) -> int:
        """Bytes of it that are whole; none if it is of another build."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return 0
        whole = 0
        for number, line in enumerate(data.splitlines(keepends=True)):
            try:
                if number == 0:
                    if msgspec.json.decode(line, type=Begun) != self._begun:
                        return 0
                else:
                    looked = msgspec.json.decode(line, type=Looked)
                    self.found[looked.step, looked.key] = looked
            except msgspec.DecodeError:
                break  # it was killed while it wrote this
            if not line.endswith(b"\n"):
                break
            whole += len(line)
        return whole
