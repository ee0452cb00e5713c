"""Thresholds of ``--preset cradle``, swept over models of the zoo with cross-validation.

    python benchmarks/check_sweep.py [--faults 24] [--seed 1] [--models lenet5,gru]

Every model is seen once as it is (the targets are consistent) and with several seeded faults, one
at a time (they are not). The table has the best settings of T_C, T_M and p on all models beside
the paper's; then each model is left out once: thresholds chosen on the others are tried on it.
"""

import argparse
import random
import sys

from check_bench import FAULTY, HEALTHY, MODELS, loaded, opened, put_next
from sweep import PAPER, Observation, Score, Setting, cross_validated, distances_of, ranked, score

from assay.campaign.check.models import Models
from assay.judge import distances
from assay.judge.models.tally import rows, scores, task_of, truth_of
from assay.models import Batch


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    names = options.models.split(",")
    draw = random.Random(options.seed)
    found = []
    with opened() as bench:
        for place, name in enumerate(names):
            batch = next(loaded(bench, name, options.seed).batches())
            found.append(observed(bench.models, name, batch, inconsistent=False))
            count = options.faults * (place + 1) // len(names)
            for _ in range(count - options.faults * place // len(names)):
                put_next(bench, draw, batch.inputs)
                found.append(observed(bench.models, name, batch, inconsistent=True))
                bench.put({})
            print(f"{name}: {len(found)} pairs so far", file=sys.stderr, flush=True)
    show(found)
    return 0


def observed(models: Models, name: str, batch: Batch, inconsistent: bool) -> Observation:
    """The distances of both targets on all instances, as the preset has them without labels."""
    outputs = models.predict(batch.inputs)
    first, second = outputs[HEALTHY], outputs[FAULTY]
    task = task_of(first, batch.count, None)
    # The healthy target's answers are the truth.
    truth = truth_of(task, {HEALTHY: first}, None, batch.count)
    a, b = rows(first, batch.count), rows(second, batch.count)
    by_class = None
    if truth.labels is not None:
        one, two = scores(first, batch.count), scores(second, batch.count)
        by_class = distances.class_distance(one, two, truth.labels)
    by_mad = distances.mad_distance(a, b, truth.values)
    if by_class is None:
        # A regression without labels: two answers within rounding have no distance.
        by_mad = by_mad * distances.measures(a, b).exceeds
    return Observation(name, inconsistent, distances_of(by_class), distances_of(by_mad))


def show(found: list[Observation]) -> None:
    """Both tables."""
    print(f"{'T_C':>6} {'T_M':>7} {'p':>4}   detected   false")
    best = ranked(found)
    for setting, own in [*best[:5], (PAPER, score(found, PAPER))]:
        note = "   (the paper's)" if setting == PAPER else ""
        print(f"{line(setting, own)}{note}")
    print("\nleft out       chosen on the others: T_C, T_M, p; detected, false on it")
    total = Score(0, 0, 0, 0)
    for fold in cross_validated(found):
        total = total.plus(fold.score)
        print(f"{fold.model:14} {line(fold.setting, fold.score)}")
    print(
        f"cross-validated: {total.detected} of {total.inconsistent} faults detected, "
        f"{total.false} of {total.consistent} healthy pairs called inconsistent"
    )


def line(setting: Setting, own: Score) -> str:
    """A setting and its score."""
    return (
        f"{setting.class_threshold:6g} {setting.mad_threshold:7g} {setting.percent:4g}   "
        f"{own.detected:3} of {own.inconsistent:<3} {own.false:3} of {own.consistent}"
    )


if __name__ == "__main__":
    sys.exit(main())
