"""Calls drawn from the vocabulary, as hunts draw them: what nobody thought of."""

import math
from typing import Any

import msgspec
import numpy as np

from assay.ir import Case, Graph, Input, Uniform, derive
from assay.judge.balls import NoFormula, NoTruth, Open, Special, enclose_case, formulas
from assay.ops import Draw, Invalid, OpSpec, specs
from assay.ops.instance import Call, instantiate
from assay.ops.shapes import Palette
from assay.ops.values import ordinary
from assay.sources._assemble import domain_of, node_of
from assay_worker.libraries._base import Question, StageFailure
from assay_worker.libraries.reference import ReferenceAdapter

_EACH = 2
_SPECIAL = {
    Special.NAN: math.nan,
    Special.INFINITY: math.inf,
    Special.MINUS_INFINITY: -math.inf,
    Special.BEYOND: math.inf,
    Special.MINUS_BEYOND: -math.inf,
}


def _call(spec: OpSpec, seed: int) -> Call | None:
    for attempt in range(20):
        draw = Draw(derive(seed, attempt))
        shape = tuple(draw.pick((1, 2, 3, 4)) for _ in range(draw.pick(spec.tensors[0].ranks)))
        fit = spec.tensors[0].fit
        try:
            shape = shape if fit is None else fit(draw, shape)
            return instantiate(spec, draw, Palette(derive(seed, "palette")), shape, "float32")
        except Invalid:
            continue
    return None


def _case(call: Call, seed: int) -> Case:
    inputs, recipes = [], {}
    for place, slot in enumerate(call.slots):
        name, dtype = f"x{place}", call.dtypes[place]
        inputs.append(Input(name, call.shapes[place], dtype))
        recipes[name] = ordinary(domain_of(call, slot), dtype, derive(seed, name))
    node = node_of("n0", call, [item.name for item in inputs])
    return Case(Graph(tuple(inputs), (node,), ("n0",)), recipes, weights=Uniform(3, -0.5, 0.5))


def _reference(case: Case) -> list[Any]:
    record: dict[str, Any] = {}
    question = Question(msgspec.to_builtins(case, enc_hook=lambda item: item.tolist()))
    arrays = {
        name: array.astype("float64") if array.dtype.kind == "f" else array
        for name, array in case.input_arrays().items()
    }
    with np.errstate(all="ignore"):
        ReferenceAdapter("", "eager").program(question)(arrays, record)
    return [np.real(record[key]) for key in sorted(record) if key.startswith("output:")]


def _apart(truths: Any, expected: Any) -> bool:
    if truths.shape != np.shape(expected):
        return True
    known = np.array([not isinstance(truth, Open) for truth in truths.flat], dtype=bool)
    numbers = np.array(
        [
            _SPECIAL.get(item, math.nan) if isinstance(item, Special | Open) else float(item)
            for item in truths.flat
        ]
    )
    expected = np.ravel(expected).astype("float64")
    finite = np.abs(numbers[np.isfinite(numbers)])
    with np.errstate(invalid="ignore"):
        near = np.abs(numbers - expected) <= 1e-11 * finite.max(initial=1e-300)
    same = (numbers == expected) | (np.isnan(numbers) & np.isnan(expected)) | near
    return bool((known & ~same).any())


def test_balls_of_drawn_calls_are_near_the_reference() -> None:
    vocabulary, compared, wrong = specs(), set(), []
    for op in formulas():
        for turn in range(_EACH if op in vocabulary else 0):
            seed = derive(17, op, turn)
            call = _call(vocabulary[op], seed)
            if call is None:
                continue
            case = _case(call, seed)
            try:
                results = _reference(case)
                found = enclose_case(case, "float64", bits=4)
            except (StageFailure, NoFormula, NoTruth):
                continue
            compared.add(op)
            if len(found) != len(results) or any(
                _apart(one.elements, other) for one, other in zip(found, results, strict=True)
            ):
                wrong.append((case.graph, found, results))
    assert not wrong
    assert len(compared) > 230
