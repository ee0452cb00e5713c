"""Who shows a finding, who does not, and what the right answer is."""

import msgspec
import numpy as np

from assay.gaps import SAME_SIDE, gap
from assay.ir import NO_ANSWER, Array, Finding, believed
from assay.reproduce.program import CannotReproduce

REFERENCE = "reference"
#: Whoever says a result that is proven.
BALLS = "ball arithmetic"
#: What a failed arm is said to show, if it did not fail.
WORKS = "works"


class Sides(msgspec.Struct, frozen=True):
    """Targets by what they show: those with the fault first."""

    faulty: tuple[str, ...]
    sound: tuple[str, ...]


def sides_of(finding: Finding, arrays: dict[str, Array]) -> Sides:
    """The targets that show the finding and those that do not, the reference in neither.

    Where other numbers blame nobody, the fewest that agree with each other stand
    against the most: a script can only show that they disagree.
    """
    libraries = [target for target in finding.targets if target != REFERENCE]
    if finding.blamed:
        faulty = [target for target in libraries if target in finding.blamed]
        if finding.kind in ("error", "validation"):
            sound = _failing(finding, finding.kind == "validation")
        else:
            sound = [target for target in libraries if target in believed(finding)]
        return Sides(tuple(faulty), tuple(t for t in sound if t not in faulty))
    if finding.kind in ("error", "validation"):
        accepts = finding.kind == "validation"
        return Sides(tuple(_failing(finding, not accepts)), tuple(_failing(finding, accepts)))
    return _parties(finding, arrays, libraries)


def _parties(finding: Finding, arrays: dict[str, Array], libraries: list[str]) -> Sides:
    where = finding.evidence.where
    parties: list[list[str]] = []
    for target in libraries:
        answer = arrays.get(f"{target}/{where}")
        if answer is None:
            continue
        for party in parties:
            if agree(arrays[f"{party[0]}/{where}"], answer, tolerance(finding)):
                party.append(target)
                break
        else:
            parties.append([target])
    if len(parties) < 2:
        raise CannotReproduce("nobody could be blamed, and the answers that differ are not stored")
    fewest, most = min(parties, key=len), max(reversed(parties), key=len)
    return Sides(tuple(fewest), tuple(most))


def _failing(finding: Finding, failing: bool) -> list[str]:
    """Targets that raised, or those that worked, as observed; some did neither."""
    return [
        item.target
        for item in finding.evidence.observations
        if item.target != REFERENCE
        and not item.summary.startswith(NO_ANSWER)
        and (item.summary != WORKS) == failing
    ]


def tolerance(finding: Finding) -> float:
    """What rounding can explain at the place of the difference; 0 for whole numbers."""
    return finding.evidence.tolerance or 0.0


def agree(first: Array, second: Array, allowed: float) -> bool:
    """The same shape, and nowhere further apart than allowed."""
    found = gap(first, second)
    if found is None or found.special is not None:
        return False
    return bool((found.deviation <= allowed + SAME_SIDE * np.abs(found.second)).all())


class Expected(msgspec.Struct, frozen=True):
    """The right answer, as the sound side gave it, and who says so."""

    array: np.ndarray
    witnesses: tuple[str, ...]


def expected(finding: Finding, arrays: dict[str, Array], sides: Sides) -> Expected:
    """The answer of the reference where a library backs it, else of the sound libraries."""
    where = finding.evidence.where
    holders = [target for target in sides.sound if f"{target}/{where}" in arrays]
    exact = arrays.get(f"{REFERENCE}/{where}")
    wrong = arrays.get(f"{sides.faulty[0]}/{where}")
    if not holders and finding.blamed and exact is not None and wrong is not None:
        # All implementations are blamed: something else speaks for the reference.
        with np.errstate(over="ignore", invalid="ignore"):
            return Expected(exact.astype(wrong.dtype), (REFERENCE,))
    if not holders:
        return _proven(finding, wrong)
    answer = arrays[f"{holders[0]}/{where}"]
    if exact is None:
        return Expected(answer, tuple(holders))
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = exact.astype(answer.dtype)
    if not agree(rounded, answer, tolerance(finding)):
        return Expected(answer, tuple(holders))
    # Beside what it knows of a gradient, the reference has zeros where it claims nothing.
    shown = answer if finding.stage == "gradient" else rounded
    return Expected(shown, (REFERENCE, *holders))


def _proven(finding: Finding, wrong: Array | None) -> Expected:
    """The wrong answer with the exact result at its place, if that is proven."""
    measured = finding.evidence.admissible
    if wrong is None or measured is None or measured.source != BALLS:
        raise CannotReproduce("the right answer was not recorded")
    right = wrong.copy()
    right[measured.position] = measured.centre
    return Expected(right, (BALLS,))
