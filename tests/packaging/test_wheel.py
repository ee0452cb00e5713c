"""The wheel holds both packages with all of their files, and they work from it."""

import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import assay

ROOT = Path(__file__).parents[2]
IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `python -m build` does it, from a copy, so that the checkout stays clean."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    shutil.copytree(ROOT / "src", source / "src", ignore=IGNORED)
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    result = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path) -> Path:
    folder = wheel.parent / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def files_under(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".egg-info" not in str(path))
    return {path.relative_to(folder).as_posix() for path in files}


def test_the_wheel_holds_every_source_file_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == files_under(wheel.parent / "source" / "src")


def test_the_wheel_holds_migrations_typing_marker_and_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "assay/py.typed" in names
    assert "assay_worker/__main__.py" in names
    assert any(name.startswith("assay/store/migrations/versions/0") for name in names)
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_is_what_a_user_expects(unpacked: Path) -> None:
    (folder,) = unpacked.glob("*.dist-info")
    metadata = Parser().parsestr((folder / "METADATA").read_text(encoding="utf-8"))
    assert metadata["Name"] == "assay-dl"
    assert metadata["Version"] == assay.__version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "assay = assay.cli.main:main" in (folder / "entry_points.txt").read_text("utf-8")


def test_the_worker_in_the_wheel_works_without_the_host(unpacked: Path, tmp_path: Path) -> None:
    """Alone on the path, beside numpy: no module of the host may be needed."""
    shutil.copytree(unpacked / "assay_worker", tmp_path / "assay_worker")
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if not p.rstrip('/').endswith('src')]; "
        f"sys.path.insert(0, {str(tmp_path)!r}); "
        "import assay_worker, assay_worker.canonical, assay_worker.recipes, assay_worker.protocol; "
        "assert 'assay' not in sys.modules; print(assay_worker.__file__)"
    )
    # -I: neither the current folder nor PYTHONPATH may help.
    result = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(str(tmp_path))
