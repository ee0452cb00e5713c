"""Healthy models on many targets: how near do they come to the bound of ``assay check``?

    python benchmarks/check_clean.py [--models lenet5,gru] [--targets a,b] [--onnx] [--instances 8]

Every instance of every pair is held against its own bound, past the screen or not. ``--onnx``
exports each model with Keras first, and runs the file on the ONNX runtimes.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

from assay.campaign.check.comparing import check_loaded
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import Request
from assay.execute import Supervisor
from assay.judge.models.bound import BASES, Bounds
from assay.models import generated, inspect
from assay.models.zoo import zoo_path
from assay.targets import DEFAULT_MODEL_TARGETS, REFERENCE, builtin_targets

ZOO = ("lenet1", "lenet5", "resnet20", "lstm", "gru", "transformer", "steering", "mobilenet")
_EXPORT = """
import sys
import keras
# Keras exports models only after a first call.
model = keras.models.load_model(sys.argv[1])
model([keras.ops.zeros([1, *item.shape[1:]], item.dtype) for item in model.inputs])
model.export(sys.argv[2], format="onnx", verbose=False)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(ZOO))
    parser.add_argument("--targets", default="")
    parser.add_argument("--onnx", action="store_true")
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    known = builtin_targets()
    default = DEFAULT_MODEL_TARGETS["onnx" if options.onnx else "keras"]
    names = options.targets.split(",") if options.targets else default
    targets = tuple(known[name] for name in names)
    found, alarms = [], 0
    for model in options.models.split(","):
        with (
            tempfile.TemporaryDirectory() as directory,
            Supervisor((*targets, REFERENCE), LIMITS, standbys=False) as supervisor,
        ):
            models = Models(supervisor, (*targets, REFERENCE))
            models.start()
            path = str(zoo_path(model, options.seed))
            if not os.path.exists(path):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                models.build(model, options.seed, path)
            file = inspect(path)
            ids = file.ids
            if options.onnx:
                file = inspect(exported(path, os.path.join(directory, "model.onnx")))
            models.load(file)
            data = generated(models.spec.inputs, ids, options.instances, options.seed)
            largest = ratios(models, next(data.batches()))
            request = Request(title=model, file=file, targets=targets)
            verdict = check_loaded(request, models, data).verdict
        alarms += verdict != "consistent"
        found += [(ratio, f"{model}, {' ↔ '.join(pair)}") for pair, ratio in largest.items()]
        worst = max(largest.items(), key=lambda item: item[1])
        left_out = f"; without {', '.join(models.failures)}" if models.failures else ""
        print(
            f"{model:14} {verdict}: {len(largest)} pairs, at most {worst[1]:.3f} of the bound "
            f"({' ↔ '.join(worst[0])}){left_out}",
            flush=True,
        )
    ratio, where = max(found)
    print(f"{len(found)} pairs: {alarms} false alarms, the largest ratio {ratio:.3f} ({where})")
    return int(alarms > 0)


def exported(path: str, target: str) -> str:
    """The ONNX file that Keras makes of a model."""
    environment = {**os.environ, "KERAS_BACKEND": "tensorflow"}
    command = [sys.executable, "-c", _EXPORT, path, target]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    return target


def ratios(models: Models, batch) -> dict[tuple[str, str], float]:
    """The largest ratio to the bound of each pair, over all instances of a batch."""
    outputs = models.predict(batch.inputs)
    bounds = Bounds(models, models.bases((), BASES), batch.inputs, batch.count)
    every = np.ones(batch.count, bool)
    return {
        pair: float(bounds.ratios(outputs[pair[0]], outputs[pair[1]], every).max())
        for pair in itertools.combinations(models.names, 2)
    }


if __name__ == "__main__":
    sys.exit(main())
