"""How long does ``assay check`` take, beside what its targets must take?

    python benchmarks/check_wall.py [lenet5 | FILE] [--data FILE] [--instances 16]

A check on the default targets cannot be faster than its slowest target alone (started, model
loaded, every instance run as often as a check does), nor than the CPU time of all targets divided
by the cores. Prints both and the ratio of the check's wall time to the larger one. Other work on
the machine makes the ratio larger. Exits 1 if it is above 1.3.
"""

import argparse
import os
import resource
import sys
import tempfile
import time

from exports import zoo_file

import assay
from assay.campaign.check.counting import SLOW_INSTANCES, Counted
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import Request
from assay.execute import Supervisor
from assay.models import ModelFile, inspect
from assay.models.zoo import ZOO
from assay.targets import DEFAULT_MODEL_TARGETS, Target, builtin_targets

GOAL = 1.3


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", default="lenet5")
    parser.add_argument("--data", default="")
    parser.add_argument("--instances", type=int, default=16)
    options = parser.parse_args()
    path = str(zoo_file(options.model, 0)) if options.model in ZOO else options.model
    file = inspect(path)
    with tempfile.TemporaryDirectory() as directory:
        store = os.path.join(directory, "assay.db")
        before, began = spent(), time.monotonic()
        result = assay.check(path, options.data or None, instances=options.instances, store=store)
        wall, targets = time.monotonic() - began, spent() - before
    slowest, who = 0.0, ""
    for name in DEFAULT_MODEL_TARGETS[file.format]:
        before, began = spent(), time.monotonic()
        alone(builtin_targets()[name], file, options.data, options.instances)
        seconds = time.monotonic() - began
        print(f"{name:30} alone {seconds:6.1f} s, {spent() - before:6.1f} CPU s", flush=True)
        slowest, who = max((slowest, who), (seconds, name))
    cores = len(os.sched_getaffinity(0))
    least = max(slowest, targets / cores)
    print(f"check: {result.verdict}, {wall:.1f} s; its targets {targets:.1f} CPU s")
    print(f"at least {least:.1f} s: {who} alone {slowest:.1f}, CPU ÷ {cores} {targets / cores:.1f}")
    print(f"ratio {wall / least:.2f} (goal: at most {GOAL})")
    return 0 if wall <= GOAL * least else 1


def spent() -> float:
    """CPU seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def alone(target: Target, file: ModelFile, data: str, instances: int) -> None:
    """One target does what a check asks of each; of a slow one, that is few instances."""
    count = min(instances, SLOW_INSTANCES) if target.slow else instances
    request = Request(file.path, file, (target,), data=data, instances=count)
    with Supervisor((target,), LIMITS, standbys=False) as supervisor:
        models = Models(supervisor, (target,))
        models.start()
        models.load(file)
        if models.failures:
            return
        counted = Counted(models)
        for place, batch in enumerate(request.dataset(models.spec.inputs, file.ids).batches()):
            counted.run(place, batch)


if __name__ == "__main__":
    sys.exit(main())
