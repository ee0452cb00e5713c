"""Public issues: an entry names a thread about the same fault, and no other finding gets it."""

import re
from typing import Any

import msgspec
import pytest

from assay.reproduce import issue, script
from assay.reproduce.known import Symptom, entries, known_issues, symptom_of
from tests.reproduce.examples import error, inconsistency, renamed

BACKENDS = ("jax", "numpy", "paddle", "tensorflow", "tensorflow+onednn", "torch")
THREAD = re.compile(
    r"https://github\.com/(keras-team/keras|tensorflow/tensorflow|jax-ml/jax|pytorch/pytorch"
    r"|pytorch/executorch|PaddlePaddle/Paddle)/(issues|pull)/\d+$"
)


def test_every_entry_links_a_thread_and_says_enough_to_be_told_from_others() -> None:
    for item in entries():
        assert THREAD.match(item.url)
        assert item.title
        assert item.ops
        assert set(item.blamed) <= set(BACKENDS)
        assert item.blamed


PAD = {
    "op": "keras.ops.pad",
    "kind": "error",
    "stage": "forward",
    "blamed": frozenset({"tensorflow"}),
    "message": "InvalidArgumentError: The first dimension of paddings must be the rank of inputs",
}
CRASH = {
    "op": "keras.ops.rfft",
    "kind": "crash",
    "stage": "forward",
    "blamed": frozenset({"tensorflow"}),
    "params": {"fft_length": 0},
}
EMPTY = {
    "op": "keras.ops.depthwise_conv",
    "kind": "nondeterminism",
    "stage": "gradient",
    "blamed": frozenset({"tensorflow"}),
    "shapes": ((0, 6, 5), (3, 5, 2)),
}


@pytest.mark.parametrize(
    ("same", "other"),
    [
        (PAD, {"op": "keras.ops.roll"}),
        (PAD, {"blamed": frozenset({"torch"})}),
        (PAD, {"blamed": frozenset({"tensorflow", "torch"})}),
        (PAD, {"message": "InvalidArgumentError: paddings must be non-negative"}),
        (CRASH, {"kind": "error"}),
        (CRASH, {"params": {"fft_length": 1}}),
        (CRASH, {"params": {}}),
        (EMPTY, {"stage": "forward"}),
        (EMPTY, {"shapes": ((1, 6, 5), (3, 5, 2))}),
    ],
)
def test_only_the_same_symptom_is_known(same: dict[str, Any], other: dict[str, Any]) -> None:
    assert len(known_issues(Symptom(**same))) == 1
    assert known_issues(Symptom(**{**same, **other})) == ()


def test_the_issue_text_names_the_thread() -> None:
    finding, arrays = inconsistency()
    (thread,) = known_issues(symptom_of(finding))
    text = issue(finding, arrays, script(finding, arrays))
    assert f"## Similar known issues\n\n- {thread.url} ({thread.title})\n" in text
    unknown, arrays = error()
    unknown = msgspec.structs.replace(unknown, blamed=("keras-torch",))
    assert "known issues" not in issue(unknown, arrays, "pass\n")


def test_a_thread_is_found_whatever_the_target_is_called_but_not_for_another_mode() -> None:
    finding, _ = renamed(*inconsistency(), "keras-tensorflow", "mine")
    assert len(known_issues(symptom_of(finding))) == 1
    graph = msgspec.structs.replace(finding.platforms["mine"], mode="graph")
    compiled = msgspec.structs.replace(finding, platforms={**finding.platforms, "mine": graph})
    assert known_issues(symptom_of(compiled)) == ()
