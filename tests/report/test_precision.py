"""Tables of measured precision: what a terminal of 80 columns shows."""

import math

from assay.ir.precision import LeftOut, Measurement, PrecisionResult, Worst
from assay.report.console import render
from assay.report.precision import bar, precision_document, precision_text

_AT = Worst(3, 1, 0.25, 0.25000004, 2.5, {"x0": -0.2777769}, 1.75, 0.9)


def measurement(op: str = "keras.ops.sigmoid", **facts: object) -> Measurement:
    known: dict[str, object] = {
        "op": op,
        "label": op,
        "target": "tensorflow",
        "dtype": "float32",
        "mode": "operator",
        "strategy": "mixture",
        "formats": ("float32",),
        "inputs": 5000,
        "max_ulp": 5.379,
        "max_abs": 1e-7,
        "max_rel": 2e-7,
        "at": _AT,
        "condition": 1.75,
        "excess_ulp": 3.28,
        "excess_at": _AT,
        "cpu_seconds": 0.25,
    }
    return Measurement(**{**known, **facts})  # type: ignore[arg-type]


def shown(*results: Measurement, left_out: tuple[LeftOut, ...] = ()) -> str:
    result = PrecisionResult(results, left_out, 0, 1.0, {}, "2026-01-01-001", "assay.db")
    return render(precision_text(result), width=80)


def test_a_table_fits_into_80_columns() -> None:
    text = shown(
        measurement(),
        measurement(target="keras-tensorflow", max_ulp=3.3e7, excess_ulp=3.3e6),
        measurement("torch.nn.functional.softplus", dtype="bfloat16", condition=None),
        measurement("torch.nn.functional.softplus", condition=math.inf, max_ulp=math.inf),
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "5.38" in text
    assert "3.3e+07" in text
    assert "-0.2777769" in text
    assert "∞" in text
    assert "20,000 inputs, 1.0 CPU s, 20,000 inputs a CPU second; seed 0" in text


def test_columns_are_there_when_they_tell_something() -> None:
    assert "strategy" not in shown(measurement(), measurement(target="jax"))
    assert "strategy" in shown(measurement(), measurement(strategy="linf"))


def test_what_is_special_failed_or_left_out_is_told() -> None:
    wrong = Worst(1, 0, math.nan, 2.0, math.nan, {"x0": 1e30})
    text = shown(
        measurement(special=3, special_at=wrong, raised=2, failure="ValueError: no"),
        measurement(dtype="float64", flushed=7),
        left_out=tuple(LeftOut(f"op{n}", "jax", "float64", "jax has no float64") for n in range(3)),
    )
    assert "nan for 2 at 1e+30 (3 such answers)" in text
    assert "ValueError: no (2 inputs)" in text
    assert "7 results below the normal numbers became 0: not measured" in text
    assert "a few ULP may be its own; what is proven is not" in text.replace("\n", " ")
    assert "left out: op0 and 2 more: jax has no float64" in text


def test_a_proven_error_is_shown_and_where_it_differs_told() -> None:
    proven = Worst(3, 1, 0.25, 0.25, 4e6, {"x0": -7.344866}, 4.0, 3.0, proven=0.8)
    text = shown(
        measurement(excess_at=proven, excess_ulp=1e6, truth="balls"),
        measurement(target="jax"),
    )
    (line,) = (line for line in text.splitlines() if " tensorflow " in line and "float32 " in line)
    assert "0.20" in line, "the proven error, of which the input explains three units"
    assert "1.0e+06" not in text
    told = text.replace("\n", " ")
    assert "tensorflow float32: proven 0.80 ULP at -7.344866, 4.0e+06 by the reference" in told
    assert "proven by ball arithmetic: 1 of 2" in told


def test_published_measures_have_a_table_of_their_own() -> None:
    text = shown(measurement(measure="instances", label="conv2d", groups=(1e-3, 2e-3, 3e-3)))
    assert "conv2d" in text
    assert "2.00e-03" in text
    assert max(map(len, text.splitlines())) <= 80


def test_bars_grow_with_errors() -> None:
    lengths = [len(bar(2.0**power)) for power in range(-1, 30)]
    assert lengths == sorted(lengths)
    assert bar(0.5) == ""
    assert bar(math.inf) == "█" * 8


def test_the_document_has_results_and_findings() -> None:
    result = PrecisionResult((measurement(),), (), 0, 1.0, {}, "c", "s")
    document = precision_document(result, ())
    wanted = {"op", "target", "dtype", "mode", "stage", "strategy", "inputs", "max_ulp"}
    wanted |= {"max_abs", "max_rel", "at", "condition", "cpu_seconds"}
    assert wanted <= set(document["results"][0])
    assert document["findings"] == []
