"""The last mark of a worker can be read after its death."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay_worker import marker

_DIE = """
import os, sys
from assay_worker import marker
marker.mark("build", "before there is a page")
marker.attach(int(sys.argv[1]))
for stage, node in zip(sys.argv[2::2], sys.argv[3::2]):
    marker.mark(stage, node)
os.abort()
"""


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ((), ("", "")),
        (("forward", "n1"), ("forward", "n1")),
        (("gradient", "a_long_name_of_a_node", "build", "n2"), ("build", "n2")),
        (("gradient", "n1", "loss", ""), ("loss", "")),
        (("forward", "größe"), ("forward", "größe")),
    ],
)
def test_the_last_mark_outlives_the_process(
    tmp_path: Path, marks: tuple[str, ...], expected: tuple[str, str]
) -> None:
    page = tmp_path / "page"
    page.write_bytes(bytes(marker.SIZE))
    descriptor = os.open(page, os.O_RDWR)
    arguments = [sys.executable, "-c", _DIE, str(descriptor), *marks]
    done = subprocess.run(arguments, pass_fds=[descriptor], capture_output=True)
    os.close(descriptor)
    assert done.returncode == -6
    assert marker.read(page.read_bytes()) == expected


def test_a_mark_longer_than_the_page_is_cut(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_bytes(bytes(marker.SIZE))
    descriptor = os.open(page, os.O_RDWR)
    node = "n" * 2 * marker.SIZE
    arguments = [sys.executable, "-c", _DIE, str(descriptor), "forward", node]
    subprocess.run(arguments, pass_fds=[descriptor], capture_output=True)
    os.close(descriptor)
    stage, cut = marker.read(page.read_bytes())
    assert stage == "forward"
    assert node.startswith(cut)
    assert len(cut) > marker.SIZE // 2


def test_garbage_in_the_page_is_no_exception() -> None:
    assert marker.read(b"\xff\xfe\n\xff") == ("��", "�")
    assert marker.read(b"") == ("", "")
