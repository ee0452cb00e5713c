"""Why the findings of docs/found happen: ``causes.toml`` beside the pages.

    python tools/causes.py docs/found

says which pages have no paragraph, and which quotations do not stand in the installed libraries;
the exit code is 1 then. An entry has the ids of the findings it explains, a ``text``, and what the
text was ``checked`` against: a file of an installed package or a public address, and what it says.
"""

import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import files
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

FILE = "causes.toml"
HEADING = "## Cause"


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


def misquoted(found: Iterable[Cause], installed: Mapping[str, Path]) -> list[str]:
    """Quotations from packages that do not stand there."""
    wrong, texts = [], dict[str, str]()
    for cause in found:
        for item in cause.checked:
            if not item.file:
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


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0])
    found = causes(folder)
    pages = {path.stem.rpartition("-")[2] for path in folder.glob("*-*.md")}
    faults = [f"{name}: no cause" for name in sorted(pages - found.keys())]
    faults += [f"{name}: no page" for name in sorted(found.keys() - pages)]
    packages = ("keras", "tensorflow", "torch", "jax", "jaxlib", "numpy", "scipy")
    faults += misquoted(dict.fromkeys(found.values()), installed_files(packages))
    for line in faults:
        print(line)
    print(f"{len(pages & found.keys())} of {len(pages)} pages say why, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
