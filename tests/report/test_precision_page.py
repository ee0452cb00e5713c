"""Pictures of measured precision: where points are, what stands in files, and what is refused."""

import json
import math
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.campaign.precision.curves import Curve
from assay.cli.main import run
from assay.errors import AssayError
from assay.ir.precision import PrecisionResult
from assay.report.precision_charts import curves, names, together
from assay.report.precision_page import precision_page, require_paths, write_page, write_plot
from tests.report.test_precision import measurement

QUANTILES = (0.0, 1e-8, 2e-8, 5e-8, 9e-8, 1e-7)
CURVE = ((-3.0, 0.5), (-1e-30, 0.2), (0.0, 0.1), (1.0, 64.0), (2.0, math.inf))


def measured(label: str = "keras.ops.exp") -> PrecisionResult:
    """Two operators on two targets."""
    results = tuple(
        measurement(
            label=name,
            target=target,
            excess_ulp=ulp,
            excess_at=None,
            curve=CURVE,
            quantiles=QUANTILES,
        )
        for name, ulp in (("keras.ops.tanh", 1000.0), (label, 1.0))
        for target in ("torch", "jax")
    )
    return PrecisionResult(results, (), 0, 1.0, {"torch": {"torch": "2.13"}}, "c", "s")


def points(drawing: str) -> list[list[tuple[float, float]]]:
    paths = re.findall(r'class="points" style="stroke:#\w+" d="([^"]*)"', drawing)
    return [
        [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", path)]
        for path in paths
    ]


def test_points_are_in_the_order_of_numbers_and_errors() -> None:
    drawing = curves(measured().results)["keras.ops.tanh"]
    first, second = points(drawing)
    assert first == second
    across, up = zip(*first, strict=True)
    assert list(across) == sorted(across)
    assert across[2] == pytest.approx((across[0] + across[1] + 2 * across[2]) / 4, abs=150)
    # Larger errors are higher up; what is smaller than is drawn is on the ground.
    assert up[4] < up[3] < up[0] < up[1]
    assert up[2] == max(up)
    ElementTree.fromstring(drawing)


def test_rows_are_named_by_what_tells_them_apart() -> None:
    assert names(measured().results[:2]) == ["torch", "jax"]
    several = [measurement(dtype="float16"), measurement(strategy="linf")]
    assert names(several) == ["tensorflow float16 mixture", "tensorflow float32 linf"]


def test_the_file_is_one_drawing_with_all_operators() -> None:
    root = ElementTree.fromstring(together(curves(measured("a<b>&c").results)))
    inner = root.findall("{http://www.w3.org/2000/svg}svg")
    assert len(inner) == 2
    assert float(inner[1].attrib["y"]) == float(inner[0].attrib["height"])
    assert "a<b>&c" in "".join(root.itertext())


def test_the_page_says_nothing_of_what_it_has_not() -> None:
    bare = PrecisionResult((measurement(),), (), 0, 1.0, {}, "c", "s")
    page = precision_page(bare)
    assert "Error against" not in page
    assert "Distribution" not in page
    assert "3.28" in page
    with pytest.raises(AssayError, match="nothing to draw"):
        write_plot(bare, "unused.svg")


@pytest.mark.parametrize(
    ("report", "plot", "told"),
    [
        ("page.txt", None, "--report writes one page"),
        (None, "plot.png", "--plot writes SVG only"),
        ("missing/page.html", None, "the directory of"),
    ],
)
def test_files_that_cannot_be_are_refused(report: Any, plot: Any, told: str) -> None:
    with pytest.raises(AssayError, match=told):
        require_paths(report, plot)


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="cannot write"):
        write_page(measured(), (), str(tmp_path))


def test_a_curve_keeps_the_largest_error_of_each_range() -> None:
    curve = Curve()
    inputs = {"x0": np.array([[1.0, 5.0], [1.01, 5.0], [-7.0, 0.0]])}
    answer = {
        "elements": 2,
        "places": {"excess": np.array([0, 0, 1])},
        "excess": np.array([2.0, 3.0, 1.0]),
    }
    curve.add(inputs, answer, np.arange(3))
    assert curve.points() == ((0.0, 1.0), (1.01, 3.0))
    curve.add(inputs, {**answer, "elements": 1}, np.arange(3))
    assert [x for x, _ in curve.points()] == [-7.0, 0.0, 1.01, 5.0], "the largest number then"


def test_the_command_writes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, plot = tmp_path / "p.html", tmp_path / "p.svg"
    line = "precision keras.ops.tanh --targets torch --inputs 300 --json --store"
    files = ["--report", str(page), "--plot", str(plot)]
    assert run([*line.split(), str(tmp_path / "s.db"), *files]) == 0
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert len(row["curve"]) > 20
    assert max(error for _, error in row["curve"]) == pytest.approx(row["excess_ulp"])
    assert "keras.ops.tanh" in page.read_text()
    ElementTree.parse(plot)
