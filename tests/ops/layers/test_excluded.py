"""Every exported layer is in the vocabulary, or left out for a stated reason."""

import json
import subprocess
import sys

import pytest

from assay.ops import specs
from assay.ops.keras.layers.excluded import ALIASES, EXCLUDED

_LIST_LAYERS = """
import inspect, json, os
os.environ["KERAS_BACKEND"] = "numpy"
import keras
found = vars(keras.layers).items()
print(json.dumps({name: id(item) for name, item in found if inspect.isclass(item)}))
"""


@pytest.fixture(scope="module")
def exported() -> dict[str, int]:
    """The exported names, and which class each of them is."""
    finished = subprocess.run(
        [sys.executable, "-c", _LIST_LAYERS], capture_output=True, text=True, timeout=120
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    names: dict[str, int] = json.loads(finished.stdout.splitlines()[-1])
    return names


def _spoken() -> set[str]:
    return {name.rpartition(".")[2] for name, s in specs().items() if s.family == "layers"}


def test_every_exported_layer_is_spoken_of_or_left_out(exported: dict[str, int]) -> None:
    assert set(exported) - _spoken() - set(EXCLUDED) - set(ALIASES) == set()


def test_nothing_is_both_or_unknown_to_keras(exported: dict[str, int]) -> None:
    assert _spoken() & set(EXCLUDED) == set()
    assert (_spoken() | set(EXCLUDED) | set(ALIASES)) - set(exported) == set()


def test_an_alias_is_the_class_it_stands_for(exported: dict[str, int]) -> None:
    assert {name for name, other in ALIASES.items() if exported[name] != exported[other]} == set()
    assert set(ALIASES.values()) <= _spoken()


def test_every_reason_is_a_sentence() -> None:
    assert all(len(reason.split()) > 3 for reason in EXCLUDED.values())
