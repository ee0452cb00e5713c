"""The libraries' own tolerances, as a table."""

from rich.console import Group

from assay.ir.precision import Tolerance
from assay.report.console import render
from assay.report.precision_tolerances import tolerance_parts
from tests.report.test_precision import measurement


def test_a_table_of_who_grants_what_and_a_line_of_who_does_not() -> None:
    none = Tolerance(why="tensorflow ships no tolerances of its tests")
    results = [
        measurement(target="torch", tolerance=Tolerance(1e-5, 1.3e-6, "torch.testing", used=0.25)),
        measurement(target="keras-torch", tolerance=Tolerance(1e-6, 1e-6, "keras", used=5e4)),
        measurement(tolerance=none),
        measurement(tolerance=none, dtype="float16"),
        measurement(),
    ]
    text = render(Group(*tolerance_parts(results)), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "1.0e-05 1.3e-06    25% torch.testing" in text
    assert "50000× keras" in text
    assert text.count("tensorflow ships no tolerances of its tests") == 1
    assert tolerance_parts([measurement()]) == []
