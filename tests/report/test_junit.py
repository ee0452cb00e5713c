"""A check as a JUnit file: valid XML with numbers that add up, whatever names are in it."""

import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec

from assay.ir.check import Check, Gate, PairResult, Suspect, TargetResult
from assay.report.junit import write_junit

EQUAL = PairResult(("a", "b"), "consistent", None, 0, 0, 0, 0, None, 0, 0, 0, (), 0)
SUSPECT = Suspect("dense", "keras.layers.Dense", 3.0, 0.2, blamed=("b",))
FAILED = Gate("values", "y", "atol 0.1", "|Δ| up to 3; 2 of 9 beyond", 30.0, 1.0, False)
HELD = Gate("agreement", "y", "agreement 99%", "top 1 100%", 1.0, 0.99, True)


def check(*pairs: PairResult, targets: tuple[TargetResult, ...] = (), **values: object) -> Check:
    bad = any(pair.verdict == "inconsistent" for pair in pairs)
    found = Check(
        "m.keras", 9, False, "regression", "", "inconsistent" if bad else "consistent",
        targets or (TargetResult("a"), TargetResult("b")), pairs, cpu_seconds=1.5,
    )  # fmt: skip
    return msgspec.structs.replace(found, **values)


def suite(result: Check, folder: Path) -> ET.Element:
    """The file, read again; what the counts promise is there."""
    write_junit(result, str(folder / "j.xml"))
    root = ET.parse(folder / "j.xml").getroot()
    assert root.tag == "testsuites"
    (found,) = root
    cases = found.findall("testcase")
    names = [case.get("name") for case in cases]
    assert len(set(names)) == len(names), "CI systems tell cases by their names"
    for element in (root, found):
        assert int(element.get("tests", "")) == len(cases)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.get(count, "")) == sum(case.find(tag) is not None for case in cases)
        float(element.get("time", ""))
    for case in cases:
        assert case.get("classname")
        float(case.get("time", ""))
        for inner in case:
            assert inner.get("message")
            assert "\n" not in inner.get("message", "")
    return found


def test_a_pair_is_a_case(tmp_path: Path) -> None:
    bad = msgspec.structs.replace(EQUAL, targets=("a", "c"), verdict="inconsistent")
    (good, failed) = suite(check(EQUAL, msgspec.structs.replace(bad, suspect=SUSPECT)), tmp_path)[
        1:
    ]
    assert (good.get("name"), len(good)) == ("a ↔ b", 0)
    assert failed.get("name") == "a ↔ c"
    (failure,) = failed
    assert (failure.tag, failure.get("type")) == ("failure", "inconsistent")
    assert failure.get("message") == "the targets differ from dense on"
    assert "blamed: b" in (failure.text or "")


def test_a_threshold_of_a_pair_is_a_case(tmp_path: Path) -> None:
    bad = msgspec.structs.replace(EQUAL, verdict="inconsistent", gates=(FAILED, HELD))
    failed, held = suite(check(bad), tmp_path)[1:]
    assert held.get("name") == "a ↔ b: y: agreement 99%"
    assert len(held) == 0
    (failure,) = failed
    assert failure.get("type") == "threshold"
    assert failure.get("message") == "y: atol 0.1, measured |Δ| up to 3; 2 of 9 beyond"


def test_an_inconsistency_that_no_threshold_saw_is_a_case_of_its_own(tmp_path: Path) -> None:
    odd = msgspec.structs.replace(
        EQUAL, verdict="inconsistent", gates=(HELD,), explanation="outputs differ in shape"
    )
    held, failed = suite(check(odd), tmp_path)[1:]
    assert (len(held), failed[0].get("message")) == (0, "outputs differ in shape")


def test_what_could_not_be_compared_is_no_success(tmp_path: Path) -> None:
    nothing = msgspec.structs.replace(EQUAL, verdict="nothing to compare", explanation="all NaN")
    targets = (
        TargetResult("a", itself=0.5, nondeterministic=True),
        TargetResult("b"),
        TargetResult("c", failure="cannot load the model: ValueError"),
        TargetResult("d", failure="the process died: SIGABRT"),
    )
    cases = suite(check(nothing, targets=targets), tmp_path)[1:]
    tags = {case.get("name"): case[0].tag for case in cases}
    assert tags == {
        "a ↔ b": "error",
        "a: the same again": "failure",
        "c: runs the model": "skipped",
        "d: runs the model": "error",
    }


def test_hostile_names_are_text(tmp_path: Path) -> None:
    name = "m]]>\"<&'\x00\x1b[31m\ud800\ufffe\n\t<!--é🙂.keras"
    gate = msgspec.structs.replace(FAILED, output=name, measured=name)
    bad = msgspec.structs.replace(
        EQUAL, targets=(name, "b"), verdict="inconsistent", gates=(gate,), explanation=name
    )
    found = suite(check(bad, model=name), tmp_path)
    case = found.find("testcase")
    assert case is not None
    assert "]]>\"<&'" in case.get("name", "")
    assert "é🙂" in case.get("classname", "")
