"""The files that silence: every entry is sound, and a broken one is named."""

import re

import msgspec
import numpy as np
import pytest

from assay.ir import Case, Explicit, Failure, Input, Verdict
from assay.judge import NumericOracle
from assay.judge._entries import BrokenEntry
from assay.judge.conventions import conventions, read_conventions, recognise_convention
from assay.judge.expected import read_refusals, recognise, refusals
from tests.judge.observations import CHAIN, one_differs

ENTRIES = [*refusals(), *conventions()]


def test_there_are_entries_with_ids_of_their_own() -> None:
    assert refusals()
    assert conventions()
    assert len({entry.id for entry in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_entry_says_why_and_where(entry: object) -> None:
    assert len(getattr(entry, "reason", "").split()) >= 4
    assert re.fullmatch(r"https://\S+", getattr(entry, "link", ""))


@pytest.mark.parametrize("entry", refusals(), ids=lambda entry: entry.id)
def test_refusals_are_narrow(entry: object) -> None:
    pattern = getattr(entry, "message", "")
    for text in ("", "ValueError: ", "ValueError: incompatible shapes", "RuntimeError: internal"):
        assert re.search(pattern, text) is None
    assert getattr(entry, "target", "*") != "*"


REFUSAL: dict[str, object] = {
    "id": "one",
    "target": "keras-tensorflow*",
    "op": "keras.*",
    "message": "only NHWC",
    "reason": "it says so",
    "link": "https://example.org",
}
CONVENTION: dict[str, object] = {
    "id": "one",
    "op": ["*"],
    "stage": "forward",
    "inputs": "nan",
    "reason": "nobody says",
    "link": "https://example.org",
}


def toml(table: str, *entries: dict[str, object]) -> str:
    lines = []
    for entry in entries:
        values = [
            f"{key} = {value}" if key == "op" and isinstance(value, list) else f"{key} = '{value}'"
            for key, value in entry.items()
        ]
        lines += [f"[[{table}]]", *values]
    return "\n".join(lines)


def test_sound_entries_are_read() -> None:
    assert [entry.id for entry in read_refusals(toml("refusal", REFUSAL))] == ["one"]
    assert [entry.id for entry in read_conventions(toml("convention", CONVENTION))] == ["one"]
    assert read_refusals("") == ()


def _without(entry: dict[str, object], key: str) -> dict[str, object]:
    return {name: value for name, value in entry.items() if name != key}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[refusal]\n", r"refusals.toml: not TOML: .*line 1"),
        (toml("refusals", REFUSAL), r'unknown "refusals"; expected \[\[refusal\]\]'),
        (toml("refusal", REFUSAL, REFUSAL), 'entry 2: the id "one" is taken'),
        (toml("refusal", _without(REFUSAL, "reason")), r'entry 1 \("one"\): .*`reason`'),
        (toml("refusal", {**REFUSAL, "reason": " "}), r'entry 1 \("one"\): reason is empty'),
        (toml("refusal", {**REFUSAL, "link": ""}), "link is empty"),
        (toml("refusal", {**REFUSAL, "id": ""}), "entry 1: id is empty"),
        (toml("refusal", {**REFUSAL, "colour": "red"}), r"unknown field `colour`"),
        (toml("refusal", {**REFUSAL, "message": "(only"}), '"one": message is no regular expr'),
        (toml("refusal", {**REFUSAL, "message": ""}), '"one": an empty message matches every'),
        ("[[refusal]]\nid = 3", "entry 1 .*Expected `str`, got `int`"),
    ],
)
def test_a_broken_refusal_is_named(text: str, message: str) -> None:
    with pytest.raises(BrokenEntry, match=message):
        read_refusals(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inputs": "nann"}, r"entry 1 \(\"one\"\): Invalid enum value 'nann' - at `\$.inputs`"),
        ({"stage": "sideways"}, r"Invalid enum value 'sideways' - at `\$.stage`"),
    ],
)
def test_a_broken_convention_is_named(change: dict[str, str], message: str) -> None:
    with pytest.raises(BrokenEntry, match=message):
        read_conventions(toml("convention", {**CONVENTION, **change}))


def test_target_op_and_message_must_all_match() -> None:
    failure = Failure("forward", "a.b.UnimplementedError", "op only supports NHWC", "n")
    assert recognise(["keras-tensorflow"], "keras.layers.Conv2D", failure) is not None
    assert recognise(["keras-tensorflow+xla"], "keras.layers.Conv2D", failure) is not None
    assert recognise(["keras-tensorflow", "keras-jax"], "keras.layers.Conv2D", failure) is None
    assert recognise(["keras-torch"], "keras.layers.Conv2D", failure) is None
    assert recognise(["keras-tensorflow"], "torch.conv2d", failure) is None
    other = msgspec.structs.replace(failure, message="out of range")
    assert recognise(["keras-tensorflow"], "keras.layers.Conv2D", other) is None


def _case(*values: float) -> Case:
    array = np.array([values], "float32")
    graph = msgspec.structs.replace(CHAIN.graph, inputs=(Input("x", array.shape),))
    return msgspec.structs.replace(CHAIN, graph=graph, inputs={"x": Explicit(array)})


def _verdict(**changes: str) -> Verdict:
    (verdict,) = NumericOracle().judge(one_differs({"output:n2": [[0.25, 9.0]]}))
    return msgspec.structs.replace(verdict, **changes)


def test_a_convention_needs_its_op_stage_and_inputs() -> None:
    pooling = _verdict(op="keras.layers.MaxPooling2D")
    found = recognise_convention(pooling, _case(1.0, float("nan")))
    assert found is not None
    assert found.id == "max-pooling-nan"
    assert recognise_convention(pooling, _case(1.0, float("inf"))) is None
    assert recognise_convention(_verdict(), _case(1.0, float("nan"))) is None


def test_a_gradient_at_a_non_finite_input_is_a_convention() -> None:
    for special in (float("nan"), float("inf")):
        found = recognise_convention(_verdict(stage="gradient"), _case(1.0, special))
        assert found is not None
        assert found.id == "gradient-at-non-finite-input"
    assert recognise_convention(_verdict(stage="gradient"), _case(1.0, 1e38)) is None
