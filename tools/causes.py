"""What docs/found is made of: ``causes.toml``, one table per cause, and what was left out.

    python tools/causes.py docs/found [PYTHON...]

says which findings have no cause, and which quotations do not stand in the installed libraries;
the exit code is 1 then. Libraries of plugins may be in interpreters of their own, which are named
behind the folder; what is quoted of one that is in none of them is counted as not looked up.

A cause is what one change of code would repair. It has the ids of its ``findings`` (the first is
the one whose script its page shows), a ``title`` (trigger and effect), a ``severity``, where the
``fix`` belongs, a ``repro`` (a few lines, the last one an expression), a ``text``, and what that
was ``checked`` against: a file of an installed package or a public address, and what it says.
``numpy`` is the repro in NumPy's words where that is not the same with another prefix ("" for
none), ``expected`` what the repro should give where no backend does; ``blamed`` names who is wrong
where that is not whom the findings blame, ``op`` the op at fault where the first finding met it in
another; ``fixed`` is "." where the repository of the library has it repaired, or says which part
of it is (": ..."). A ``[[removed]]`` table has findings that were
published and are no bugs, or of no interest, and the ``reason``.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import files
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

FILE = "causes.toml"
HEADING = "## Cause"
#: The worst first: by it lists are sorted.
SEVERITIES = (
    "silent wrong numbers",
    "wrong gradient",
    "NaN",
    "crash",
    "error on valid input",
    "accepted nonsense",
    "corner of empty tensors",
)
PACKAGES = ("keras", "tensorflow", "torch", "jax", "jaxlib", "numpy", "scipy")
#: Distributions of libraries that plugins describe, by the folder that their files are in.
OTHERS = {"mlx": "mlx", "paddle": "paddlepaddle"}
#: For an interpreter that has nothing but the library.
_LISTING = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        listed = importlib.metadata.files(name) or ()
    except importlib.metadata.PackageNotFoundError:
        continue
    found.update((str(item), str(item.locate())) for item in listed)
print(json.dumps(found))
"""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place that a paragraph rests on: a packaged ``file`` or a ``url``, and its words."""

    says: str
    file: str = ""
    url: str = ""


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one change of code would repair."""

    findings: tuple[str, ...]
    title: str
    severity: str
    fix: str
    repro: str
    text: str
    checked: tuple[Source, ...]
    numpy: str | None = None
    expected: str = ""
    blamed: tuple[str, ...] = ()
    fixed: str = ""
    op: str = ""

    @property
    def main(self) -> str:
        """The finding that stands for all of them."""
        return self.findings[0]


class Removed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Findings that were published once, and why they are no longer."""

    findings: tuple[str, ...]
    reason: str


class Causes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of ``causes.toml``."""

    cause: tuple[Cause, ...]
    removed: tuple[Removed, ...] = ()


def causes(folder: Path) -> Causes:
    """What the file says; ``ValueError`` if two tables speak of one finding."""
    path = folder / FILE
    found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Causes)
    seen: set[str] = set()
    for entry in (*found.cause, *found.removed):
        for name in entry.findings:
            if name in seen:
                raise ValueError(f"{path}: two tables for {name}")
            seen.add(name)
    for cause in found.cause:
        if cause.severity not in SEVERITIES:
            known = ", ".join(SEVERITIES)
            raise ValueError(
                f"{path}: {cause.main}: expected a severity of {known}, received {cause.severity!r}"
            )
    return found


def section(cause: Cause) -> str:
    """The part of a page that says why."""
    lines = [f"- {_place(item)}: `` {flat(item.says)} ``" for item in cause.checked]
    text = "\n\n".join(flat(part) for part in cause.text.strip().split("\n\n"))
    return f"{HEADING}\n\n{text}\n\nChecked against\n\n" + "\n".join(lines)


def _place(item: Source) -> str:
    if item.file:
        return f"`{item.file}`"
    return f"[{urlsplit(item.url).path.strip('/')}]({item.url})"


def flat(text: str) -> str:
    """All on one line."""
    return " ".join(text.split())


def misquoted(
    found: Iterable[Cause], installed: Mapping[str, Path], unseen: Sequence[Source] = ()
) -> list[str]:
    """Quotations from packages that do not stand there, except those nobody can look up."""
    wrong, texts = [], dict[str, str]()
    for cause in found:
        for item in cause.checked:
            if not item.file or item in unseen:
                continue
            if item.file not in texts:
                path = installed.get(item.file)
                text = path.read_text(encoding="utf-8", errors="replace") if path else ""
                texts[item.file] = flat(text)
            if flat(item.says) not in texts[item.file]:
                wrong.append(f"{cause.main}: {item.file} does not say: {item.says}")
    return wrong


def installed_files(packages: Sequence[str]) -> dict[str, Path]:
    """The files of these distributions, by their place among the installed packages."""
    return {str(item): Path(str(item.locate())) for name in packages for item in files(name) or ()}


def files_of_others(interpreters: Sequence[str]) -> dict[str, Path]:
    """The files of the libraries of plugins that these interpreters have."""
    found: dict[str, Path] = {}
    for python in interpreters:
        command = [python, "-c", _LISTING, *OTHERS.values()]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found.update((name, Path(path)) for name, path in json.loads(told).items())
    return found


def not_looked_up(found: Iterable[Cause], installed: Mapping[str, Path]) -> tuple[Source, ...]:
    """Quotations from libraries of plugins that are not installed: nobody can say if they stand."""
    there = {name.partition("/")[0] for name in installed}
    absent = {folder for folder in OTHERS if folder not in there}
    sources = (item for cause in found for item in cause.checked)
    return tuple(item for item in sources if item.file.partition("/")[0] in absent)


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0])
    found = causes(folder)
    entries = found.cause
    explained = {name for entry in (*entries, *found.removed) for name in entry.findings}
    published = {path.stem for path in (folder / "scripts").glob("*.py")} - {"grad"}
    kept = {name for entry in entries for name in entry.findings}
    faults = [f"{name}: no cause" for name in sorted(published - explained)]
    faults += [f"{name}: no script" for name in sorted(kept - published)]
    installed = installed_files(PACKAGES) | files_of_others([sys.executable, *arguments[1:]])
    unseen = not_looked_up(entries, installed)
    faults += misquoted(entries, installed, unseen)
    for line in faults:
        print(line)
    print(f"{len(kept)} findings of {len(entries)} causes, {len(faults)} faults")
    if unseen:
        names = ", ".join(sorted({OTHERS[item.file.partition("/")[0]] for item in unseen}))
        print(f"{len(unseen)} quotations not looked up, because not installed here: {names}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
