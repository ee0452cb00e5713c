"""Op calls are Python code; text of libraries is safe."""

import ast
import math
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ir import Node
from assay.report.safe import one_line, plain
from assay.report.text import (
    array_name,
    call,
    call_on_inputs,
    clock,
    graph_code,
    literal,
    node_code,
    what,
)
from tests.report.records import case, crash, error, finding

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text().filter(lambda key: not key.startswith("$")), inner, max_size=3)
    ),
    max_leaves=8,
)


def tupled(value: object) -> object:
    if isinstance(value, list):
        return tuple(tupled(item) for item in value)
    if isinstance(value, dict):
        return {key: tupled(item) for key, item in value.items()}
    return value


@given(VALUES)
def test_a_literal_is_python_that_gives_the_value_with_lists_as_tuples(value: object) -> None:
    code = literal(value)
    assert eval(code, {"float": float, "__builtins__": {}}) == tupled(value)
    assert plain(code) == code


def test_a_literal_of_nan_is_python() -> None:
    assert math.isnan(eval(literal(float("nan")), {"float": float}))


def test_a_call_is_written_as_a_maintainer_would() -> None:
    subject = finding()
    assert (
        call_on_inputs(subject.op, subject.params, subject.case)
        == 'keras.layers.AveragePooling2D(pool_size=3, strides=(2, 1), padding="same")'
        " on float32[1,5,6,1]"
    )


def test_an_op_inside_an_op_is_a_call() -> None:
    params = {"layer": {"$op": "keras.layers.Dense", "params": {"units": 3}}, "axis": [1]}
    assert call("keras.layers.Wrapper", params) == (
        "keras.layers.Wrapper(layer=keras.layers.Dense(units=3), axis=(1,))"
    )


def test_layers_are_called_twice_and_functions_once() -> None:
    layer = Node("n", "keras.layers.Dense", ("x",), {"units": 3}, {"mask": {"$tensor": "m"}})
    function = Node("n", "keras.ops.concatenate", (("x", "y:1"),), {"axis": -1})
    assert node_code(layer) == "keras.layers.Dense(units=3)(x, mask=m)"
    assert node_code(function) == "keras.ops.concatenate([x, y:1], axis=-1)"
    assert ast.parse(node_code(layer))


def test_a_graph_is_listed_inputs_first() -> None:
    assert graph_code(case(Node("n1", "keras.layers.ReLU", ("x",))).graph) == [
        "x  = float32[1,5,6,1]",
        "n1 = keras.layers.ReLU()(x)",
    ]


def test_a_table_line_shows_the_responsible_parameters_only() -> None:
    assert what(finding()) == 'AveragePooling2D(padding="same"): differs by 0.6667'
    assert what(crash()) == ("segment_sum(num_segments=-1, sorted=True): the process dies: SIGSEGV")
    assert what(error()).endswith("RuntimeError: [bold red]shape [3][/bold red]")


def test_what_a_rule_saw_is_told_with_its_name() -> None:
    evidence = msgspec.structs.replace(finding().evidence, message="strided: another result")
    seen = finding(kind="equivalence", rule="strided", evidence=evidence, responsible=())
    assert what(seen).endswith("another result, 0.6667 apart (rule strided)")
    raised = msgspec.structs.replace(evidence, message="out: RuntimeError: no out=")
    seen = finding(kind="equivalence", rule="out", evidence=raised, responsible=())
    assert what(seen).endswith("RuntimeError: no out= (rule out)")


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("output:n1", "output of n1"),
        ("output:n1:2", "output of n1:2"),
        ("loss", "loss"),
        ("gradient:input:x", "gradient of input x"),
        ("gradient:output:n1", "gradient of output of n1"),
        ("gradient:weight:n1:0", "gradient of weight 0 of n1"),
        ("state:n1:2", "state 2 of n1 after training"),
        ("", ""),
    ],
)
def test_arrays_have_names_in_words(where: str, words: str) -> None:
    assert array_name(where) == words


@given(st.text())
def test_plain_text_has_no_control_characters(text: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", plain(text))


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_keeps_printable_ascii(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    "noise",
    [
        "\x1b[31m",
        "\x1b[2J",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x1b\\",
        "\x1b(B",
        "\x9b1m",
        "\x07",
    ],
)
def test_escape_sequences_vanish_whole(noise: str) -> None:
    assert plain(f"a{noise}b") == "ab"


def test_one_line_is_the_first_that_says_something_and_is_cut() -> None:
    assert one_line("\n\n  first\t line \nsecond") == "first line"
    assert one_line("x" * 200, 10) == "x" * 9 + "…"
    assert one_line("") == ""


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (9.9, "0:09"), (720, "12:00"), (3723, "1:02:03"), (-1, "0:00")],
)
def test_durations_look_like_a_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown
