"""How long does ``assay check`` take, beside what its targets must take?

    python benchmarks/check_wall.py [lenet5 | FILE] [--data FILE] [--instances 16]

A check on the default targets cannot be faster than its slowest target alone (started, model
loaded, every instance run as often as a check does), nor than the CPU time of all targets divided
by the cores. Prints both and the ratio of the check's wall time to the larger one. Other work on
the machine makes the ratio larger: how many cores it took meanwhile is printed, too. Exits 1 if the
ratio is above 1.3.
"""

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

from exports import zoo_file

import assay
from assay.campaign.check.counting import SLOW_INSTANCES, Counted
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import Request
from assay.execute import Supervisor
from assay.models import inspect
from assay.models.zoo import ZOO
from assay.targets import DEFAULT_MODEL_TARGETS, builtin_targets

GOAL = 1.3
#: What is timed that is no target.
CHECK = "check"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", default="lenet5")
    parser.add_argument("--data", default="")
    parser.add_argument("--instances", type=int, default=16)
    options = parser.parse_args()
    path = str(zoo_file(options.model, 0)) if options.model in ZOO else options.model
    names = DEFAULT_MODEL_TARGETS[inspect(path).format]
    found = {}
    for name in (CHECK, *names):
        # A process each: what one has imported or compiled, the next has not.
        fresh = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        with fresh as pool:
            timed = pool.submit(measured, name, path, options.data, options.instances)
            found[name] = wall, cpu, others = timed.result()
        print(
            f"{name:30} {wall:6.1f} s, {cpu:6.1f} CPU s of targets; others took {others:.1f} cores",
            flush=True,
        )
    wall, cpu, _ = found.pop(CHECK)
    slowest = max(found, key=lambda name: found[name][0])
    alone, cores = found[slowest][0], len(os.sched_getaffinity(0))
    least = max(alone, cpu / cores)
    print(f"at least {least:.1f} s: {slowest} alone {alone:.1f}, CPU ÷ {cores} {cpu / cores:.1f}")
    print(f"ratio {wall / least:.2f} (goal: at most {GOAL})")
    return 0 if wall <= GOAL * least else 1


def measured(name: str, path: str, data: str, instances: int) -> tuple[float, float, float]:
    """Wall seconds of a check, or of one target alone; CPU seconds of the targets; how many cores
    other processes took meanwhile.
    """
    began, machine, own = time.monotonic(), machine_cpu(), time.process_time()
    if name == CHECK:
        with tempfile.TemporaryDirectory() as directory:
            store = os.path.join(directory, "assay.db")
            assay.check(path, data or None, instances=instances, store=store)
    else:
        alone(name, path, data, instances)
    wall, cpu = time.monotonic() - began, children_cpu()
    others = machine_cpu() - machine - cpu - (time.process_time() - own)
    return wall, cpu, max(others, 0.0) / wall


def children_cpu() -> float:
    """CPU seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def machine_cpu() -> float:
    """CPU seconds of everything on this machine since it started (Linux only)."""
    with open("/proc/stat") as file:
        user, nice, system, _idle, _waiting, *interrupts = map(int, file.readline().split()[1:8])
    return sum((user, nice, system, *interrupts)) / os.sysconf("SC_CLK_TCK")


def alone(name: str, path: str, data: str, instances: int) -> None:
    """One target does what a check asks of each; of a slow one, that is few instances."""
    target, file = builtin_targets()[name], inspect(path)
    count = min(instances, SLOW_INSTANCES) if target.slow else instances
    request = Request(path, file, (target,), data=data, instances=count)
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
