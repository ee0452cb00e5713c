"""Exports of a Keras model to every format that ``assay check`` reads, each by Keras itself.

A backend's exports are made by one process; what cannot be made has the message instead.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec

from assay.campaign.check.models import LIMITS, Models
from assay.execute import Supervisor
from assay.models.zoo import zoo_path
from assay.targets import builtin_targets


class Format(msgspec.Struct, frozen=True):
    """A backend of Keras, one of its export formats, and how such a file's name ends."""

    backend: str
    format: str
    suffix: str


#: By what tables call them.
FORMATS = {
    "ONNX by tf2onnx": Format("tensorflow", "onnx", ".tf2onnx.onnx"),
    "ONNX by torch.onnx": Format("torch", "onnx", ".torch.onnx"),
    "LiteRT": Format("tensorflow", "litert", ".tflite"),
    "OpenVINO": Format("tensorflow", "openvino", ".xml"),
    ".pt2": Format("torch", "torch", ".pt2"),
}
_SAYS = "EXPORT "
_SCRIPT = """
import json
import sys
import keras
path, says, *wanted = sys.argv[1:]
model = keras.models.load_model(path, compile=False)
# Keras exports models only after a first call.
model([keras.ops.zeros([1, *item.shape[1:]], item.dtype) for item in model.inputs])
for format, target in zip(wanted[::2], wanted[1::2]):
    try:
        model.export(target, format=format, verbose=False)
        message = ""
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
    print("\\n" + says + json.dumps([target, message]), flush=True)
"""


def zoo_file(name: str, seed: int) -> Path:
    """The file of a model of the zoo, which is built first if it is not in the cache."""
    path = zoo_path(name, seed)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        builder = builtin_targets()["keras-tensorflow"]
        with Supervisor((builder,), LIMITS, standbys=False) as supervisor:
            models = Models(supervisor, (builder,))
            models.start()
            models.build(name, seed, str(path))
    return path


def exported(model: Path, formats: dict[str, Format]) -> dict[str, Path | str]:
    """The exports of a file, beside it, by what tables call them; or why there is none."""
    found: dict[str, Path | str] = {}
    for backend in dict.fromkeys(item.backend for item in formats.values()):
        own = {label: item for label, item in formats.items() if item.backend == backend}
        found |= _by(backend, model, own)
    return {label: found[label] for label in formats}


def _by(backend: str, model: Path, formats: dict[str, Format]) -> dict[str, Path | str]:
    paths = {label: model.with_name(model.stem + item.suffix) for label, item in formats.items()}
    wanted = [word for label, f in formats.items() for word in (f.format, str(paths[label]))]
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(model), _SAYS, *wanted],
        env={**os.environ, "KERAS_BACKEND": backend},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(_SAYS)]
    messages = dict(json.loads(line.removeprefix(_SAYS)) for line in lines)
    last = (done.stderr.strip().splitlines() or [""])[-1]
    died = f"the exporting process ended with code {done.returncode}: {last}"
    return {label: messages.get(str(path), died) or path for label, path in paths.items()}
