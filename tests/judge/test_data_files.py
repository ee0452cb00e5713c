"""The files that silence: every entry is sound, and a broken one is named."""

import fnmatch
import re
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.ir import (
    Case,
    Explicit,
    Failure,
    Graph,
    Input,
    Node,
    Platform,
    Trace,
    Verdict,
    named,
)
from assay.judge import ErrorOracle, NumericOracle, Observed
from assay.judge.conventions import (
    Convention,
    conventions,
    read_conventions,
    recognise_convention,
)
from assay.judge.entries import BrokenEntry, Entry
from assay.judge.expected import Refusal, read_refusals, recognise, refusals
from assay.libraries import libraries, meaning
from assay.ops import specs
from assay.ops.values import value_classes
from tests.judge.observations import CHAIN, observed, ok, one_differs, raised, with_op

ENTRIES: list[Refusal | Convention] = [*refusals(), *conventions()]
#: What the entries were written for.
VERSIONS: dict[str, dict[str, str]] = {
    "keras-tensorflow": {"keras": "3.15.1", "tensorflow": "2.21.0"},
    "keras-jax": {"keras": "3.15.1", "jax": "0.10.2"},
    "keras-torch": {"keras": "3.15.1", "torch": "2.13.0+cpu"},
    "reference": {"numpy": "2.4.6"},
}


def platforms(versions: Mapping[str, dict[str, str]] = VERSIONS) -> dict[str, Platform]:
    """What the targets of these names are made of, in these versions."""
    return {
        name: msgspec.structs.replace(named(name), versions=known)
        for name, known in versions.items()
    }


TENSORFLOW = platforms()["keras-tensorflow"]
TORCH = platforms()["keras-torch"]


