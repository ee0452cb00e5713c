"""What a check says of thresholds: one line each, by the pair that is nearest or beyond."""

import msgspec

from assay.ir.check import Check, Gate, PairResult, TargetResult
from assay.report.check import check_text, threshold_lines
from assay.report.console import render

EQUAL = PairResult(("a", "b"), "consistent", None, 0, 0, 0, 0, None, 0, 0, 0, (), 0)


def pair(second: str, ratio: float, share: float) -> PairResult:
    values = Gate("values", "y", "atol 0.1", f"ratio {ratio}", ratio, 1.0, ratio <= 1)
    agreement = Gate("agreement", "y", "agreement 90%", f"{share}", share, 0.9, share >= 0.9)
    bad = ratio > 1 or share < 0.9
    return msgspec.structs.replace(
        EQUAL,
        targets=("a", second),
        verdict="inconsistent" if bad else "consistent",
        gates=(values, agreement),
    )


def check(*pairs: PairResult) -> Check:
    bad = any(item.verdict == "inconsistent" for item in pairs)
    return Check(
        "m.onnx", 9, False, "regression", "", "inconsistent" if bad else "consistent",
        (TargetResult("a"), TargetResult("b"), TargetResult("c")), pairs,
        data_notes=("x: scaled by 1/255",), thresholds="atol 0.1, agreement 90%",
    )  # fmt: skip


def test_a_threshold_that_holds_is_told_by_the_pair_nearest_to_it() -> None:
    lines = [line for line, _ in threshold_lines(check(pair("b", 0.5, 0.95), pair("c", 0.7, 1.0)))]
    assert lines == [
        "y: atol 0.1: holds; ratio 0.7 (a ↔ c)",
        "y: agreement 90%: holds; 0.95 (a ↔ b)",
    ]


def test_a_threshold_that_does_not_is_told_by_the_worst_pair() -> None:
    found = threshold_lines(check(pair("b", 3.0, 1.0), pair("c", 2.0, 0.5)))
    assert found == [
        ("y: atol 0.1: BEYOND in 2 pairs; ratio 3.0 (a ↔ b)", "bold red"),
        ("y: agreement 90%: BEYOND in 1 pair; 0.5 (a ↔ c)", "bold red"),
    ]


def test_the_verdict_says_that_thresholds_decided() -> None:
    text = render(check_text(check(pair("b", 0.5, 1.0))), width=100)
    assert text.startswith(
        "CONSISTENT: 1 pair of targets within the thresholds (atol 0.1, agreement 90%)."
    )
    assert "data: x: scaled by 1/255" in text
    text = render(check_text(check(pair("b", 0.5, 1.0), pair("c", 3.0, 1.0))), width=100)
    assert text.startswith("INCONSISTENT: 1 of 2 pairs of targets beyond the thresholds, ")


def test_a_sentence_is_never_cut() -> None:
    strict = msgspec.structs.replace(pair("b", 3.0, 1.0), category="rounding")
    (line, *_) = render(check_text(check(*[strict] * 15)), width=80).splitlines()
    assert line == "INCONSISTENT: 15 of 15 pairs of targets beyond the thresholds, within rounding."
