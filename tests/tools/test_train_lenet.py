"""Digits are read from the package as they are stored."""

import io
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest

from tools.train_lenet import images, labels


def packed(path: Path, **files: bytes) -> tarfile.TarFile:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo("package/data/" + name.replace("_", "-"))
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return tarfile.open(path)


def test_images_and_labels_of_a_part(tmp_path: Path) -> None:
    pixels = np.arange(2 * 3 * 4, dtype="uint8")
    with packed(
        tmp_path / "p.tgz",
        t10k_images_idx3_ubyte=struct.pack(">4I", 2051, 2, 3, 4) + pixels.tobytes(),
        t10k_labels_idx1_ubyte=struct.pack(">2I", 2049, 2) + bytes([7, 0]),
    ) as archive:
        found = images(archive, "t10k")
        assert found.shape == (2, 3, 4, 1)
        np.testing.assert_allclose(found.ravel() * 255, pixels, rtol=1e-6)
        assert labels(archive, "t10k").tolist() == [7, 0]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    content = struct.pack(">4I", 1, 0, 0, 0)
    archive = packed(tmp_path / "p.tgz", train_images_idx3_ubyte=content)
    with archive, pytest.raises(SystemExit, match="2051"):
        images(archive, "train")
