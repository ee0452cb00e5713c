"""Models of the zoo and their own exports: is each export the model that it was made of?

    python benchmarks/check_exports.py [lenet5 gru …] [--formats LiteRT,.pt2] [--keep DIR]

Keras exports each model to ONNX (by tf2onnx and by torch.onnx), LiteRT, OpenVINO and .pt2, and
``assay check model.keras EXPORT`` compares the two files, as a user would. A cell of the table
has the verdict; how many times the rounding bound the worst instance is apart ("screen": none got
past the screen, so none was measured); by what inputs and outputs were matched; seconds. Below
it: why an export cannot be made or run, and what is said of those that are inconsistent. ``--keep``
leaves the files in a folder, for ``check_clean.py``. Exits 1 if an export is inconsistent.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from export_table import Cell, cell_of, summary
from exports import FORMATS, exported, zoo_file

ZOO = (
    *("lenet1", "lenet4", "lenet5", "resnet20", "lstm", "gru", "transformer", "steering"),
    *("mobilenet", "mobilenetv2"),
)
SEED = 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", default=ZOO)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--keep", default="", metavar="DIR")
    options = parser.parse_args()
    formats = {label: FORMATS[label] for label in options.formats.split(",")}
    print(f"| model | {' | '.join(formats)} |")
    print("|---" * (len(formats) + 1) + "|", flush=True)
    cells: dict[tuple[str, str], Cell] = {}
    place = nullcontext(options.keep) if options.keep else tempfile.TemporaryDirectory()
    with place as folder:
        for name in options.models:
            model = Path(folder) / name / f"{name}.keras"
            model.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(zoo_file(name, SEED), model)
            row = {
                label: Cell("not exported", message=made)
                if isinstance(made, str)
                else checked(model, made, options.instances)
                for label, made in exported(model, formats).items()
            }
            cells |= {(name, label): cell for label, cell in row.items()}
            print(f"| {name} | {' | '.join(map(str, row.values()))} |", flush=True)
    print(f"\n{summary(cells)}")
    return int(any(cell.verdict == "inconsistent" for cell in cells.values()))


def checked(model: Path, export: Path, instances: int) -> Cell:
    """What ``assay check`` says of a model and its export."""
    command = [sys.executable, "-m", "assay", "check", str(model), str(export), "--json", "--quiet"]
    command += ["--instances", str(instances), "--seed", str(SEED)]
    command += ["--trust"] if export.suffix == ".pt2" else []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:  # its store goes with it
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    seconds = f"{time.monotonic() - began:.0f} s"
    if not done.stdout:
        return Cell("not run", (seconds,), done.stderr.strip())
    return cell_of(json.loads(done.stdout, object_hook=_number), seconds)


def _number(item: dict[str, Any]) -> Any:
    """Numbers that JSON lacks are told by name."""
    return float(item["$float"]) if "$float" in item else item


if __name__ == "__main__":
    sys.exit(main())
