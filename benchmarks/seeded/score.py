"""What a hunt made of each fault."""

from collections.abc import Sequence

import msgspec

from assay.ir import Finding
from seeded.draw import Fault
from seeded.targets import name_of


class Ends(msgspec.Struct, frozen=True):
    """The exit codes of a bug's script with the fault and without; None if there was none."""

    faulty: int | None = None
    sound: int | None = None
    reason: str = ""

    def shown(self) -> str:
        """Both codes, or why there is no script."""
        return self.reason or f"{self.faulty}/{self.sound}"


class Score(msgspec.Struct, frozen=True):
    """A fault, the findings that go away when it is taken out, and how their scripts ended."""

    fault: Fault
    findings: tuple[Finding, ...]
    note: str = ""
    ends: tuple[Ends, ...] = ()

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

    @property
    def script_present(self) -> bool:
        """Do the scripts of all its bugs end with 0 where the fault is?"""
        return bool(self.ends) and all(end.faulty == 0 for end in self.ends)

    @property
    def script_absent(self) -> bool:
        """Do they end with 1 in the same library without the fault?"""
        return bool(self.ends) and all(end.sound == 1 for end in self.ends)


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
