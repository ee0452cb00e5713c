"""Findings by cause, and how bad they are."""

from typing import Any

import msgspec
import numpy as np
import pytest

from assay.ir import Cause, Finding, Observation, Platform, grouped, severity
from assay.ir.cause import made
from tests.factories import case_of, make_finding

PLACE = "keras/src/backend/torch/numpy.py:add"


def finding(name: str, message: str = "", **changes: Any) -> Finding:
    found = make_finding(name, **changes)
    evidence = msgspec.structs.replace(found.evidence, message=message)
    return msgspec.structs.replace(found, evidence=evidence)


def ids(*findings: Finding) -> list[list[str]]:
    return [[item.id for item in group.findings] for group in grouped(findings)]


def gradient(place: str, *functions: str) -> Cause:
    return made(place, "numbers", "gradient", ("torch",), functions=functions)


def test_one_place_and_effect_is_one_cause() -> None:
    first = finding("a", cause=made(PLACE, "numbers", "forward", ("torch",)))
    second = finding("b", cause=made(PLACE, "numbers", "forward", ("torch",)))
    raising = finding("c", cause=made(PLACE, "error", "forward", ("torch",), "x = 1"))
    elsewhere = finding("d", cause=made(PLACE, "numbers", "forward", ("jax",)))
    assert len(ids(first, second, raising, elsewhere)) == 3


def test_exceptions_of_one_wording_through_one_function_are_one_cause() -> None:
    def raised(line: str, message: str, *frames: str) -> Cause:
        place = f"keras/{line}.py:f"
        return made(place, "error", "forward", ("theano",), line, (), frames, message)

    first = finding("a", cause=raised("a", "ValueError: no", "merge.py:call", "a.py:f"))
    second = finding("b", cause=raised("b", "ValueError: no", "merge.py:call", "b.py:f"))
    other = finding("c", cause=raised("c", "TypeError: something else", "merge.py:call"))
    assert sorted(map(len, ids(first, second, other))) == [1, 2]


def test_a_gradient_that_calls_a_faulty_function_and_others_is_its_sibling() -> None:
    function = finding("a", stage="gradient", cause=gradient(PLACE, PLACE))
    layer = finding("b", stage="gradient", cause=gradient("keras/src/l.py:call", PLACE, "other"))
    unrelated = finding("c", stage="gradient", cause=gradient("keras/src/m.py:call", "other"))
    assert sorted(map(len, ids(function, layer, unrelated))) == [1, 2]


def test_records_of_before_are_grouped_by_what_they_say() -> None:
    first = finding("a", "ValueError: axis 3 of [2, 2]", kind="error", op="keras.ops.sum")
    second = finding("b", "ValueError: axis 5 of [4]", kind="error", op="keras.ops.mean")
    other = finding("c", "TypeError: no", kind="error", op="keras.ops.mean")
    elsewhere = msgspec.structs.replace(second, id="d", blamed=("keras-jax",))
    assert sorted(map(len, ids(first, other, second, elsewhere))) == [1, 1, 2]


def test_two_names_of_one_platform_are_one_cause() -> None:
    first = finding("a", "ValueError: no", kind="error")
    platforms = {"mine": Platform("keras", "torch"), "keras-torch": Platform("keras", "jax")}
    mine = finding("b", "ValueError: no", kind="error", blamed=("mine",), platforms=platforms)
    other = msgspec.structs.replace(mine, id="c", blamed=("keras-torch",))
    assert sorted(map(len, ids(first, mine, other))) == [1, 2]


def test_categories_are_never_mixed() -> None:
    names = ("keras.layers.AveragePooling1D", "keras.layers.AveragePooling3D")
    first, second = (finding(op, op=op) for op in names)
    rounding = msgspec.structs.replace(second, id="r", category="rounding")
    assert ids(first, rounding, second)[1] == ["r"]


def test_the_worst_comes_first_and_stands_for_all() -> None:
    cause = made(PLACE, "numbers", "forward", ("torch",))
    nan = finding("a", kind="nan", cause=cause)
    nan = with_value(nan, float("nan"))
    wrong = finding("b", op="keras.ops.add", cause=cause)
    error = finding("c", kind="error")
    groups = grouped([error, nan, wrong])
    assert [group.first.id for group in groups] == [wrong.id, error.id]
    assert groups[0].affects == (nan.op,)
    assert groups[0].count == nan.count + wrong.count


def with_value(found: Finding, value: float) -> Finding:
    told = (Observation("keras-torch", "torch", "", value),)
    evidence = msgspec.structs.replace(found.evidence, observations=told)
    return msgspec.structs.replace(found, evidence=evidence)


def test_severities() -> None:
    assert severity(finding("a")) == "wrong numbers"
    assert severity(finding("a", stage="gradient")) == "wrong gradient"
    assert severity(with_value(finding("a", kind="nan"), float("nan"))) == "NaN"
    assert severity(with_value(finding("a", kind="nan"), 1.0)) == "wrong numbers"
    assert severity(finding("a", kind="crash")) == "crash"
    assert severity(finding("a", kind="error")) == "error"
    assert severity(finding("a", kind="validation")) == "accepts nonsense"
    assert severity(finding("a", case=case_of(np.zeros((0, 2))))) == "empty tensor"


@pytest.mark.parametrize(
    ("dtype", "numbers", "ends"),
    [
        ("float32", [1e18, 0.0], False),
        ("float32", [4096.0, np.inf], False),
        ("float32", [np.nan, 1e-18], False),
        ("float32", [2e19, 1.0], True),
        ("float32", [1e-20, 1.0], True),
        ("float16", [300.0, 1.0], True),
        ("float64", [2e19, 1.0], False),
        ("int32", [2_000_000_000, 1], False),
    ],
)
def test_a_formula_of_all_libraries_at_numbers_without_a_square(dtype, numbers, ends) -> None:
    case = case_of(np.array(numbers, dtype))
    shared = finding("a", kind="precision", case=case, targets=("keras-torch", "reference"))
    assert severity(shared) == ("ends of the range" if ends else "wrong numbers")
    alone = msgspec.structs.replace(shared, targets=("keras-torch", "keras-jax"))
    assert severity(alone) == "wrong numbers"
