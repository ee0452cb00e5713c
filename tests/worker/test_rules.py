"""Every rule of ``rewrite`` on real libraries: it agrees, it sees a fault, it knows its domain."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay_worker.rules import NAMES, rule, rules
from assay_worker.rules._base import Facts

ROOT = Path(__file__).parents[2]
LIBRARIES = ("torch", "tensorflow", "jax", "keras")
#: A rule that compiles for seconds has no example.
DEAR = ("compile",)


@functools.cache
def rows(library: str, *rules: str) -> list[dict[str, Any]]:
    """What a process of the library says of its examples, or of those of some rules."""
    command = [sys.executable, "-m", "tests.worker.rules.at_work", library, *rules]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=3",
    }
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = [line[4:] for line in done.stdout.splitlines() if line.startswith("ROW ")]
    return [json.loads(line) for line in told]


@pytest.mark.parametrize("library", LIBRARIES)
class TestOnALibrary:
    def test_the_programs_of_a_rule_agree_within_its_domain(self, library: str) -> None:
        assert [row for row in rows(library) if row["clean"] != "agree"] == []

    def test_a_rule_sees_what_it_is_there_for(self, library: str) -> None:
        blind = [row for row in rows(library) if not row["faulty"].startswith("differ: ")]
        assert blind == []

    def test_a_rule_leaves_alone_what_is_outside_of_its_domain(self, library: str) -> None:
        refused = "does not apply to this call"
        assert [row for row in rows(library) if refused not in row["outside"]] == []

    def test_every_rule_of_the_library_has_an_example(self, library: str) -> None:
        having = {name for name in NAMES if library in rule(name).programs and name not in DEAR}
        assert having - {row["rule"] for row in rows(library)} == set()


def test_what_trains_is_compared_on_another_backend_too() -> None:
    trained = ("averaged", "refitted", "resumed")
    told = rows("keras-torch", *trained)
    assert {row["rule"] for row in told} == set(trained)
    assert [row for row in told if row["clean"] != "agree"] == []
    assert [row for row in told if not row["faulty"].startswith("differ: ")] == []


def test_the_source_of_a_program_stands_by_itself() -> None:
    for item in rules():
        for library in item.programs:
            first, second, text = item.source(library)
            scope: dict[str, Any] = {}
            exec(compile(text, item.name, "exec"), scope)
            assert callable(scope[second])
            assert not first or callable(scope[first])
            assert "assay" not in text


def test_a_rule_says_what_it_is() -> None:
    for item in rules():
        assert item.name in NAMES
        assert "≡" in item.says
        assert item.domain
        assert set(item.firsts) <= set(item.programs)
        assert set(item.own_helpers) <= set(item.programs)


def test_without_tensors_only_the_result_can_be_written_elsewhere() -> None:
    silent = Facts("torch", "torch.arange", {}, {"0": 5}, [])
    assert [item.name for item in rules() if item.covers(silent)] == ["out"]
