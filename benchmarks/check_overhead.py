"""CPU of ``assay check`` beside a bare ``model.predict``, for ResNet-50 on 64 images.

    python benchmarks/check_overhead.py [--model resnet50] [--images 64] [--targets …]

The bare prediction runs eagerly, as these targets do. Counts all CPU of the worker and its share
of the host's for running and comparing all batches; loading and a first batch, which both do once,
are not counted. Exits 1 if a ratio is above 1.3.
"""

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from workers import active_pid, cpu_of

from assay.campaign.check.models import LIMITS, Models
from assay.execute import Supervisor
from assay.execute.process import environment_of
from assay.judge.models.tally import Tally, task_of, truth_of
from assay.models import inspect
from assay.models.zoo import zoo_path
from assay.targets import Target, builtin_targets

GOAL = 1.3
BATCH = 32


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--images", type=int, default=64)
    parser.add_argument("--targets", default="keras-tensorflow,keras-jax,keras-torch")
    parser.add_argument("--compiled", action="store_true", help="show compiled predictions, too")
    options = parser.parse_args()
    targets = [builtin_targets()[name] for name in options.targets.split(",")]
    path = zoo_path(options.model, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    worst = 0.0
    with tempfile.TemporaryDirectory() as directory:
        images = Path(directory) / "images.npy"
        with Supervisor(targets, LIMITS, standbys=False) as supervisor:
            models = Models(supervisor, targets)
            models.start()
            if not path.exists():
                models.build(options.model, 0, str(path))
            models.load(inspect(str(path)))
            shape = [options.images, *(size or 1 for size in models.spec.inputs[0].shape[1:])]
            np.save(images, np.random.RandomState(0).random_sample(shape).astype("float32"))
            spent, host = run(supervisor, models, np.load(images))
        for target in targets:
            own = spent[target.name] + host / len(targets)
            eager = bare(target, "eager", path, images)
            line = f"{target.name:20} check {own:7.2f} CPU s   model.predict {eager:7.2f} CPU s"
            if options.compiled:
                line += f" (compiled {bare(target, 'compiled', path, images):.2f})"
            print(f"{line}   ratio {own / eager:.2f}", flush=True)
            worst = max(worst, own / eager)
    print(f"largest ratio {worst:.2f} (goal: at most {GOAL})")
    return 0 if worst <= GOAL else 1


def bare(target: Target, mode: str, path: Path, images: Path) -> float:
    """CPU seconds of ``model.predict`` alone, in a process of its own."""
    script = str(Path(__file__).with_name("bare_predict.py"))
    done = subprocess.run(
        [sys.executable, script, target.backend, mode, str(path), str(images)],
        capture_output=True,
        text=True,
        check=True,
        env=environment_of(target),
    )
    return float(done.stdout.split()[-1])


def run(
    supervisor: Supervisor, models: Models, images: np.ndarray
) -> tuple[dict[str, float], float]:
    """CPU seconds of each target and of the host, for running and comparing all images."""
    models.predict([images[:BATCH]])
    processes = {name: active_pid(supervisor, name) for name in models.names}
    before = {name: cpu_of(pid) for name, pid in processes.items()}
    started = time.process_time()
    tallies: dict[tuple[str, str], Tally] = {}
    for start in range(0, len(images), BATCH):
        batch = images[start : start + BATCH]
        outputs = models.predict([batch])
        task = task_of(next(iter(outputs.values())), len(batch), None)
        truth = truth_of(task, outputs, None, len(batch))
        for pair in itertools.combinations(models.names, 2):
            tally = tallies.setdefault(pair, Tally(task))
            tally.add(start, (batch,), outputs[pair[0]], outputs[pair[1]], truth, len(batch))
    host = time.process_time() - started
    return {name: cpu_of(pid) - before[name] for name, pid in processes.items()}, host


if __name__ == "__main__":
    sys.exit(main())
