"""What a campaign remembers between trials, and across a resume."""

from collections.abc import Container, Mapping
from typing import Any

import msgspec

from assay.campaign.hunt.deaths import Died
from assay.ir import Finding, Verdict
from assay.judge.identity import identity_of

#: How often a disagreement that is no bug is explained anew: a bug may hide behind it.
EXPLANATIONS = 5


def key_of(verdict: Verdict, entry: str = "") -> str:
    """Verdicts with one key are taken for the same disagreement without explaining each.

    What an entry recognises has a key of its own: something else may be behind the rest.
    """
    mine = identity_of(verdict)
    place = (mine.kind, mine.stage, mine.op)
    return "|".join((*place, *mine.blamed, mine.message, entry, *mine.parameters))


class Known(msgspec.Struct):
    """What explaining verdicts with one key led to: the finding, and how often it was done."""

    fingerprint: str
    category: str
    explanations: int = 1


class State(msgspec.Struct):
    """Counts of a campaign. Saved with every trial as plain data."""

    valid: int = 0
    valid_intended: int = 0
    #: Trials with at least one boundary or special class.
    at_an_edge: int = 0
    suppressed: dict[str, int] = {}
    known: dict[str, Known] = {}
    #: What targets died of lately, and how many trials were judged without them for it.
    deaths: list[Died] = []
    skipped: dict[str, int] = {}
    #: Triples compared so far, one bit each in the order of the sorted universe.
    covered: int = 0
    #: Faults of our own: trials, findings and scripts that were left out for one.
    harness_errors: int = 0
    #: Searches that were made, individuals that they evaluated, and those that showed a bug.
    searches: int = 0
    evaluations: int = 0
    searched_out: int = 0
    cpu_generate: float = 0.0
    cpu_execute: float = 0.0
    cpu_judge: float = 0.0
    cpu_explain: float = 0.0
    cpu_total: float = 0.0

    def needs_explaining(self, key: str) -> bool:
        """Is this disagreement new, or perhaps more than what it was taken for?"""
        known = self.known.get(key)
        return known is None or (known.category != "bug" and known.explanations < EXPLANATIONS)

    def learn(self, key: str, finding: Finding) -> None:
        """Remember what an explanation led to. A bug is never forgotten for something less."""
        known = self.known.get(key)
        if known is None:
            self.known[key] = Known(finding.fingerprint, finding.category)
            return
        known.explanations += 1
        if known.category != "bug":
            known.fingerprint, known.category = finding.fingerprint, finding.category

    def forget_all_but(self, fingerprints: Container[str]) -> None:
        """Explain anew what led to any other finding."""
        self.known = {k: item for k, item in self.known.items() if item.fingerprint in fingerprints}

    def suppress(self, entry: str) -> None:
        """Count what a data file silenced."""
        self.suppressed[entry] = self.suppressed.get(entry, 0) + 1


def save(state: State) -> dict[str, Any]:
    """Plain data; the coverage bits as hexadecimal digits."""
    plain: dict[str, Any] = msgspec.to_builtins(state)
    return {**plain, "covered": f"{state.covered:x}"}


def load(plain: Mapping[str, Any]) -> State:
    """The state in plain data."""
    if not plain:
        return State()
    return msgspec.convert({**plain, "covered": int(str(plain["covered"]), 16)}, State)
