"""Titles name what triggers a fault and what it does, not the value that happened to be drawn."""

from typing import Any

import msgspec
import numpy as np
import pytest

from assay.ir import Array, Finding, Observation, Reduction
from assay.ir.cause import made
from assay.report.page import blame
from assay.report.text import headline
from assay.reproduce.issue import observations
from assay.reproduce.sides import Sides
from assay.reproduce.title import title
from assay.reproduce.trigger import trigger
from tests.factories import case_of, make_finding

SIDES = Sides(("keras-torch",), ("keras-jax",))
ORDINARY = np.ones((2, 3), "float32")


def found(
    wrong: float = 1.5, right: float = 2.5, *arrays: Array, message: str = "", **changes: Any
) -> Finding:
    settings = {"op": "keras.ops.pad", "params": {}, "responsible": (), **changes}
    case = case_of(*(arrays or (ORDINARY,)))
    finding = make_finding("title", case=case, **settings)
    told = (
        Observation("keras-torch", "torch", "ValueError: no", wrong),
        Observation("keras-jax", "jax", "works", right),
    )
    evidence = msgspec.structs.replace(finding.evidence, observations=told, message=message)
    return msgspec.structs.replace(finding, evidence=evidence)


@pytest.mark.parametrize(
    ("params", "responsible", "partial", "said"),
    [
        ({"pad_width": 0}, (), ("pad_width",), "keras.ops.pad with an int pad_width"),
        ({"axis": -2}, (), ("axis",), "keras.ops.pad with a negative axis"),
        ({"axis": [0, 1]}, (), ("axis",), "keras.ops.pad with a tuple axis"),
        ({"groups": 3}, ("groups",), (), "keras.ops.pad with groups > 1"),
        ({"num": 1}, ("num",), (), "keras.ops.pad with num=1"),
        ({"mode": "full", "k": 3}, ("mode",), (), 'keras.ops.pad with mode="full"'),
        ({}, ("padding",), (), "keras.ops.pad with the default padding"),
        ({"a": True, "b": None}, ("a", "b"), (), "keras.ops.pad with a=True and b=None"),
    ],
)
def test_parameters_that_matter(
    params: dict[str, Any], responsible: tuple[str, ...], partial: tuple[str, ...], said: str
) -> None:
    reduction = Reduction(1, 1, irrelevant=("k", *partial), partial=partial)
    finding = found(params=params, responsible=responsible, reduction=reduction)
    assert trigger(finding) == said


def test_what_does_not_matter_is_not_named_and_what_is_not_known_is() -> None:
    params = {"pad_width": 0}
    assert trigger(found(params=params)) == "keras.ops.pad(pad_width=0)"
    idle = Reduction(1, 1, irrelevant=("pad_width",))
    assert trigger(found(params=params, reduction=idle)) == "keras.ops.pad"


def test_tensors_that_matter() -> None:
    assert trigger(found(0, 0, np.zeros((0, 3)))) == "keras.ops.pad of an empty batch"
    assert trigger(found(0, 0, np.zeros((2, 0)))) == "keras.ops.pad of an empty tensor"
    assert trigger(found(0, 0, np.zeros((2,), bool))) == "keras.ops.pad of booleans"
    assert trigger(found(0, 0, np.zeros((2,), "uint8"))) == "keras.ops.pad of uint8"
    cause = made("p", "numbers", "gradient", ("torch",))
    cause = msgspec.structs.replace(cause, values="where the arguments are equal")
    assert trigger(found(cause=cause)) == "keras.ops.pad where the arguments are equal"


def test_effects() -> None:
    place = " on the torch backend"

    def said(finding: Finding) -> str:
        return title(finding, SIDES).removeprefix("keras.ops.pad ").removesuffix(place)

    assert said(found()) == "gives wrong numbers (1.5 instead of 2.5)"
    assert said(found(float("nan"), 2, kind="nan")) == "gives nan instead of 2"
    assert said(found(stage="gradient")) == "has a wrong gradient (1.5 instead of 2.5)"
    assert said(found(kind="error")) == "raises ValueError"
    shape = "shape [] where others have [1, 1]"
    assert said(found(message=shape)) == "gives the wrong shape ([] instead of [1, 1])"
    cause = msgspec.structs.replace(made("p", "numbers", "gradient", ("torch",)), values="at 0")
    assert said(found(0, 1, cause=cause)) == "at 0 gives 0 instead of 1"


def test_nan_says_which_way_round() -> None:
    assert headline(found(float("nan"), 1, kind="nan")).startswith("NaN or infinity where")
    assert headline(found(1, float("nan"), kind="nan")).startswith("numbers where others have NaN")


def test_where_several_answers_are_right_nobody_is_wrong() -> None:
    finding = found(category="convention")
    assert "instead of" not in title(finding, SIDES)
    assert "where others give" in title(finding, SIDES)
    assert "wrong" not in blame(finding)
    assert not any("wrong" in row for row in observations(finding))
