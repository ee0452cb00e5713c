"""Peak memory of ``assay check`` on a data set that does not fit into memory.

    python benchmarks/check_memory.py [--instances 10000] [--images] [--targets …]

Writes instances of 224×224×3 to a temporary file (or, with --images, as many pictures into a
directory), checks a model of one convolution on them, and prints the largest resident memory of
the host and of every worker. Exits 1 if one needs more than 2 GB.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

GOAL = 2e9
_MODEL = """
import sys
import keras
layers = keras.layers
keras.utils.set_random_seed(0)
keras.Sequential([
    keras.Input((224, 224, 3)), layers.Rescaling(1 / 255),
    layers.Conv2D(8, 7, strides=4, activation="relu"),
    layers.MaxPooling2D(4), layers.Flatten(), layers.Dense(10, activation="softmax"),
]).save(sys.argv[1])
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--images", action="store_true")
    parser.add_argument("--targets", default="keras-tensorflow,keras-jax,keras-torch")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        model = os.path.join(directory, "model.keras")
        environment = {**os.environ, "KERAS_BACKEND": "torch"}
        subprocess.run([sys.executable, "-c", _MODEL, model], check=True, env=environment)
        write = pictures if options.images else array
        data = write(Path(directory), options.instances)
        command = [sys.executable, "-m", "assay", "check", model, "--data", data, "--quiet"]
        command += ["--store", os.path.join(directory, "assay.db")]
        started = time.monotonic()
        process = subprocess.Popen([*command, "--targets", options.targets])
        peaks = watched(process)
        seconds = time.monotonic() - started
    print(f"\n{options.instances:,} instances of 224×224×3 in {seconds:.0f} s; peak memory:")
    for name, peak in peaks.items():
        print(f"  {name:28} {peak / 1e9:.2f} GB")
    worst = max(peaks.values())
    print(f"largest {worst / 1e9:.2f} GB (goal: at most {GOAL / 1e9:.0f} GB)")
    return 0 if process.returncode == 0 and worst <= GOAL else 1


def array(directory: Path, instances: int) -> str:
    """A .npy file of bytes; they become float32 batch by batch."""
    path = directory / "images.npy"
    shape = (instances, 224, 224, 3)
    stored = np.lib.format.open_memmap(path, mode="w+", dtype="uint8", shape=shape)
    generator = np.random.RandomState(0)
    for start in range(0, instances, 100):
        part = stored[start : start + 100]
        part[:] = generator.randint(0, 255, part.shape, dtype="uint8")
    stored.flush()
    return str(path)


def pictures(directory: Path, instances: int) -> str:
    """A directory of PNG files."""
    from PIL import Image

    folder = directory / "images"
    folder.mkdir()
    generator = np.random.RandomState(0)
    for index in range(instances):
        small = generator.randint(0, 255, (28, 28, 3), dtype="uint8")
        Image.fromarray(small).resize((224, 224)).save(folder / f"{index:06}.png", compress_level=1)
    return str(folder)


def watched(process: subprocess.Popen) -> dict[str, float]:
    """Peak resident bytes of a process and its children, until it ends."""
    peaks: dict[str, float] = {}
    while process.poll() is None:
        for pid in [process.pid, *children(process.pid)]:
            name = "host" if pid == process.pid else worker_name(pid)
            if name:
                peaks[name] = max(peaks.get(name, 0.0), peak_of(pid))
        time.sleep(0.5)
    return peaks


def children(pid: int) -> list[int]:
    """Processes that a process started and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == pid:
                    found.append(int(entry.name))
    return found


def worker_name(pid: int) -> str:
    """What a worker runs, from its command line; empty if it has ended."""
    try:
        text = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    words = [text.partition(f'"{key}": "')[2].partition('"')[0] for key in ("library", "backend")]
    mode = text.partition('"mode": "')[2].partition('"')[0]
    if not words[0]:
        return ""  # not yet what it is to become
    return "-".join(word for word in words if word) + ("" if mode == "eager" else f"+{mode}")


def peak_of(pid: int) -> float:
    """The largest resident memory that a process has had so far."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    found = [line for line in lines if line.startswith("VmHWM")]
    return float(found[0].split()[1]) * 1024 if found else 0.0


if __name__ == "__main__":
    sys.exit(main())