def test_there_are_entries_with_ids_of_their_own() -> None:
    assert refusals()
    assert conventions()
    assert len({entry.id for entry in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_entry_says_why_and_where(entry: Refusal | Convention) -> None:
    assert len(entry.reason.split()) >= 4
    assert re.fullmatch(r"https://\S+", entry.link)


@pytest.mark.parametrize("entry", refusals(), ids=lambda entry: entry.id)
def test_refusals_are_narrow(entry: Refusal) -> None:
    for text in (
        "",
        "ValueError: ",
        "ValueError: incompatible shapes",
        "RuntimeError: internal",
        "ValueError: axis 3 is out of bounds",
        "NotImplementedError: not supported",
    ):
        assert re.search(entry.message, text) is None
    backends = {
        "keras": {"tensorflow", "jax", "torch", "numpy", "openvino"},
        "keras2": {"tensorflow", "theano", "cntk"},
    }
    assert entry.library in libraries()
    assert set(entry.backend) <= backends.get(entry.library, set())
    assert set(entry.mode) <= {"eager", "graph", "xla", "jit", "compile"}


def gives_ids_out_of_range(op: str) -> bool:
    return any(
        "out_of_range" in value_classes(domain, tensor.dtypes[0])
        for tensor in specs()[op].tensors
        for domain in (tensor.domain, *tensor.alternatives)
    )


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_no_pattern_of_an_entry_is_dead(entry: Refusal | Convention) -> None:
    """A pattern for ops that never get such inputs can only match by mistake."""
    for pattern in entry.op:
        ops = fnmatch.filter(specs(), pattern)
        if entry.inputs == "out_of_range":
            ops = [op for op in ops if gives_ids_out_of_range(op)]
        assert ops, pattern
    means = meaning(entry.example.op)
    assert any(fnmatch.fnmatchcase(means, pattern) for pattern in entry.op)


EXAMPLE = "{ op = 'keras.ops.abs', inputs = [{ values = [1.0, nan] }] }"
#: Values are TOML.
REFUSAL: dict[str, str] = {
    "id": "'one'",
    "library": "'keras'",
    "backend": "['tensorflow']",
    "op": "['keras.*']",
    "message": "'only NHWC'",
    "reason": "'it says so'",
    "link": "'https://example.org'",
    "versions": "{ keras = '>=3.15,<4' }",
    "example": EXAMPLE,
}
CONVENTION: dict[str, str] = {
    "id": "'one'",
    "library": "'keras'",
    "op": "['*']",
    "stage": "'forward'",
    "inputs": "'nan'",
    "reason": "'nobody says'",
    "link": "'https://example.org'",
    "versions": "{ keras = '>=3.15,<4' }",
    "example": EXAMPLE,
}


def toml(table: str, *entries: dict[str, str]) -> str:
    lines = []
    for entry in entries:
        lines += [f"[[{table}]]", *(f"{key} = {value}" for key, value in entry.items())]
    return "\n".join(lines)


def test_sound_entries_are_read() -> None:
    assert [entry.id for entry in read_refusals(toml("refusal", REFUSAL))] == ["one"]
    assert [entry.id for entry in read_conventions(toml("convention", CONVENTION))] == ["one"]
    assert read_refusals("") == ()


def _without(entry: dict[str, str], key: str) -> dict[str, str]:
    return {name: value for name, value in entry.items() if name != key}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[refusal]\n", r"refusals.toml: not TOML: .*line 1"),
        (toml("refusals", REFUSAL), r'unknown "refusals"; expected \[\[refusal\]\]'),
        (toml("refusal", REFUSAL, REFUSAL), 'entry 2: the id "one" is taken'),
        (toml("refusal", _without(REFUSAL, "reason")), r'entry 1 \("one"\): .*`reason`'),
        (toml("refusal", _without(REFUSAL, "versions")), r'entry 1 \("one"\): .*`versions`'),
        (toml("refusal", _without(REFUSAL, "example")), r'entry 1 \("one"\): .*`example`'),
        (toml("refusal", {**REFUSAL, "reason": "' '"}), r'entry 1 \("one"\): reason is empty'),
        (toml("refusal", {**REFUSAL, "link": "''"}), "link is empty"),
        (toml("refusal", _without(REFUSAL, "library")), r'entry 1 \("one"\): .*`library`'),
        (toml("refusal", {**REFUSAL, "library": "''"}), "library is empty"),
        (toml("refusal", {**REFUSAL, "target": "'keras-torch'"}), r"unknown field `target`"),
        (toml("refusal", {**REFUSAL, "id": "''"}), "entry 1: id is empty"),
        (toml("refusal", {**REFUSAL, "colour": "'red'"}), r"unknown field `colour`"),
        (toml("refusal", {**REFUSAL, "message": "'(only'"}), '"one": message is no regular expr'),
        (toml("refusal", {**REFUSAL, "message": "''"}), '"one": an empty message matches every'),
        ("[[refusal]]\nid = 3", "entry 1 .*Expected `str`, got `int`"),
    ],
)
def test_a_broken_refusal_is_named(text: str, message: str) -> None:
    with pytest.raises(BrokenEntry, match=message):
        read_refusals(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": "'nann'"}, r"entry 1 \(\"one\"\): Invalid enum value 'nann' - at `\$.inputs`"),
        ({"stage": "'sideways'"}, r"Invalid enum value 'sideways' - at `\$.stage`"),
    ],
)
def test_a_broken_convention_is_named(change: dict[str, str], message: str) -> None:
    with pytest.raises(BrokenEntry, match=message):
        read_conventions(toml("convention", {**CONVENTION, **change}))


