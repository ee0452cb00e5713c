"""Models that people use, checked as they would: the table of ``docs/check.md``.

    make pretrained
    python benchmarks/pretrained.py [NAME …] [--packages .pretrained] [--keep FOLDER]

Every model of ``pretrained_models.py`` goes through the command ``assay check`` with inputs by its
own preprocessing. One row each: the verdict, who took part and who was left out, wall and CPU
seconds, and the largest resident memory of a process. What is inconsistent or left out is explained
on the error stream; --keep has the JSON of each check. Exits 1 if a check could not be made.
"""

import argparse
import importlib.metadata
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from check_memory import children, peak_of
from pretrained_models import MODELS, Pretrained

COLUMNS = (
    "model | package | format | layers | weights | instances | verdict | targets | s | CPU s | GB"
)
#: Between two looks at memory. Linux keeps a process's peak: only the very last growth is missed.
SECONDS = 0.2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="default: all")
    parser.add_argument("--packages", type=Path, default=Path(".pretrained"))
    parser.add_argument("--keep", type=Path, help="a folder for the JSON of each check")
    options = parser.parse_args()
    known = {model.name: model for model in MODELS}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"expected names among {', '.join(known)}; received {', '.join(unknown)}")
    if not options.packages.is_dir():
        parser.error(f"no folder {options.packages}: run `make pretrained` first")
    versions = installed(options.packages)
    print(f"| {COLUMNS} |")
    print("|---|---|---|--:|--:|--:|---|---|--:|--:|--:|", flush=True)
    good = True
    for name in options.names or known:
        model = known[name]
        package = f"{model.package} {versions[model.package]}"
        found, said, spent = checked(model, options.packages.resolve())
        if found is None:
            cells = [f"`{name}`: {model.what}", package, "", "", "", "", f"none: {said}", ""]
            good = False
        else:
            cells = [f"`{name}`: {model.what}", package, *told(model, found)]
            explain(name, found)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{name}.json").write_text(json.dumps(found, indent=1))
        cells += [f"{spent.seconds:.0f}", f"{spent.cpu_seconds:.0f}", f"{spent.peak / 1e9:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0 if good else 1


def installed(packages: Path) -> dict[str, str]:
    """The versions of the packages in a folder, by name."""
    found = importlib.metadata.distributions(path=[str(packages)])
    return {re.sub("[-_.]+", "-", item.metadata["Name"]).lower(): item.version for item in found}


class Spent(NamedTuple):
    """What a check cost: time, and bytes of the largest process."""

    seconds: float
    cpu_seconds: float
    peak: float


def checked(model: Pretrained, packages: Path) -> tuple[dict[str, Any] | None, str, Spent]:
    """The JSON of a check, or what was said if there is none, and what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "assay", "check", "--json", "--quiet"]
        command += model.arguments(packages, Path(folder))
        out, errors = Path(folder, "out"), Path(folder, "errors")
        began, before = time.monotonic(), cpu_seconds()
        with out.open("w") as one, errors.open("w") as two:
            # The store goes with the folder.
            process = subprocess.Popen(command, cwd=folder, stdout=one, stderr=two)
            peak = 0.0
            while process.poll() is None:
                running = [process.pid, *children(process.pid)]
                peak = max(peak, *map(peak_of, running))
                time.sleep(SECONDS)
        spent = Spent(time.monotonic() - began, cpu_seconds() - before, peak)
        if process.returncode not in (0, 1):
            return None, " ".join(errors.read_text().split()), spent
        return json.loads(out.read_text()), "", spent


def cpu_seconds() -> float:
    """Of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told(model: Pretrained, found: dict[str, Any]) -> list[str]:
    """The cells of a row that the check's answer fills."""
    suffixes = [Path(file).suffix or "SavedModel" for file in model.files] or [".pt2"]
    left_out = [item["name"] for item in found["details"] if item["failure"]]
    targets = str(len(found["targets"]))
    if left_out:
        targets += f", without {', '.join(left_out)}"
    verdict = found["verdict"]
    if verdict != "consistent":
        verdict = f"**{verdict}**"
    return [
        ", ".join(f"`{suffix}`" if suffix != "SavedModel" else suffix for suffix in suffixes),
        f"{found['layers']:,}",
        f"{found['weights']:,}",
        str(found["instances"]),
        verdict,
        targets,
    ]


def explain(name: str, found: dict[str, Any]) -> None:
    """Who was left out and why, and what is inconsistent or said of a pair."""
    for item in found["details"]:
        if item["failure"]:
            print(f"{name}: left out: {item['name']}: {item['failure']}", file=sys.stderr)
    for pair in found["pairs"]:
        if pair["verdict"] != "consistent" or pair["explanation"]:
            kept = ("targets", "verdict", "max_abs", "ratio", "suspect", "outside", "explanation")
            print(f"{name}: {json.dumps({key: pair[key] for key in kept})}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
