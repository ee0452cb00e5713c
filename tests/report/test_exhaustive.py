"""What came of trying every number: the table, the lines below it, and progress."""

import io
import math

import pytest

from assay.campaign.events import Notice, Progressed
from assay.ir.precision import Measurement, PrecisionResult, Special, Whole
from assay.report.console import render
from assay.report.exhaustive import percent, short
from assay.report.precision import precision_document, precision_text
from assay.report.sweep_progress import sweep_progress

NUMBERS = 4_278_190_083


def measurement(op: str = "keras.ops.tanh", **facts: object) -> Measurement:
    whole: dict[str, object] = {
        "of": "numbers",
        "total": 2**32,
        "measured": NUMBERS,
        "within_half": NUMBERS - 7_000_000,
        "within_one": NUMBERS - 1,
        "within_two": NUMBERS,
        "lost": 0,
        "lost_at": None,
        "defined": 0,
        "defined_at": None,
        "turns": 0,
        "turn_at": None,
        "at_hex": ("-0x1.2345680000000p-126",),
    }
    whole |= {name: facts.pop(name) for name in list(facts) if name in whole}
    known: dict[str, object] = {
        "op": op,
        "label": op,
        "target": "torch",
        "dtype": "float32",
        "mode": "operator",
        "strategy": "exhaustive",
        "formats": ("float32",),
        "inputs": NUMBERS,
        "max_ulp": 1.526,
        "max_abs": 1e-7,
        "max_rel": 2e-7,
        "at": None,
        "condition": 1.75,
        "cpu_seconds": 41.26,
        "truth": "balls",
        "whole": Whole(**whole),  # type: ignore[arg-type]
    }
    return Measurement(**{**known, **facts})  # type: ignore[arg-type]


def shown(*results: Measurement) -> str:
    result = PrecisionResult(results, (), 0, 1.0, {}, "2026-01-01-001", "assay.db")
    return render(precision_text(result), width=80)


def test_a_table_fits_into_80_columns() -> None:
    text = shown(
        measurement(),
        measurement(target="keras-tensorflow", dtype="bfloat16", max_ulp=math.inf),
        measurement("torch.nn.functional.softplus", max_ulp=2.7e39, cpu_seconds=3723.0),
        measurement(
            "keras.ops.logaddexp",
            target="keras-tensorflow",
            dtype="bfloat16",
            at_hex=("-0x1.ap+8", "-0x1.4p+15"),
            max_ulp=2046.4,
        ),
    )
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1] == "keras.ops.tanh"
    assert lines[2].split() == [
        *("torch", "float32", "1.53", "-0x1.234568p-126"),
        *("99.8", "99.99", "100", "41.3", "s"),
    ]
    assert "∞" in lines[3]
    assert "2.7e+39" in text
    assert "1:02:03" in text
    assert "proven by ball arithmetic: 4 of 4" in text


def test_what_is_lost_made_up_or_not_monotone_is_told_with_its_first_place() -> None:
    text = shown(
        measurement(lost=3, lost_at=Special((0.75,), math.nan, 2.5)),
        measurement(defined=1, defined_at=Special((-2.0, 0.5), 0.0, math.nan), target="jax"),
        measurement(turns=12, turn_at=-0.375, unknown=5, flushed=2),
    )
    told = " ".join(text.split())
    assert "keras.ops.tanh torch float32: nan for 2.5 at 0x1.8p-1 (3 such answers)" in told
    assert "keras.ops.tanh jax float32: 0 for nan at -0x1p+1, 0x1p-1 (1 such answers)" in told
    assert "keras.ops.tanh torch float32: not monotone behind -0x1.8p-2 (12 places)" in told
    assert "5 inputs of which the reference makes no claim: not measured" in told
    assert "2 results below the normal numbers became 0: not measured" in told


def test_the_document_has_the_whole() -> None:
    (item,) = precision_document(
        PrecisionResult((measurement(turns=1, turn_at=0.5),), (), 0, 1.0, {}, "c", "s"), ()
    )["results"]
    assert {"op", "target", "dtype", "mode", "stage", "strategy", "inputs", "max_ulp"} <= set(item)
    assert item["strategy"] == "exhaustive"
    assert item["whole"]["total"] == 2**32
    assert item["whole"]["turn_at"] == 0.5


@pytest.mark.parametrize(
    ("part", "total", "told"),
    [
        (5, 5, "100"),
        (NUMBERS - 1, NUMBERS, "99.99"),
        (0, 5, "0.00"),
        (1, NUMBERS, ">0"),
        (1, 3, "33.3"),
        (0, 0, "–"),
    ],
)
def test_only_all_are_100_percent(part: int, total: int, told: str) -> None:
    assert percent(part, total) == told


def test_numbers_are_told_in_hexadecimal_exactly() -> None:
    for number in (0.1, -3.0, 2.0**-149, 0.0, 1.5, 65504.0):
        assert float.fromhex(short(number.hex())) == number
    assert short((1.5).hex()) == "0x1.8p+0"
    assert short(math.inf.hex()) == "inf"


def test_progress_in_a_pipe_says_how_far_it_is_and_what_is_left() -> None:
    clock = iter([0.0, 0.0, *[10.0] * 50])
    stream = io.StringIO()
    with sweep_progress(stream, interval=0.01, now=lambda: next(clock)) as handle:
        handle(Progressed("inputs", 100, 1000))
        handle(Notice("3 ops are left out"))
        handle(Progressed("inputs", 400, 1000))
        while "left" not in stream.getvalue().replace("left out", ""):
            pass
    assert "3 ops are left out\n" in stream.getvalue()
    assert "400 of 1,000 (40.0%)" in stream.getvalue()


def test_progress_on_a_terminal_is_a_bar() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with sweep_progress(stream) as handle:
        handle(Progressed("inputs", 250, 1000))
    assert "inputs" in stream.getvalue()
    assert "━" in stream.getvalue()


def test_quiet_progress_says_nothing() -> None:
    stream = io.StringIO()
    with sweep_progress(stream, quiet=True) as handle:
        handle(Progressed("inputs", 250, 1000))
    assert stream.getvalue() == ""
