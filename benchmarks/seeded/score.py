"""What a hunt made of each fault."""

from collections.abc import Sequence

import msgspec

from assay.ir import Finding
from seeded.draw import Fault
from seeded.targets import name_of


class Score(msgspec.Struct, frozen=True):
    """A fault, and the findings that go away when it is taken out."""

    fault: Fault
    findings: tuple[Finding, ...]
    note: str = ""

    @property
    def bugs(self) -> tuple[Finding, ...]:
        """The findings of the right category."""
        return tuple(finding for finding in self.findings if finding.category == "bug")

    @property
    def detected(self) -> bool:
        """Is there any finding?"""
        return bool(self.findings)

    @property
    def category_right(self) -> bool:
        """Is it called a bug?"""
        return bool(self.bugs)

    @property
    def blamed_right(self) -> bool:
        """Is the faulty target, and no other, blamed wherever it is called a bug?"""
        expected = (name_of(self.fault.target),)
        return self.category_right and all(bug.blamed == expected for bug in self.bugs)

    @property
    def one_finding(self) -> bool:
        """Is it reported as one bug?"""
        return len(self.bugs) == 1


def scores(
    faults: Sequence[Fault], findings: Sequence[Finding], library: frozenset[str]
) -> tuple[list[Score], list[Finding]]:
    """One score per fault, and the bugs reported on ops that nobody made faulty.

    ``library`` are the ids of findings that show without any fault: the library's
    own.
    """
    of_faults = [finding for finding in findings if finding.id not in library]
    by_op = {fault.op: fault for fault in faults}
    found = []
    for fault in faults:
        mine = tuple(finding for finding in of_faults if finding.op == fault.op)
        masked = [
            f"{finding.id} is the library's own"
            for finding in findings
            if finding.id in library and finding.op == fault.op and finding.category == "bug"
        ]
        found.append(Score(fault, mine, "" if mine else "; ".join(masked)))
    false = [f for f in of_faults if f.category == "bug" and f.op not in by_op]
    return found, false
