"""What ``assay check`` prints, as snapshots at 80 and 140 columns."""

import itertools

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from assay.ir.check import (
    Check,
    FileResult,
    ModelVerdict,
    Outside,
    PairResult,
    Special,
    TargetResult,
)
from assay.report.check import check_text, remarks
from assay.report.check_matrix import percent, short
from assay.report.console import render
from assay.report.explanations import words
from tests.report.test_check_page import example

NAMES = (
    "keras-tensorflow",
    "keras-jax",
    "keras-torch",
    "keras-tensorflow+onnxruntime",
    "keras-tensorflow+openvino",
    "keras-tensorflow+litert",
    *(f"mine-{number}" for number in range(1, 8)),
)
WIDTHS = pytest.mark.parametrize("width", [80, 140])


def several(count: int, wrong: str = "keras-torch", **changes: object) -> Check:
    """A check of so many targets, one of which is wrong."""
    base = example()
    bad = msgspec.structs.replace(base.pairs[0], ratio=12.0)
    good = msgspec.structs.replace(
        bad,
        verdict="consistent",
        suspect=None,
        max_abs=5.9e-6,
        top1_agreement=1.0,
        ratio=0.21,
        d_class_max=0.0,
        d_mad_max=0.0,
        explanation="rounding, added up over all layers, explains it",
    )
    pairs = tuple(
        msgspec.structs.replace(bad if wrong in names else good, targets=names)
        for names in itertools.combinations(NAMES[:count], 2)
    )
    unique = msgspec.structs.replace(
        base.unique_inconsistencies[0], pairs=tuple(p.targets for p in pairs if wrong in p.targets)
    )
    whole = msgspec.structs.replace(
        base,
        targets=tuple(TargetResult(name, {"keras": "3.15.1"}, 0.9, 1.0) for name in NAMES[:count]),
        pairs=pairs,
        unique_inconsistencies=(unique,) if unique.pairs else (),
        verdict="inconsistent" if unique.pairs else "consistent",
    )
    return msgspec.structs.replace(whole, **changes)


def with_pairs(check: Check, **changes: object) -> Check:
    pairs = tuple(msgspec.structs.replace(pair, **changes) for pair in check.pairs)
    return msgspec.structs.replace(check, pairs=pairs)


@WIDTHS
@pytest.mark.parametrize("count", [3, 6, 9, 13])
def test_targets_against_each_other(snapshot: SnapshotAssertion, count: int, width: int) -> None:
    shown = render(check_text(several(count), "", "assay check m.keras --report report"), width)
    assert max(map(len, shown.splitlines())) <= width
    assert shown == snapshot


@WIDTHS
def test_two_targets_are_a_line(snapshot: SnapshotAssertion, width: int) -> None:
    assert render(check_text(example()), width) == snapshot


@WIDTHS
def test_a_consistent_check_of_values(snapshot: SnapshotAssertion, width: int) -> None:
    check = several(4, wrong="", task="regression")
    assert render(check_text(with_pairs(check, top1_agreement=None)), width) == snapshot


@WIDTHS
def test_what_differs_from_itself_stands_on_the_diagonal(
    snapshot: SnapshotAssertion, width: int
) -> None:
    check = several(3)
    nothing: ModelVerdict = "nothing to compare"
    shaky = msgspec.structs.replace(check.targets[0], itself=3.2, nondeterministic=True)
    special = msgspec.structs.replace(check.targets[1], special=(Special("y", 0.0004, 0.0),))
    pairs = tuple(
        msgspec.structs.replace(pair, verdict=nothing) if shaky.name in pair.targets else pair
        for pair in check.pairs
    )
    told = msgspec.structs.replace(check, targets=(shaky, special, check.targets[2]), pairs=pairs)
    assert render(check_text(told), width) == snapshot


def test_a_published_rule_is_shown_by_its_own_distances() -> None:
    shown = render(check_text(several(3, preset="cradle")), 80)
    assert "below: D_MAD · above: D_class · ✗ inconsistent · assay explain D_class" in shown


def test_what_a_published_rule_lets_pass_is_not_called_rounding() -> None:
    check = with_pairs(several(3, wrong="", preset="cradle"), ratio=1100.0)
    shown = render(check_text(check), 80)
    assert shown.startswith(
        "CONSISTENT: 3 pairs of targets by the rule of cradle. 3 pairs beyond rounding.\n"
    )


def _outside(pair: PairResult) -> PairResult:
    return msgspec.structs.replace(pair, suspect=None, outside=Outside("what follows the last one"))


@pytest.mark.parametrize(
    "check",
    [
        several(13),
        several(6, wrong=""),
        msgspec.structs.replace(several(6), pairs=tuple(map(_outside, several(6).pairs))),
        with_pairs(example(), suspect=msgspec.structs.replace(
            example().pairs[0].suspect, layer="model/block_13/expand/a_very_long_name/batch_norm"
        )),
        msgspec.structs.replace(several(6), thresholds="atol 0.001, agreement 99.5% and others"),
        msgspec.structs.replace(several(6), targets=tuple(
            msgspec.structs.replace(t, itself=1.0, nondeterministic=True)
            for t in several(6).targets
        )),
        msgspec.structs.replace(several(6), targets=tuple(
            msgspec.structs.replace(t, failure="no such file") if n > 3 else t
            for n, t in enumerate(several(6).targets)
        )),
    ],
    ids=["many", "consistent", "outside", "long name", "thresholds", "nondeterministic", "missing"],
)  # fmt: skip
@pytest.mark.parametrize("width", [80, 10_000])
def test_the_first_line_is_the_verdict_and_fits(check: Check, width: int) -> None:
    first, second, *_ = render(check_text(check), width).splitlines()
    assert len(first) <= 80
    assert first.startswith(("CONSISTENT: ", "INCONSISTENT: ", "NONDETERMINISTIC: "))
    assert not second or "not compared. " in second


