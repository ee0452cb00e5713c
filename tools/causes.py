"""Why the findings of docs/found happen: ``causes.toml`` beside the pages.

    python tools/causes.py docs/found [PYTHON...]

says which pages have no paragraph, and which quotations do not stand in the installed libraries;
the exit code is 1 then. Libraries of plugins may be in interpreters of their own, which are named
behind the folder; what is quoted of one that is in none of them is counted as not looked up. An
entry has the ids of the findings it explains, a ``text``, and what the text was ``checked``
against: a file of an installed package or a public address, and what it says.
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
    """Why some findings happen."""

    findings: tuple[str, ...]
    text: str
    checked: tuple[Source, ...]


def causes(folder: Path) -> dict[str, Cause]:
    """Every cause by the ids of its findings; ``ValueError`` if two speak of one finding."""
    path = folder / FILE
    if not path.exists():
        return {}
    entries = msgspec.convert(
        tomllib.loads(path.read_text(encoding="utf-8"))["cause"], tuple[Cause, ...]
    )
    found: dict[str, Cause] = {}
    for entry in entries:
        for name in entry.findings:
            if name in found:
                raise ValueError(f"{path}: two causes for {name}")
            found[name] = entry
    return found


def section(cause: Cause) -> str:
    """The part of a page that says why."""
    lines = [f"- {_place(item)}: `` {_flat(item.says)} ``" for item in cause.checked]
    return f"{HEADING}\n\n{_flat(cause.text)}\n\nChecked against\n\n" + "\n".join(lines)


def _place(item: Source) -> str:
    if item.file:
        return f"`{item.file}`"
    return f"[{urlsplit(item.url).path.strip('/')}]({item.url})"


def _flat(text: str) -> str:
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
                texts[item.file] = _flat(text)
            if _flat(item.says) not in texts[item.file]:
                wrong.append(f"{', '.join(cause.findings)}: {item.file} does not say: {item.says}")
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
    pages = {path.stem.rpartition("-")[2] for path in folder.glob("*-*.md")}
    faults = [f"{name}: no cause" for name in sorted(pages - found.keys())]
    faults += [f"{name}: no page" for name in sorted(found.keys() - pages)]
    entries = tuple(dict.fromkeys(found.values()))
    installed = installed_files(PACKAGES) | files_of_others([sys.executable, *arguments[1:]])
    unseen = not_looked_up(entries, installed)
    faults += misquoted(entries, installed, unseen)
    for line in faults:
        print(line)
    print(f"{len(pages & found.keys())} of {len(pages)} pages say why, {len(faults)} faults")
    if unseen:
        names = ", ".join(sorted({OTHERS[item.file.partition("/")[0]] for item in unseen}))
        print(f"{len(unseen)} quotations not looked up, because not installed here: {names}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
