"""Every function that ``keras.ops`` exports is in the vocabulary, or left out for a reason."""

import json
import subprocess
import sys

import pytest

from assay.ops import specs
from assay.ops.keras.ops.excluded import EXCLUDED

_LIST = """
import inspect, json, os
os.environ["KERAS_BACKEND"] = "numpy"
import keras
found = []
for prefix, module in (("keras.ops.", keras.ops), ("keras.ops.image.", keras.ops.image)):
    for name in dir(module):
        if not name.startswith("_") and inspect.isfunction(getattr(module, name)):
            found.append(prefix + name)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def exported() -> set[str]:
    """What Keras exports; other namespaces (``keras.ops.nn`` …) hold the same functions."""
    finished = subprocess.run(
        [sys.executable, "-c", _LIST], capture_output=True, text=True, check=True, timeout=120
    )
    return set(json.loads(finished.stdout.splitlines()[-1]))


def test_every_exported_function_is_described_or_excluded(exported: set[str]) -> None:
    assert len(exported) >= 337
    assert not exported - set(specs()) - set(EXCLUDED)


def test_what_is_excluded_exists_and_is_not_described(exported: set[str]) -> None:
    assert set(EXCLUDED) <= exported
    assert not set(EXCLUDED) & set(specs())
    assert all(EXCLUDED.values())


def test_at_least_280_functions_are_described(exported: set[str]) -> None:
    top = {name for name in exported if name.count(".") == 2}
    assert len(top & set(specs())) >= 280
