"""What the table of exports says of an answer of ``assay check --json``."""

from typing import Any

from benchmarks.export_table import Cell, cell_of, summary


def document(verdict: str, ratio: float | None) -> dict[str, Any]:
    pair = dict.fromkeys(("max_abs", "top1_agreement", "suspect", "outside", "explanation"))
    return {
        "verdict": verdict,
        "pairs": [{**pair, "ratio": ratio}],
        "files": [
            {"inputs": "", "outputs": ""},
            {"inputs": "by order: image → x", "outputs": "by name"},
        ],
    }


def test_a_cell_has_verdict_ratio_matching_and_seconds() -> None:
    assert (
        str(cell_of(document("consistent", 0.25), "9 s")) == "consistent · 0.25 · order/name · 9 s"
    )
    assert str(cell_of(document("consistent", None), "9 s")).split(" · ")[1] == "screen"
    wrong = cell_of(document("inconsistent", 12.0), "9 s")
    assert str(wrong).startswith("**inconsistent** · 12 · ")
    assert '"ratio": 12.0' in wrong.message


def test_a_target_that_died_is_told_without_a_pair() -> None:
    dead = document("inconsistent", None) | {
        "pairs": [],
        "details": [{"name": "litert", "failure": "the process died: SIGSEGV"}],
    }
    assert "litert" in cell_of(dead, "9 s").message


def test_below_the_table_stand_messages_counts_and_the_largest_ratio_of_consistent_ones() -> None:
    cells = {
        ("lenet1", "LiteRT"): Cell("consistent", ratio=0.1),
        ("lenet5", "LiteRT"): Cell("consistent", ratio=0.3),
        ("gru", "LiteRT"): Cell("not exported", message="no\nway"),
        ("gru", ".pt2"): Cell("inconsistent", ratio=7.0),
    }
    assert summary(cells).splitlines() == [
        "gru, LiteRT, not exported: no way",
        "4 exports: 2 consistent, 1 not exported, 1 inconsistent",
        "the largest ratio of a consistent one: 0.3 (lenet5, LiteRT)",
    ]
