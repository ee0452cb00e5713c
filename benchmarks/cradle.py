"""CRADLE's tables for any models and targets: how many inconsistencies, by which metric, and where.

    python benchmarks/cradle.py --models lenet5,gru --targets keras-tensorflow,keras-jax
    python benchmarks/cradle.py --models keras2 --instances 64 --targets \
        keras-tensorflow@keras-2.3.1,keras-theano@keras-2.3.1,keras-cntk@keras-2.3.1

A model is a name of the zoo or a file, with data of yours as FILE=DATA (else instances are drawn by
seed); ``keras2`` are those of ``cradle_models.py`` with labels, written by the first target with
Keras 2. Without labels what most targets predict is the truth; those of ``keras2`` are what Keras 2
on TensorFlow says. Either favours somebody, so that differences of accuracy do not cancel out as
they can on data that people labelled: only such data tell which metric is better.
Targets of one environment are compared with each other: with several, versions of a library stand
side by side. Everything is checked with ``--preset cradle --metric class,mad,accuracy``.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import cradle_models
from cradle_tables import (
    Comparison,
    comparisons,
    counts,
    localizations,
    markdown,
    metrics,
    rival,
    roots,
)

import assay
from assay.config import load
from assay.errors import AssayError
from assay.ir.check import Check
from assay.judge.models.rules import PAPER
from assay.targets import Target, known_targets, resolve

KERAS2 = "keras2"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="lenet1,lenet5,gru,steering")
    parser.add_argument("--targets", default="keras-tensorflow,keras-jax,keras-torch")
    parser.add_argument("--instances", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.monotonic()
    groups: dict[str, list[Target]] = {}
    for target in resolve(options.targets.split(","), known_targets(load(None))):
        groups.setdefault(target.environment, []).append(target)
    found: list[Comparison] = []
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        models = files(options.models.split(","), groups, folder)
        for targets in groups.values():
            for name, (model, data) in models.items():
                names = [target.name for target in targets]
                print(f"{name} on {', '.join(names)}", file=sys.stderr, flush=True)
                try:
                    check = assay.check(
                        model,
                        data,
                        targets=names,
                        store=os.path.join(folder, "assay.db"),
                        instances=options.instances,
                        seed=options.seed,
                        preset="cradle",
                        metric=list(PAPER),
                    )
                except AssayError as error:
                    failures.append(f"{name} on {', '.join(names)}: {error}")
                    continue
                failures += [f"{name} on {t.name}: {t.failure}" for t in check.targets if t.failure]
                found += comparisons(name, version(check), check)
    show(found, options.instances, failures, time.monotonic() - began)
    return 0 if found else 2


def files(
    names: list[str], groups: dict[str, list[Target]], folder: str
) -> dict[str, tuple[str, str | None]]:
    """The model and the data of each name."""
    found: dict[str, tuple[str, str | None]] = {}
    for name in names:
        model, _, data = name.partition("=")
        if model == KERAS2:
            written(groups, folder)
            for make in cradle_models.MODELS:
                path = os.path.join(folder, make.__name__)
                found[make.__name__] = (f"{path}.h5", f"{path}.npz")
        elif os.path.exists(model):
            found[os.path.basename(model)] = (model, data or None)
        else:
            found[model] = (f"zoo:{model}", data or None)
    return found


def written(groups: dict[str, list[Target]], folder: str) -> None:
    """Let an environment with Keras 2 write its models."""
    every = [target for targets in groups.values() for target in targets]
    able = [t for t in every if t.library == KERAS2 and t.backend == "tensorflow"]
    if not able:
        raise SystemExit("--models keras2 needs a target such as keras-tensorflow@keras-2.3.1.")
    subprocess.run(
        [able[0].python, cradle_models.__file__, folder],
        env={**os.environ, **able[0].env, "KERAS_BACKEND": "tensorflow"},
        check=True,
        stderr=subprocess.DEVNULL,
    )


def version(check: Check) -> str:
    """Which Keras it was; without one, all that the first target names."""
    versions = next(item.versions for item in check.targets if not item.failure)
    if "keras" in versions:
        return f"Keras {versions['keras']}"
    return " ".join(f"{name} {number}" for name, number in versions.items())


def show(found: list[Comparison], instances: int, failures: list[str], seconds: float) -> None:
    """All tables, and at which scale."""
    models = len({item.model for item in found})
    versions = ", ".join(dict.fromkeys(item.version for item in found))
    print(
        f"{models} models, {instances} instances each, {versions}: {len(found)} comparisons of "
        f"pairs in {seconds:.0f} s"
    )
    print("\nInconsistencies, unique (all), by class distance, of regressions by MAD distance:\n")
    print(markdown(counts(found)))
    print("\nMetrics of classifiers, alone and together:\n")
    print(markdown(metrics(found)))
    print("\nBy the difference of accuracies, found (missed of class):\n")
    print(markdown(rival(found)))
    print("\nUnique inconsistencies by either distance, and what is left to look at:\n")
    print(markdown(localizations(found)))
    print("\nBugs, one over successive versions, by the function they start at:\n")
    print(markdown(roots(found)))
    for failure in failures:
        print(f"\nnot compared: {failure}")


if __name__ == "__main__":
    sys.exit(main())
