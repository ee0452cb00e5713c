"""constraints.txt pins everything that an install resolves to, and nothing else."""

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13")


def pins() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if not line.startswith("#")]
    return {
        canonicalize_name(requirement.name): Version(str(requirement.specifier).removeprefix("=="))
        for requirement in requirements
    }


def needed(requirement: Requirement, python: str) -> Iterator[Requirement]:
    """What an installed distribution needs on ``python`` with the extras that were asked for."""
    for text in importlib.metadata.requires(requirement.name) or ():
        candidate = Requirement(text)
        environments = (
            {"extra": extra, "python_version": python, "python_full_version": python + ".0"}
            for extra in ("", *requirement.extras)
        )
        if candidate.marker is None or any(map(candidate.marker.evaluate, environments)):
            yield candidate


def closure(root: str, python: str) -> set[str]:
    """Names of every distribution that ``root`` resolves to, without itself."""
    todo = [Requirement(root)]
    done: set[tuple[str, frozenset[str]]] = set()
    while todo:
        requirement = todo.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in done:
            continue
        done.add(key)
        try:
            todo.extend(needed(requirement, python))
        except importlib.metadata.PackageNotFoundError:
            # Needed on another Python only: its own needs are unknown here, its pin is not.
            continue
    return {name for name, _ in done} - {"assay-dl"}


@pytest.mark.parametrize("python", PYTHONS)
def test_everything_an_install_resolves_to_is_pinned(python: str) -> None:
    resolved = closure("assay-dl[all,postgresql,dev]", python)
    assert {"keras", "tensorflow", "jaxlib", "psycopg-binary", "setuptools"} <= resolved
    assert resolved - set(pins()) == set()


def test_nothing_is_pinned_that_no_install_resolves_to() -> None:
    resolved = set().union(*(closure("assay-dl[all,postgresql,dev]", python) for python in PYTHONS))
    assert set(pins()) - resolved == set()


def test_what_is_installed_is_what_is_pinned() -> None:
    installed = {name: Version(importlib.metadata.version(name)).public for name in pins()}
    assert installed == {name: str(version) for name, version in pins().items()}


def test_torch_is_the_version_we_promise() -> None:
    assert pins()["torch"] == Version("2.13.0")


def test_pins_hold_on_other_machines() -> None:
    """Exact versions without local suffixes, hashes, addresses or paths."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    exact = re.compile(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*")
    odd = [line for line in lines if not line.startswith("#") and not exact.fullmatch(line)]
    assert odd == []


def test_the_host_needs_no_library_under_test() -> None:
    libraries = {"keras", "tensorflow", "torch", "jax", "jaxlib", "onnxruntime", "openvino"}
    assert closure("assay-dl", "3.11") & libraries == set()


@pytest.mark.parametrize(
    ("extras", "expected"),
    [
        ("keras,torch", {"keras", "torch"}),
        ("keras,tensorflow", {"keras", "tensorflow"}),
        ("keras,jax", {"keras", "jax", "jaxlib"}),
        ("onnxruntime", {"onnx", "onnxruntime"}),
        ("keras,openvino", {"keras", "openvino"}),
        ("postgresql", {"psycopg", "psycopg-binary"}),
    ],
)
def test_an_extra_brings_its_library_and_no_other(extras: str, expected: set[str]) -> None:
    every = {"keras", "tensorflow", "torch", "jax", "jaxlib", "onnx", "onnxruntime", "openvino"}
    every |= {"psycopg", "psycopg-binary"}
    assert closure(f"assay-dl[{extras}]", "3.11") & every == expected
