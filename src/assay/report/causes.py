"""Causes as JSON: what one change in a library would fix, and the findings that show it."""

from collections.abc import Sequence
from typing import Any

from assay.ir import Finding, Group, cause_of, severity, to_plain
from assay.report.findings import by_cause


def causes_json(findings: Sequence[Finding]) -> dict[str, Any]:
    """Every finding with its severity, and the bugs among them by cause, the worst first."""
    bugs = [group for group in by_cause(findings) if group.category == "bug"]
    return {
        "causes": [cause_json(group) for group in bugs],
        "findings": [{**to_plain(item), "severity": severity(item)} for item in findings],
    }


def cause_json(group: Group) -> dict[str, Any]:
    """A cause: where it lies, how bad it is, and which findings show it."""
    first = group.first
    cause = cause_of(first)
    return {
        "id": first.id,
        "cause": cause.id,
        "place": cause.place,
        "severity": severity(first),
        "findings": [item.id for item in group.findings],
        "affects": list(dict.fromkeys([first.op, *group.affects])),
        "count": group.count,
    }
