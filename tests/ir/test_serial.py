"""Records survive JSON exactly, and their hashes mean their content."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.ir import (
    Array,
    Case,
    Constant,
    Explicit,
    Finding,
    Node,
    Trace,
    Uniform,
    content_hash,
    from_json,
    from_plain,
    to_json,
    to_plain,
)
from tests.factories import make_case, make_finding
from tests.strategies import DTYPES, RECORDS, arrays, parameters

_slow = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("kind", "strategy"), RECORDS, ids=[getattr(k, "__name__", "Recipe") for k, _ in RECORDS]
)
def test_every_record_survives_json_exactly(kind: type, strategy: st.SearchStrategy[Any]) -> None:
    @_slow
    @given(strategy)
    def holds(record: Any) -> None:
        text = to_json(record)
        again = from_json(text, kind)
        assert to_json(again) == text
        assert content_hash(again) == content_hash(record)
        assert type(again) is type(record)

    holds()


@given(arrays())
def test_arrays_survive_json_bit_by_bit(array: Array) -> None:
    again = from_json(to_json(Explicit(array)), Explicit).array
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert again.tobytes() == array.tobytes()
    again[...] = 0  # it is nobody else's memory


@pytest.mark.parametrize("dtype", [name for name in DTYPES if "float" in name or "complex" in name])
def test_special_values_survive_json(dtype: str) -> None:
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, float(np.finfo(dtype).smallest_subnormal)]
    array = np.array(values, dtype=dtype)
    again = from_json(to_json(Explicit(array)), Explicit).array
    assert again.tobytes() == array.tobytes()
    assert np.signbit(again.real).tolist() == np.signbit(array.real).tolist()


def test_special_floats_survive_json() -> None:
    for value in (float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 0.1 + 0.2):
        again = from_json(to_json(Constant(value)), Constant).value
        assert str(again) == str(value)


def test_a_trace_keeps_its_arrays_apart() -> None:
    trace = Trace("a", "ok", {"output:n1": np.zeros((0, 3)), "loss": np.array(-0.0)})
    again = from_json(to_json(trace), Trace)
    assert again.arrays["output:n1"].shape == (0, 3)
    assert again.arrays["loss"].shape == ()
    assert np.signbit(again.arrays["loss"])


@given(parameters)
def test_a_hash_does_not_depend_on_the_order_of_keys(params: dict[str, Any]) -> None:
    backwards = dict(reversed(params.items()))
    first, second = Node("n", "op", ("x",), params), Node("n", "op", ("x",), backwards)
    assert content_hash(first) == content_hash(second)


def test_a_hash_depends_on_every_part() -> None:
    case = make_case()
    changed = [
        msgspec.structs.replace(case, training=True),
        msgspec.structs.replace(case, stage="loss"),
        msgspec.structs.replace(case, weights=Uniform(seed=1)),
        msgspec.structs.replace(case, loss=None),
        make_case(padding="valid", pool_size=[3, 3]),
        make_case(1),
    ]
    assert len({content_hash(item) for item in (case, *changed)}) == len(changed) + 1


def test_zero_and_negative_zero_hash_apart() -> None:
    assert content_hash(Constant(0.0)) != content_hash(Constant(-0.0))


def test_whole_numbers_hash_as_the_floats_they_stand_for() -> None:
    assert content_hash(Uniform(0, -1, 1)) == content_hash(Uniform(0, -1.0, 1.0))
    assert to_json(Constant(3)) == to_json(Constant(3.0))


def test_tuples_and_lists_are_the_same_parameters() -> None:
    first = Node("n", "op", ("x",), {"axis": (1, (2, 3))}, {"shape": (1,)})
    second = Node("n", "op", ("x",), {"axis": [1, [2, 3]]}, {"shape": [1]})
    assert first == second
    assert content_hash(first) == content_hash(second)


_IN_ANOTHER_PROCESS = """
import sys
from assay.ir import content_hash, from_json, Finding, Case
from tests.factories import make_case, make_finding
print(content_hash(make_case()), content_hash(make_finding()))
print(content_hash(from_json(sys.stdin.read(), Finding)))
"""


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_hashes_are_the_same_in_another_process(hash_seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IN_ANOTHER_PROCESS],
        input=to_json(make_finding()),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    case, finding = content_hash(make_case()), content_hash(make_finding())
    assert done.stdout.split() == [case, finding, finding]


def test_a_hash_is_the_one_it_always_was() -> None:
    """Stores hold these: a change orphans every campaign and baseline."""
    node = Node("n1", "keras.layers.Dense", ("x",), {"units": 3, "rate": 0.5, "limit": np.inf})
    assert content_hash(node) == "86562b39ab5190be6eb69e7656c9569bc21aa487f236c255d58c096f8b069bd5"


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="graph"):
        from_json('{"inputs": {}}', Case)
    with pytest.raises(msgspec.ValidationError, match="kind"):
        from_plain({**to_plain(make_finding()), "kind": "oddity"}, Finding)
    with pytest.raises(NotImplementedError, match="cannot serialise object"):
        to_plain(Node("n", "op", (), {"axis": object()}))