@pytest.mark.parametrize(
    ("versions", "fault"),
    [
        ("{ keras = '3.15' }", 'versions.keras is no range: received "3.15", expected one like'),
        ("{ torch = '>=2.13', keras = 'new' }", 'versions.keras is no range: received "new"'),
        ("{ keras = ' ' }", "versions.keras is empty, which allows every version"),
        ("{}", "versions is empty; name a library"),
    ],
)
def test_a_broken_range_is_told_with_file_entry_and_fault(versions: str, fault: str) -> None:
    with pytest.raises(BrokenEntry) as refusal:
        read_refusals(toml("refusal", {**REFUSAL, "versions": versions}))
    assert str(refusal.value).startswith(f'refusals.toml: entry 1 ("one"): {fault}')
    with pytest.raises(BrokenEntry) as convention:
        read_conventions(toml("convention", {**CONVENTION, "versions": versions}))
    assert str(convention.value).startswith(f'conventions.toml: entry 1 ("one"): {fault}')


@pytest.mark.parametrize(
    ("inputs", "fault"),
    [
        ("[{ dtype = 'int32' }]", "an input has either values or a shape"),
        ("[{ shape = [2], values = [1, 2] }]", "an input has either values or a shape"),
        ("[{ values = [1], dtype = 'int31' }]", "data type 'int31' not understood"),
        ("[{ values = [[1], [2, 3]] }]", "inhomogeneous"),
    ],
)
def test_an_example_that_is_no_case_is_told(inputs: str, fault: str) -> None:
    example = f"{{ op = 'keras.ops.abs', inputs = {inputs} }}"
    with pytest.raises(BrokenEntry, match=rf'entry 1 \("one"\): its example is no case: .*{fault}'):
        read_refusals(toml("refusal", {**REFUSAL, "example": example}))


@pytest.mark.parametrize(
    ("installed", "covered"),
    [
        ({"keras": "3.15.1"}, True),
        ({"keras": "3.15.1", "torch": "1.0"}, True),
        ({"torch": "1.0"}, True),
        ({}, True),
        ({"keras": "3.14.9"}, True),  # what is refused or left open was so before
        ({"keras": "4.0.0"}, False),
        ({"keras": "3.16.0.dev2+g123"}, True),
        ({"keras": "4.0.0rc1"}, False),
        ({"keras": "mine"}, False),
    ],
)
def test_an_entry_covers_the_versions_it_names(installed: dict[str, str], covered: bool) -> None:
    (entry,) = read_refusals(toml("refusal", REFUSAL))
    assert entry.covers(installed) is covered


NHWC = Failure("forward", "a.UnimplementedError", "only supports the NHWC tensor format on the CPU")
CONV = "keras.layers.Conv2D"
#: Words that say what is wrong, and not what is supported: only an entry knows better.
SORTED = (
    "Argument `num_segments` cannot be set when sorted is True when using the tensorflow backend"
)
SEGMENTS = "keras.ops.segment_sum"


def refused(
    platform: Platform | None = TENSORFLOW,
    op: str = CONV,
    failure: Failure = NHWC,
    ids_out_of_range: bool = False,
) -> str:
    found = recognise(platform, op, failure, ids_out_of_range)
    return found.id if found else ""


def test_platform_op_and_message_must_all_match() -> None:
    assert refused() == "tensorflow-cpu-nchw"
    assert refused(msgspec.structs.replace(TENSORFLOW, mode="xla")) == "tensorflow-cpu-nchw"
    assert refused(TORCH) == ""
    assert refused(msgspec.structs.replace(TENSORFLOW, library="tensorflow")) == ""
    assert refused(None) == "", "of an unknown platform nothing is known"
    assert refused(op="torch.conv2d") == ""
    other = msgspec.structs.replace(NHWC, message="out of range")
    assert refused(failure=other) == ""


def test_an_entry_about_a_mode_is_about_no_other() -> None:
    message = "you should only use seeded random ops"
    unseeded = Failure("forward", "builtins.ValueError", message)
    eager = platforms()["keras-jax"]
    compiled = msgspec.structs.replace(eager, mode="jit")
    assert refused(compiled, "keras.random.shuffle", unseeded) == "jax-jit-without-seed"
    assert refused(eager, "keras.random.shuffle", unseeded) == ""