def test_the_screen_names_only_what_is_explained() -> None:
    """Whatever ``assay explain`` is recommended for, it knows."""
    known = words()
    for check in (
        several(3),
        several(3, task="regression"),
        several(3, preset="cradle"),
        example(),
    ):
        shown = render(check_text(check), 140)
        (word,) = {line.split("assay explain ")[1].split()[0] for line in shown.splitlines()
                   if "assay explain " in line}  # fmt: skip
        assert any(item.called(word) for item in known)


def test_numbers_are_short_and_never_round_to_all_or_nothing() -> None:
    assert [short(value) for value in (0.0, 5.93e-6, 0.31, 1234.0, float("inf"), None)] == [
        "0", "5.9e-6", "0.31", "1.2e3", "inf", "–"
    ]  # fmt: skip
    assert [percent(share) for share in (0.0, 1e-9, 0.905, 0.99999, 1.0, None)] == [
        "0%", ">0%", "90.5%", "<100%", "100%", "–"
    ]  # fmt: skip


def test_weights_of_8_bits_are_told_of_the_targets_that_round_with_them() -> None:
    found = remarks(example(), TargetResult("litert", coarse=9))
    assert found == [
        "litert: 9 layers have weights of 8 bits; what they read is rounded to 8 bits, too, "
        "by every implementation in its own way."
    ]
    assert remarks(example(), TargetResult("openvino")) == []


def _without(check: Check, *names: str) -> Check:
    """The same check, in which these targets could not run the model."""
    absent = tuple(TargetResult(name, failure="no such op") for name in names)
    return msgspec.structs.replace(check, targets=(*check.targets, *absent))


def _first_line(check: Check) -> str:
    return render(check_text(check), 80).splitlines()[0]


@pytest.mark.parametrize("absent", ["openvino", "onnxruntime+unoptimised"])
def test_a_consistent_verdict_names_the_target_that_was_left_out(absent: str) -> None:
    line = _first_line(_without(several(3, wrong=""), absent))
    assert line.startswith("CONSISTENT: 3 pairs of targets")
    assert line.endswith(f" Not compared: {absent}.")
    assert len(line) <= 80


@pytest.mark.parametrize(
    "check",
    [
        several(13),
        several(13, wrong=""),
        several(13, preset="cradle", wrong=""),
        several(6, thresholds="atol 0.001, agreement 99.5% and others"),
        several(6, wrong="", thresholds="atol 0.001, agreement 99.5% and others"),
        several(13, wrong="", verdict="nothing to compare"),
    ],
)
def test_however_many_are_left_out_the_verdict_says_so_and_fits(check: Check) -> None:
    absent = [f"a-target-of-mine+{number}" for number in range(12)]
    line = _first_line(_without(check, *absent))
    assert line.endswith(" Not compared: 12 targets.")
    assert len(line) <= 80


def test_where_a_difference_begins_is_said_beside_who_was_left_out() -> None:
    line = _first_line(_without(several(3), "openvino"))
    assert ", from " in line
    assert line.endswith(" Not compared: openvino.")


def test_the_verdict_of_a_published_rule_on_files_fits() -> None:
    files = (FileResult("a.onnx", "onnx", ("a",)), FileResult("b.onnx", "onnx", ("b",)))
    check = with_pairs(several(2, wrong="", preset="cradle", files=files), ratio=8400.0)
    assert _first_line(check) == (
        "CONSISTENT by the rule of cradle: 1 pair. 1 pair beyond rounding."
    )


def test_a_layer_with_newlines_in_its_name_leaves_the_verdict_in_one_line() -> None:
    suspect = msgspec.structs.replace(example().pairs[0].suspect, layer="\x1b[31mevil\r\nnewline")
    line, second, *_ = render(check_text(with_pairs(several(3), suspect=suspect)), 80).splitlines()
    assert line.endswith("from evil newline.")
    assert not second


def test_one_weight_is_not_called_weights() -> None:
    assert "1 weight ·" in render(check_text(msgspec.structs.replace(example(), weights=1)), 80)


def test_outputs_that_were_left_out_are_said() -> None:
    shown = render(check_text(several(3, left_out=("label (string)",))), 80)
    assert "\noutputs that are no numbers, not compared: label (string)\n" in shown


def test_relative_distances_are_not_shown_of_what_is_consistent() -> None:
    """Of two targets that are off by rounding, D_MAD may be 1: only one of them is off at all."""
    check = with_pairs(several(2, wrong=""), d_mad_max=1.0)
    assert "D_MAD" not in render(check_text(check), 80)
    assert "D_MAD 1" in render(check_text(msgspec.structs.replace(check, preset="cradle")), 80)
