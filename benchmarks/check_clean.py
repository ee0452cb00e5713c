"""Healthy models on many targets: how near do they come to the bound of ``assay check``?

    python benchmarks/check_clean.py [NAME|FILE …] [--exports DIR] [--instances 4] [--without A,B]

NAME is a model of the zoo. Every file runs on the default targets of its format, and every
instance of every pair is held against its own bound, past the screen or not. ``--exports`` adds
the exports that ``check_exports.py --keep DIR`` made, each beside the model that it was made of.
``--without`` leaves out targets, as those that are slow on purpose. Exits 1 if a file is not
consistent.
"""

import argparse
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from exports import FORMATS, zoo_file

from assay.campaign.check.arms import Arm, arms_for
from assay.campaign.check.comparing import check_loaded
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import Request
from assay.config import Config
from assay.execute import Supervisor
from assay.judge.models.bound import BASES, Bounds
from assay.models import ModelFile, generated, inspect
from assay.models.zoo import ZOO
from assay.report.text import plural
from assay.targets import DEFAULT_MODEL_TARGETS, REFERENCE, Target, known_targets

DEFAULT = ("lenet1", "lenet5", "resnet20", "lstm", "gru", "transformer", "steering", "mobilenet")
SEED = 0
#: What the model runs on that an export is beside.
BESIDE = "keras-tensorflow"


class Row(msgspec.Struct, frozen=True):
    """A file: the verdict, the largest ratio of each pair of targets, and why others have none."""

    title: str
    verdict: str
    ratios: dict[tuple[str, str], float]
    left_out: dict[str, str]

    @property
    def largest(self) -> tuple[float, str]:
        """The largest ratio, and of whom."""
        return max((ratio, " ↔ ".join(pair)) for pair, ratio in self.ratios.items())

    def __str__(self) -> str:
        text = f"{self.title}: {self.verdict}"
        if self.ratios:
            ratio, pair = self.largest
            pairs = plural(len(self.ratios), "pair")
            text += f", {pairs}, at most {ratio:.3f} of the bound ({pair})"
        return text + "".join(f"\n  without {n}: {why}" for n, why in self.left_out.items())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", help=f"default: {' '.join(DEFAULT)}, or --exports")
    parser.add_argument("--exports", default="", metavar="DIR")
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--without", default="", metavar="TARGETS")
    options = parser.parse_args()
    without = options.without.split(",")
    rows, failures = [], 0
    # One start of the targets for all files that run on the same.
    files = sorted(asked(options.models, options.exports), key=_kind)
    for _, alike in itertools.groupby(files, _kind):
        for row in measured(list(alike), without, options.instances):
            failures += not row.ratios
            rows += [row] if row.ratios else []
            print(row, flush=True)
    return summary(rows, failures)


def _kind(files: list[ModelFile]) -> tuple[int, str]:
    return len(files), files[-1].format


def asked(models: list[str], exports: str) -> list[list[ModelFile]]:
    """The files, each by itself or after the model that it is an export of."""
    names = models or ([] if exports else DEFAULT)
    paths = [zoo_file(n, SEED) if n in ZOO else Path(n) for n in names]
    found = [[inspect(str(path), trust=True)] for path in paths]
    for model in sorted(Path(exports).glob("*/*.keras")) if exports else ():
        made = [model.with_name(model.stem + item.suffix) for item in FORMATS.values()]
        first = inspect(str(model))
        found.append([first])
        found += [[first, inspect(str(path), trust=True)] for path in made if path.exists()]
    return found


def measured(alike: list[list[ModelFile]], without: list[str], instances: int) -> Iterator[Row]:
    """Files of one format on its targets; each beside the model that it was made of, if any."""
    beside = [BESIDE] if len(alike[0]) > 1 else []
    own = [name for name in DEFAULT_MODEL_TARGETS[alike[0][-1].format] if name not in without]
    targets = tuple(known_targets(Config())[name] for name in beside + own)
    with Supervisor((*targets, REFERENCE), LIMITS, standbys=False) as supervisor:
        for files in alike:
            arms = arms_for(Config(), beside + own, files) if beside else ()
            models = Models(supervisor, (*targets, REFERENCE))
            models.start()
            yield _measured(models, files, targets, arms, instances)


def _measured(
    models: Models,
    files: list[ModelFile],
    targets: tuple[Target, ...],
    arms: tuple[Arm, ...],
    instances: int,
) -> Row:
    title = os.path.basename(files[-1].path)
    models.load(files[0], {arm.target.name: arm.file for arm in arms})
    largest, verdict = {}, "not measured"
    if len(models.names) > 1:
        data = generated(models.spec.inputs, files[0].ids, instances, SEED)
        largest = ratios(models, next(data.batches()))
    if largest:
        request = Request(title, files[0], targets, arms=arms)
        verdict = check_loaded(request, models, data).verdict
    left_out = {name: failure.message for name, failure in models.failures.items()}
    return Row(title, verdict, largest, left_out)


def ratios(models: Models, batch) -> dict[tuple[str, str], float]:
    """The largest ratio to the bound of each pair, over all instances of a batch."""
    outputs = models.predict(batch.inputs)
    bounds = Bounds(models, models.bases((), BASES), batch.inputs, batch.count)
    every = np.ones(batch.count, bool)
    return {
        pair: float(bounds.ratios(outputs[pair[0]], outputs[pair[1]], every).max())
        for pair in itertools.combinations(models.names, 2)
    }


def summary(rows: list[Row], failures: int) -> int:
    """The last line: how many files, pairs and alarms, and the largest ratio; the exit code."""
    alarms = [row.title for row in rows if row.verdict != "consistent"]
    clean = [(*row.largest, row.title) for row in rows if row.verdict == "consistent"]
    pairs = sum(len(row.ratios) for row in rows)
    told = f": {', '.join(alarms)}" if alarms else ""
    print(f"{len(rows)} files, {pairs} pairs: {len(alarms)} alarms{told}; {failures} not measured")
    if clean:
        ratio, pair, title = max(clean)
        print(f"the largest ratio without an alarm: {ratio:.3f} ({title}, {pair})")
    return int(bool(alarms))


if __name__ == "__main__":
    sys.exit(main())