@pytest.mark.parametrize("versions", [{"keras": "4.0"}, {"keras": "3.15.1", "tensorflow": "3.0"}])
def test_a_refusal_is_not_recognised_out_of_its_versions(versions: dict[str, str]) -> None:
    assert refused(msgspec.structs.replace(TENSORFLOW, versions=versions)) == ""


def test_a_refused_id_must_be_out_of_range() -> None:
    failure = Failure("forward", "builtins.IndexError", "index out of range in self")
    embedding: dict[str, Any] = {"op": "keras.layers.Embedding", "failure": failure}
    assert refused(TORCH, **embedding, ids_out_of_range=True) == "id-refused"
    assert refused(TORCH, **embedding) == ""
    crash = Failure("forward", "builtins.RuntimeError", "INTERNAL ASSERT FAILED")
    assert refused(TORCH, embedding["op"], crash, ids_out_of_range=True) == ""


def _with(*values: float, versions: Mapping[str, dict[str, str]] = VERSIONS) -> Observed:
    array = np.array([values], "float32")
    graph = msgspec.structs.replace(CHAIN.graph, inputs=(Input("x", array.shape),))
    case: Case = msgspec.structs.replace(CHAIN, graph=graph, inputs={"x": Explicit(array)})
    seen = observed(ok("reference"), case=case)
    return msgspec.structs.replace(seen, platforms=platforms(versions))


def _verdict(value: object = np.nan, array: str = "output:n2", **changes: str) -> Verdict:
    shape = {"output:n2": [[0.25, value]], "gradient:input:x": [[0.125, value, -1.0]]}
    (verdict,) = NumericOracle().judge(one_differs({array: shape[array]}))
    return msgspec.structs.replace(verdict, **changes)


def recognised(verdict: Verdict, seen: Observed) -> str:
    found = recognise_convention(verdict, seen)
    return found.id if found else ""


NAN, INFINITY = float("nan"), float("inf")


def test_a_convention_needs_its_op_stage_inputs_and_answers() -> None:
    pooling = _verdict(op="keras.layers.MaxPooling2D")
    assert recognised(pooling, _with(-3.0, NAN)) == "max-pooling-nan"
    assert recognised(pooling, _with(-3.0, INFINITY)) == ""
    assert recognised(_verdict(), _with(-3.0, NAN)) == ""
    assert recognised(pooling, _with(1.0, NAN)) == "", "-3 was given, and is no element"
    # The lowest number where others say -inf: no NaN is involved there.
    lowest = _verdict(-INFINITY, op="keras.layers.MaxPooling2D")
    assert recognised(lowest, _with(1.0, NAN)) == ""


@pytest.mark.parametrize(
    "target", ["keras-tensorflow", "keras-jax", "keras-torch"], ids=lambda name: name
)
def test_a_convention_must_hold_for_every_target_that_was_compared(target: str) -> None:
    pooling = _verdict(op="keras.layers.MaxPooling2D")
    for keras, entry in (("4.0.0", ""), ("3.6.0", "max-pooling-nan")):
        versions = {**VERSIONS, target: {**VERSIONS[target], "keras": keras}}
        assert recognised(pooling, _with(-3.0, NAN, versions=versions)) == entry


@pytest.mark.parametrize("special", [NAN, INFINITY, -INFINITY])
def test_a_gradient_is_free_only_at_the_element_that_is_not_finite(special: float) -> None:
    disputed = _verdict(7.0, "gradient:input:x")
    assert disputed.evidence.position == (0, 1)
    assert recognised(disputed, _with(1.0, special, 2.0)) == "gradient-at-non-finite-input"
    assert recognised(disputed, _with(special, 1.0, 2.0)) == ""
    assert recognised(disputed, _with(1.0, 1e38, 2.0)) == ""


