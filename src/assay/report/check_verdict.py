"""The answer of a check in one line that is not wrapped on a terminal of usual width."""

from assay.ir.check import Check, PairResult
from assay.report.safe import unbroken
from assay.report.text import middle_cut, plural

_LINE = 80
#: Less of the place where a difference begins tells nothing.
_PLACE = 10


def verdict_line(check: Check) -> str:
    """The answer, and who has none: in the fullest words that fit the line.

    Who is left out is said whatever else there is to say: by name, else by number.
    """
    absent = [item.name for item in check.targets if item.failure]
    missing = [", ".join(absent), plural(len(absent), "target")] if absent else []
    ends = [f" Not compared: {unbroken(words)}." for words in missing] or [""]
    for end in ends:
        room = _LINE - len(end)
        answers = [unbroken(words) for words in _answers(check, room)]
        for answer in answers:
            if len(answer) <= room:
                return answer + end
    return middle_cut(answers[-1], room) + end


def _answers(check: Check, room: int) -> list[str]:
    """The answer in words, fullest first; places are cut for a line of ``room`` letters."""
    bad = [pair for pair in check.pairs if pair.verdict == "inconsistent"]
    shaky = check.nondeterministic
    pairs = plural(len(check.pairs), "pair")
    if shaky:
        named = [", ".join(shaky), plural(len(shaky), "target")]
        if bad:
            return [f"NONDETERMINISTIC: {n}; INCONSISTENT: {len(bad)} of {pairs}." for n in named]
        verb = "differs from itself" if len(shaky) == 1 else "differ from themselves"
        answers = [f"NONDETERMINISTIC: {who} {verb}" for who in named]
        return [f"{answer}{end}" for answer in answers for end in (": nothing follows.", ".")]
    if check.verdict == "nothing to compare":
        nothing = "NOTHING TO COMPARE: no finite number in any output"
        return [f"{nothing} of {pairs} of targets.", f"{nothing}."]
    if check.verdict == "consistent":
        return _consistent(check, pairs)
    if not bad:
        return ["INCONSISTENT: a target's process died where others gave an answer."]
    places = list(dict.fromkeys(_place(pair) for pair in bad))
    where = unbroken(places[0])
    if len(places) > 1:
        where = f"{len(check.unique_inconsistencies)} ways"
    line = f"INCONSISTENT: {len(bad)} of {pairs} of targets"
    heads = [f"{line} beyond the thresholds, "] if check.thresholds else []
    heads.append(f"{line}, ")
    return [f"{head}{middle_cut(where, max(_PLACE, room - len(head) - 1))}." for head in heads]


def _consistent(check: Check, pairs: str) -> list[str]:
    bare = f"CONSISTENT: {pairs} of targets"
    line = f"CONSISTENT: {pairs} of files and targets" if check.files else bare
    if check.preset:
        # A published rule does not know what rounding does.
        count = sum(pair.ratio is not None and pair.ratio > 1.0 for pair in check.pairs)
        beyond = [f" {plural(count, 'pair')} beyond rounding.", f" {count:,} beyond rounding."]
        heads = [
            f"{line} by the rule of {check.preset}.",
            f"CONSISTENT by the rule of {check.preset}: {pairs}.",
        ]
        return [f"{head}{more}" for head in heads for more in (beyond if count else [""])]
    if not check.thresholds:
        ends = [", no difference beyond rounding.", ", within rounding.", "."]
        return [f"{words}{end}" for end in ends for words in dict.fromkeys((line, bare))]
    within = f"{line} within the thresholds"
    return [f"{within} ({check.thresholds}).", f"{within}.", f"{bare} within the thresholds."]


def _place(pair: PairResult) -> str:
    if pair.suspect:
        return f"from {pair.suspect.layer}"
    if pair.outside:
        return "outside any layer"
    if pair.category != "rounding":
        return "beyond rounding"
    return "within rounding" if pair.gates else "near ties that rounding decides"
