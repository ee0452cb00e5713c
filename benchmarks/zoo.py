"""Every model of the zoo, checked by name as a user would: the table of ``docs/check.md``.

    python benchmarks/zoo.py [NAME …] [--instances 8] [--targets …]

One row per model: its size, how many different labels it predicts (a regression: how far its
answers spread) with the mean probability of the best, the verdict, the targets that ran it, and
CPU seconds of the whole command. Exits 1 if a model is not consistent, or always gives the same
answer.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile

import numpy as np

from assay.campaign.check.models import LIMITS, Models
from assay.execute import Supervisor
from assay.models import generated, inspect
from assay.models.zoo import ZOO, zoo_path
from assay.targets import builtin_targets

SEED = 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=ZOO)
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--targets", default="", help="default: all that run Keras models")
    options = parser.parse_args()
    print("| model | layers | weights | answers | verdict | targets | CPU s |")
    print("|---|--:|--:|---|---|---|--:|", flush=True)
    good = True
    for name in options.names:
        before = children_cpu()
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run(
                command(name, options.instances, options.targets),
                cwd=directory,  # its store goes with it
                capture_output=True,
                text=True,
                check=False,
            )
        spent = children_cpu() - before
        if done.returncode == 2 or not done.stdout:
            print(f"| {name} | | | | {done.stderr.strip()} | | {spent:.0f} |", flush=True)
            good = False
            continue
        found = json.loads(done.stdout)
        answers, varied = spread(name, options.instances)
        good &= varied and found["verdict"] == "consistent"
        left_out = [item["name"] for item in found["details"] if item["failure"]]
        targets = str(len(found["targets"]))
        if left_out:
            targets += f", without {', '.join(left_out)}"
        print(
            f"| {name} | {found['layers']} | {found['weights']:,} | {answers} | "
            f"{found['verdict']} | {targets} | {spent:.0f} |",
            flush=True,
        )
        for item in found["details"]:
            if item["failure"]:
                print(f"  {name}: {item['name']}: {item['failure']}", file=sys.stderr)
        for pair in found["pairs"]:
            if pair["verdict"] == "inconsistent" or pair["explanation"]:
                print(f"  {name}: {json.dumps(pair)}", file=sys.stderr)
    return 0 if good else 1


def command(name: str, instances: int, targets: str) -> list[str]:
    """The check of a model of the zoo, as JSON."""
    program = [sys.executable, "-m", "assay", "check", f"zoo:{name}", "--json", "--quiet"]
    program += ["--instances", str(instances), "--seed", str(SEED)]
    return [*program, *(["--targets", targets] if targets else [])]


def children_cpu() -> float:
    """CPU seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spread(name: str, instances: int) -> tuple[str, bool]:
    """What a model answers on the check's own instances, and whether answers differ."""
    target = builtin_targets()["keras-torch"]
    with Supervisor((target,), LIMITS, standbys=False) as supervisor:
        models = Models(supervisor, (target,))
        models.start()
        file = inspect(str(zoo_path(name, SEED)))
        models.load(file)
        data = generated(models.spec.inputs, file.ids, instances, SEED)
        outputs = np.concatenate([models.predict(b.inputs)[target.name][0] for b in data.batches()])
    if outputs.shape[1] == 1:
        return f"{outputs.min():.2f} to {outputs.max():.2f}", bool(outputs.std() > 1e-2)
    labels, best = len(set(outputs.argmax(axis=1))), float(outputs.max(axis=1).mean())
    moves = float(outputs.std(axis=0).max())
    return f"{labels} labels, best {best:.2f}", bool(moves > 1e-3 and best < 0.999)


if __name__ == "__main__":
    sys.exit(main())