def test_out_of_its_versions_a_refusal_is_a_bug() -> None:
    arms = [raised("keras-tensorflow", message=SORTED), *map(ok, ("keras-jax", "keras-torch"))]
    seen = observed(*arms, case=with_op(SEGMENTS))
    for keras, category in (("3.15.1", "unsupported"), ("3.6.0", "unsupported"), ("4.0", "bug")):
        known = platforms({"keras-tensorflow": {"keras": keras}})
        (verdict,) = ErrorOracle().judge(msgspec.structs.replace(seen, platforms=known))
        assert verdict.category == category


def test_what_a_target_is_called_changes_nothing() -> None:
    """``mine`` is TensorFlow, and refuses as TensorFlow does; called so, PyTorch does not."""
    arms = [raised("mine", message=SORTED), *map(ok, ("keras-jax", "keras-torch"))]
    seen = observed(*arms, case=with_op(SEGMENTS))
    for platform, category in ((TENSORFLOW, "unsupported"), (TORCH, "bug")):
        known = {"mine": platform}
        (verdict,) = ErrorOracle().judge(msgspec.structs.replace(seen, platforms=known))
        assert verdict.category == category
    arms = [raised("keras-tensorflow", message=SORTED), *arms[1:]]
    seen = observed(*arms, case=with_op(SEGMENTS))
    known = {"keras-tensorflow": TORCH}
    (verdict,) = ErrorOracle().judge(msgspec.structs.replace(seen, platforms=known))
    assert verdict.category == "bug"


@pytest.mark.parametrize("entry", [*refusals(), *conventions()], ids=lambda entry: entry.id)
def test_every_entry_that_silences_names_who_could_define_it(entry: Entry) -> None:
    if entry.library in {"keras", "keras2", "tensorflow", "torch", "jax", "onnx", "openvino"}:
        assert len(entry.definition.split()) >= 5


SHRINK = "keras.activations.hard_shrink"


def _shrunk(given: float, op: str = SHRINK, **params: object) -> tuple[Verdict, Observed]:
    """One target gives this for NaN, where others propagate it."""
    x = np.array([[0.5, np.nan]], "float32")
    graph = Graph((Input("x", x.shape),), (Node("n", op, ("x",), params),), ("n",))
    case = Case(graph, {"x": Explicit(x)})
    right, wrong = np.array([[0.0, np.nan]]), np.array([[0.0, given]])
    arrays = dict.fromkeys(VERSIONS, right) | {"keras-jax": wrong.astype("float32")}
    traces = [Trace(name, "ok", {"output:n": array}) for name, array in arrays.items()]
    seen = msgspec.structs.replace(observed(*traces, case=case), platforms=platforms())
    (verdict,) = NumericOracle().judge(seen)
    return verdict, seen


def test_an_entry_may_name_a_parameter_the_place_and_the_numbers() -> None:
    assert recognised(*_shrunk(0.0)) == "shrunk-nan"
    assert recognised(*_shrunk(0.5)) == "", "neither 0 nor NaN"
    layer = "keras.layers.Activation"
    assert recognised(*_shrunk(0.0, layer, activation="hard_shrink")) == "shrunk-nan-in-a-layer"
    assert recognised(*_shrunk(0.0, layer, activation="tanh")) == ""
    verdict, seen = _shrunk(0.0)
    evidence = msgspec.structs.replace(verdict.evidence, position=(0, 0))
    elsewhere = msgspec.structs.replace(verdict, evidence=evidence)
    assert recognised(elsewhere, seen) == "", "no NaN went in there"


@pytest.mark.parametrize("op", ["fold", "unfold", "image.extract_patches"])
def test_what_moves_numbers_makes_no_products(op: str) -> None:
    verdict = _verdict(NAN, op=f"keras.ops.{op}")
    assert recognised(verdict, _with(-3.0, INFINITY)) == ""
    product = msgspec.structs.replace(verdict, op="keras.ops.conv")
    assert recognised(product, _with(-3.0, INFINITY)) == "products-with-infinity"
