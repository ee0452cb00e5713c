"""A check as a JUnit file: what CI systems show."""

import re
import xml.etree.ElementTree as ET

from assay.ir.check import Check, PairResult
from assay.report.safe import plain

#: What XML 1.0 cannot hold, however it is escaped.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(check: Check, path: str) -> None:
    """Write the file: a test case per pair of targets and threshold, or per pair without any.

    A failure is an inconsistency; an error, that nothing could be compared or a target's
    process died; a target that was left out is skipped.
    """
    root = ET.Element("testsuites", name="assay check")
    suite = ET.SubElement(root, "testsuite", name=_text(f"assay check {check.model}"))
    properties = ET.SubElement(suite, "properties")
    for name, value in (
        ("verdict", check.verdict),
        ("instances", str(check.instances)),
        ("thresholds", check.thresholds),
        ("findings", ", ".join(check.findings)),
    ):
        ET.SubElement(properties, "property", name=name, value=_text(value))
    for pair in check.pairs:
        _add_pair(suite, check, pair)
    _add_targets(suite, check)
    counts = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": len(suite.findall("testcase/skipped")),
    }
    for element in (root, suite):
        for name, count in counts.items():
            element.set(name, str(count))
        element.set("time", f"{check.cpu_seconds:.3f}")
    ET.indent(root)
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _add_pair(suite: ET.Element, check: Check, pair: PairResult) -> None:
    between = " ↔ ".join(pair.targets)
    if pair.verdict == "nothing to compare":
        case = _case(suite, check, between)
        _because(case, "error", pair.verdict, pair.explanation, _numbers(pair))
        return
    for gate in pair.gates:
        case = _case(suite, check, f"{between}: {gate.threshold}")
        if not gate.passed:
            _because(case, "failure", "threshold", str(gate), _numbers(pair))
    # Without thresholds, or if it is something else that makes the pair inconsistent.
    other = pair.verdict == "inconsistent" and all(gate.passed for gate in pair.gates)
    if not pair.gates or other:
        case = _case(suite, check, between)
        if pair.verdict == "inconsistent":
            where = f"from {pair.suspect.layer} on" if pair.suspect else "beyond rounding"
            message = pair.explanation or f"the targets differ {where}"
            _because(case, "failure", pair.verdict, message, _numbers(pair))


def _add_targets(suite: ET.Element, check: Check) -> None:
    """Targets that differ from themselves, or have no result."""
    for target in check.targets:
        if target.nondeterministic:
            message = f"differs from itself by {target.itself:.3g} when it runs again"
            case = _case(suite, check, f"{target.name}: the same again")
            _because(case, "failure", "nondeterministic", message, "")
        if target.failure:
            died = check.verdict == "inconsistent" and not check.pairs
            kind = "error" if died or "died" in target.failure else "skipped"
            case = _case(suite, check, f"{target.name}: runs the model")
            _because(case, kind, "not compared", target.failure, "")


def _case(suite: ET.Element, check: Check, name: str) -> ET.Element:
    return ET.SubElement(
        suite, "testcase", classname=_text(check.model), name=_text(name), time="0"
    )


def _because(case: ET.Element, tag: str, kind: str, message: str, details: str) -> None:
    first = _text(message).replace("\n", " ")
    element = ET.SubElement(case, tag, message=first)
    if tag != "skipped":
        element.set("type", kind)
    element.text = _text(f"{message}\n{details}".strip())


def _numbers(pair: PairResult) -> str:
    suspect = pair.suspect
    lines = [
        f"max |Δ| {pair.max_abs:.3g}, mean {pair.mean_abs:.3g}, relative {pair.max_rel:.3g}",
        f"most inconsistent instance: {pair.worst}",
    ]
    if pair.top1_agreement is not None:
        lines.append(f"top-1 agreement {pair.top1_agreement:.6g}")
    if suspect is not None:
        lines.append(
            f"from layer {suspect.layer} ({suspect.op}) on; blamed: {_names(suspect.blamed)}"
        )
    return "\n".join(lines)


def _names(blamed: tuple[str, ...]) -> str:
    return ", ".join(blamed) or "nobody"


def _text(text: str) -> str:
    return _ILLEGAL.sub("", plain(text))
