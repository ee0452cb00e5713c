"""``assay show --why``: the rule and its numbers in words."""

from typing import get_args

import msgspec

from assay.ir import Admissible, Evidence
from assay.judge.judgement import Rule
from assay.report.why import RULES, reasons
from tests.report.records import finding


def test_every_rule_is_said_in_words() -> None:
    assert set(RULES) == set(get_args(Rule))


def told(evidence: Evidence) -> dict[str, str]:
    return dict(reasons(msgspec.structs.replace(finding(), evidence=evidence)))


def test_a_measured_set_is_told_number_by_number() -> None:
    measured = Admissible(
        source="reference",
        family="contraction",
        answer=1.5,
        centre=1.0,
        lower=0.75,
        upper=1.25,
        ball=0.05,
        terms=9,
        growth=5.5,
        units=16.0,
        unit=1e-7,
        nudged=(1.0, 1.01),
    )
    rows = told(Evidence((), "0.5 off", rule="outside", admissible=measured))
    assert rows["rule"].startswith("outside: outside of what rounding allows")
    assert rows["admissible"] == "0.75 to 1.25"
    assert "5.5 for 9 terms" in rows[""]
    assert rows["nudged"] == "1, 1.01"


def test_records_of_before_have_a_reason_only() -> None:
    assert told(Evidence((), "they agree")) == {
        "reason": "they agree",
        "rule": "not recorded by that version",
    }
