"""Libraries of other distributions: found by their entry points, and at work where installed."""

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.e2e.command import Command

ROOT = Path(__file__).parents[2]
LIBRARIES = ("mlx", "paddle")


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """Environment in which both plugins are installed: their metadata, made of their projects."""
    paths = [str(tmp_path)]
    for name in LIBRARIES:
        folder = ROOT / "plugins" / f"assay-{name}"
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        metadata = tmp_path / f"assay_{name}-{project['version']}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n",
            encoding="utf-8",
        )
        points = project["entry-points"]["assay.libraries"]
        lines = [f"{key} = {value}" for key, value in points.items()]
        (metadata / "entry_points.txt").write_text(
            "\n".join(["[assay.libraries]", *lines, ""]), encoding="utf-8"
        )
        paths.append(str(folder))
    return {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}


def interpreter(name: str) -> str:
    """One that has the library; without any, the test is skipped."""
    variable = f"ASSAY_{name.upper()}_PYTHON"
    python = os.environ.get(variable, "")
    if not python and importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed; set {variable} to an interpreter that has it")
    return python or sys.executable


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_word_goes_to_the_shared_words_and_back(name: str, installed: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"[{name}."]
    done = subprocess.run(
        [*command, "tests/libraries/test_words.py"],
        cwd=ROOT,
        env={**os.environ, **installed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = int(done.stdout.rpartition(" passed")[0].split()[-1])
    assert passed >= 2 * 40, "40 words, two tests each"


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_hunt_compares_it_with_the_reference(
    name: str, installed: dict[str, str], tmp_path: Path
) -> None:
    python = interpreter(name)
    assay = Command(tmp_path)
    assay.write("assay.toml", f'[targets.{name}]\nlibrary = "{name}"\npython = "{python}"\n')
    arguments = ("hunt", "--targets", name, "--cases", "30", "--seed", "1", "--json")
    done = assay(*arguments, **installed)
    assert done.code in (0, 1), done.err
    document = done.document
    assert document["faults"] == 0, done.err
    assert name in document["targets"]
    assert document["coverage"]["valid"] > 0.5, document["coverage"]


@pytest.mark.parametrize("name", LIBRARIES)
def test_it_asks_for_the_distribution_that_assay_is(name: str) -> None:
    projects = [
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in (ROOT, ROOT / "plugins" / f"assay-{name}")
    ]
    assert projects[0]["name"] in projects[1]["dependencies"]


_GRADIENTS = """
import numpy as np
import {modules}
{gradient}
for count in (1, 2):
    tensors = [{tensor} for _ in range(count)]
    found = gradient(lambda *given: sum((x * x).sum() for x in given), *tensors)
    shapes = [list(item.shape) for item in found]
    assert shapes == [[2, 3]] * count, shapes
"""
_LIBRARY = "import assay_{name}; dialect = assay_{name}.library().dialect; print({said})"


@pytest.mark.parametrize("name", LIBRARIES)
def test_its_scripts_have_a_gradient_for_each_tensor(name: str, installed: dict[str, str]) -> None:
    python = interpreter(name)
    said = "dialect.imports[0], dialect.tensor, dialect.gradient, sep='\\0'"
    told = subprocess.run(
        [sys.executable, "-c", _LIBRARY.format(name=name, said=said)],
        env={**os.environ, **installed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    modules, tensor, gradient = told.split("\0")
    made = tensor.format('np.ones((2, 3), "float32")')
    code = _GRADIENTS.format(modules=modules, tensor=made, gradient=gradient)
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
