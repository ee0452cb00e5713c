"""The answer of a check in one line that is not wrapped on a terminal of usual width."""

from collections.abc import Sequence

from assay.ir.check import Check, PairResult
from assay.report.safe import plain
from assay.report.text import middle_cut, plural

_LINE = 80
#: The letters of the names of targets that a line has room for.
_TARGETS = 36


def verdict_line(check: Check) -> str:
    """The answer, and who has none: by name or number, as far as that fits the line."""
    absent = [plain(item.name) for item in check.targets if item.failure]
    line = plain(_answer(check))
    for missing in (", ".join(absent), plural(len(absent), "target")) if absent else ():
        whole = f"{line} Not compared: {missing}."
        if len(whole) <= _LINE:
            return whole
    return line


def _answer(check: Check) -> str:
    bad = [pair for pair in check.pairs if pair.verdict == "inconsistent"]
    shaky = check.nondeterministic
    pairs = plural(len(check.pairs), "pair")
    if shaky and bad:
        return f"NONDETERMINISTIC: {_named(shaky)}; INCONSISTENT: {len(bad)} of {pairs}."
    if shaky:
        verb = "differs from itself" if len(shaky) == 1 else "differ from themselves"
        return f"NONDETERMINISTIC: {_named(shaky)} {verb}: nothing follows."
    if check.verdict == "nothing to compare":
        return f"NOTHING TO COMPARE: no finite number in any output of {pairs} of targets."
    if check.verdict == "consistent":
        line = f"CONSISTENT: {pairs} of {'files and targets' if check.files else 'targets'}"
        if check.preset:
            # A published rule does not know what rounding does.
            count = sum(pair.ratio is not None and pair.ratio > 1.0 for pair in check.pairs)
            more = f" {plural(count, 'pair')} beyond rounding." if count else ""
            return f"{line} by the rule of {check.preset}.{more}"
        if not check.thresholds:
            return f"{line}, no difference beyond rounding."
        within = f"{line} within the thresholds"
        named = f"{within} ({check.thresholds})."
        return named if len(named) <= _LINE else f"{within}."
    if not bad:
        return "INCONSISTENT: a target's process died where others gave an answer."
    places = list(dict.fromkeys(_place(pair) for pair in bad))
    where = places[0] if len(places) == 1 else f"{len(check.unique_inconsistencies)} ways"
    beyond = " beyond the thresholds" if check.thresholds else ""
    line = f"INCONSISTENT: {len(bad)} of {pairs} of targets{beyond}, "
    return f"{line}{middle_cut(where, _LINE - len(line) - 1)}."


def _named(targets: Sequence[str]) -> str:
    names = ", ".join(targets)
    return names if len(names) <= _TARGETS else plural(len(targets), "target")


def _place(pair: PairResult) -> str:
    if pair.suspect:
        return f"from {pair.suspect.layer}"
    if pair.outside:
        return "outside any layer"
    if pair.category != "rounding":
        return "beyond rounding"
    return "within rounding" if pair.gates else "near ties that rounding decides"
