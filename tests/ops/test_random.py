"""Specs of ``keras.random``."""

import json
import subprocess
import sys

import numpy as np
import pytest

from assay.ops import Draw, Invalid, specs
from assay.ops.instance import instantiate
from assay.ops.shapes import Palette
from assay.sources import create
from assay_worker.random_properties import COMMON, names
from assay_worker.reference import Operation

SPECS = {name: spec for name, spec in specs().items() if spec.family == "random"}

_LIST = """
import inspect, json, os
os.environ["KERAS_BACKEND"] = "numpy"
import keras
found = vars(keras.random).items()
print(json.dumps({
    "keras.random." + name: list(inspect.signature(item).parameters)
    for name, item in found if inspect.isfunction(item)
}))
"""


@pytest.fixture(scope="module")
def exported() -> dict[str, list[str]]:
    """Every function of ``keras.random`` with the names of its arguments."""
    finished = subprocess.run(
        [sys.executable, "-c", _LIST], capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, list[str]] = json.loads(finished.stdout.splitlines()[-1])
    return found


def test_every_function_is_described_with_every_parameter(exported: dict[str, list[str]]) -> None:
    assert set(SPECS) == set(exported)
    for name, arguments in exported.items():
        parameters = {item.name for item in SPECS[name].parameters}
        assert parameters == set(arguments[len(SPECS[name].tensors) :]), name


def test_every_parameter_has_valid_boundary_and_invalid_values() -> None:
    for spec in SPECS.values():
        for item in spec.parameters:
            assert item.valid, (spec.name, item.name)
            assert item.boundary, (spec.name, item.name)
            assert item.invalid, (spec.name, item.name)


def test_every_op_has_properties_and_the_reference_has_all_of_them() -> None:
    draw, palette = Draw(1), Palette(1)
    for name, spec in SPECS.items():
        assert names(name)[: len(COMMON)] == COMMON
        assert len(names(name)) > len(COMMON)
        call = instantiate(spec, draw, palette)
        tensors = [np.zeros(shape) for shape in call.shapes]
        result, _ = Operation(name, call.params).run(tensors, {}, {}, False)
        assert result.tolist() == [1.0] * len(names(name))


def test_draws_stand_alone_and_have_no_gradient() -> None:
    source = create("single-op", 1, ("keras-torch",), SPECS)
    for index in range(100):
        case = source.ask(index).case
        assert len(case.graph.nodes) == 1
        assert case.stage == "forward"
        assert case.loss is None


@pytest.mark.parametrize(
    ("op", "params"),
    [
        ("uniform", {"shape": (3,), "minval": 2.0}),
        ("randint", {"shape": (3,), "minval": 5, "maxval": 5}),
        ("randint", {"shape": (3,), "minval": -1, "maxval": 5, "dtype": "uint8"}),
        ("randint", {"shape": (3,), "minval": 0, "maxval": 257, "dtype": "uint8"}),
        ("beta", {"shape": (3,), "alpha": (1.0, 1.0), "beta": 1.0}),
        ("binomial", {"shape": (), "counts": (1,), "probabilities": 0.5}),
    ],
)
def test_what_does_not_go_together_is_invalid(op: str, params: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        SPECS[f"keras.random.{op}"].output_shapes(params, ())


def test_the_range_of_whole_numbers_may_end_one_beyond_the_dtype() -> None:
    params = {"shape": (3,), "minval": 0, "maxval": 256, "dtype": "uint8"}
    assert SPECS["keras.random.randint"].output_shapes(params, ()) == ((3,),)
