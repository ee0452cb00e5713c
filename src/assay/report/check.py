"""What ``assay check`` prints: the verdict, a matrix of targets, the suspect, what to do next."""

from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from assay.ir.check import Check, FileResult, PairResult, TargetResult, UniqueInconsistency
from assay.report.check_matrix import STYLES, Matrix, percent, short
from assay.report.check_verdict import verdict_line
from assay.report.safe import one_line, plain, unbroken
from assay.report.text import plural, short_name

#: So many findings are named one by one.
_LISTED = 3


def check_document(check: Check) -> dict[str, Any]:
    """The JSON of ``assay check --json``: targets by name, with details of each beside them."""
    return {
        "model": check.model,
        "instances": check.instances,
        "generated": check.generated,
        "data_notes": list(check.data_notes),
        "left_out": list(check.left_out),
        "task": check.task,
        "preset": check.preset,
        "targets": [item.name for item in check.targets if not item.failure],
        "thresholds": check.thresholds,
        "verdict": check.verdict,
        "nondeterministic": list(check.nondeterministic),
        "pairs": [_pair(pair) for pair in check.pairs],
        "unique_inconsistencies": [
            msgspec.to_builtins(item) for item in check.unique_inconsistencies
        ],
        "details": [msgspec.to_builtins(item) for item in check.targets],
        "layers": len(check.layers),
        "weights": check.weights,
        "cpu_seconds": check.cpu_seconds,
        "findings": list(check.findings),
        **({"files": [msgspec.to_builtins(item) for item in check.files]} if check.files else {}),
    }


def _pair(pair: PairResult) -> dict[str, Any]:
    plain_pair: dict[str, Any] = msgspec.to_builtins(pair)
    return plain_pair


def check_text(
    check: Check, report: str = "", again: str = "", options: str | None = None
) -> RenderableType:
    """The whole answer for a terminal.

    ``again`` is the command that makes a page of it; ``options`` are what the next commands
    need to find the store, None if they are not to be named.
    """
    parts: list[RenderableType] = [Text(verdict_line(check), style=STYLES[check.verdict])]
    for item in check.targets:
        if item.failure:
            line = f"{item.name}: not compared. {one_line(item.failure, 200)}"
            parts.append(Text(plain(line), style="yellow"))
    parts += [Text(""), Text(_head(check))]
    parts += [Text(plain(line)) for item in check.files for line in file_lines(item)]
    parts += [Text(plain(f"data: {line}")) for line in check.data_notes]
    parts += [Text(plain(line)) for line in left_out_lines(check)]
    parts.append(Text(""))
    notes = [line for item in check.targets for line in remarks(check, item)]
    if notes:
        parts += [*(Text(plain(line), style="yellow") for line in notes), Text("")]
    parts += _measured(check)
    gates = threshold_lines(check)
    if gates:
        parts += [Text(""), *(Text(plain(line), style=style) for line, style in gates)]
    accuracies = _accuracies(check)
    if accuracies:
        parts += [Text(""), Text(accuracies)]
    for found in check.unique_inconsistencies:
        parts += [Text(""), *(Text(line) for line in story(check, found))]
    explained = _explained(check)
    if explained:
        parts += [Text(""), *(Text(line, style="dim") for line in explained)]
    if report or again or check.findings:
        parts.append(Text(""))
    if report:
        parts.append(Text(f"Report: {report}"))
    if again:
        parts.append(Text(f"Page with: {again}"))
    if check.findings and options is not None:
        parts.append(Text(f"Next: {_next(check, options)}"))
    return Group(*parts)


def _next(check: Check, options: str) -> str:
    """How to see the findings: each, or all where they are many."""
    if len(check.findings) > _LISTED:
        return f"assay findings --all{options}"
    return " · ".join(f"assay show {plain(name)}{options}" for name in check.findings)


def _head(check: Check) -> str:
    working = [item for item in check.targets if not item.failure]
    made = " (generated)" if check.generated else ""
    size = f"{plural(len(check.layers), 'layer')}, {plural(check.weights, 'weight')} · "
    if check.files:
        size = ""  # each file has its own line
    return plain(
        f"{check.model}  {size}{plural(check.instances, 'instance')}{made} · "
        f"{plural(len(working), 'arm' if check.files else 'target')}"
    )


def file_lines(item: FileResult) -> list[str]:
    """What a file is, who runs it, and how it was matched with the first."""
    lines = [
        f"  {item.name}  {plural(item.layers, 'layer')}, {plural(item.weights, 'weight')} · "
        f"{', '.join(item.targets)}"
    ]
    if item.inputs:
        lines.append(f"    inputs {item.inputs}; outputs {item.outputs}")
    if item.weights_differ:
        lines.append(f"    {item.weights_differ}")
    return lines


def left_out_lines(check: Check) -> list[str]:
    """Which outputs were not compared, if some were not."""
    if not check.left_out:
        return []
    named = ", ".join(check.left_out)
    return [f"outputs that are no numbers, not compared: {unbroken(named)}"]


def _measured(check: Check) -> list[RenderableType]:
    """All pairs at once: a matrix or, of two targets, a line; and what its words mean."""
    if not check.pairs:
        return []
    if len(check.pairs) == 1:
        (pair,) = check.pairs
        line = Text(plain(f"{' ↔ '.join(pair.targets)}  "))
        line.append(plain(pair_measures(check, pair)), style=STYLES[pair.verdict])
        word = "D_MAD" if _by_distances(check, pair) else "max"
        return [line, Text(f"assay explain {word} says what that is", style="dim")]
    return [Matrix(check)]


def _by_distances(check: Check, pair: PairResult) -> bool:
    """Do CRADLE's distances tell something of a pair? They are relative: of two targets that are
    nowhere off by more than rounding, one may be infinitely farther off than the other.
    """
    return bool(check.preset) or pair.verdict != "consistent"


def pair_measures(check: Check, pair: PairResult) -> str:
    """The measures of a pair in a line."""
    found = [] if pair.top1_agreement is None else [f"top-1 {percent(pair.top1_agreement)}"]
    found.append(f"max |Δ| {short(pair.max_abs)}")
    if pair.ratio is not None:
        found.append(f"{short(pair.ratio)} × rounding")
    if _by_distances(check, pair):
        if pair.d_class_max is not None:
            found.append(f"D_class {short(pair.d_class_max)}")
        found.append(f"D_MAD {short(pair.d_mad_max)}")
    return " · ".join(found)


def _explained(check: Check) -> list[str]:
    """Why pairs are consistent that are past the screen: each reason once.

    What is to be said of pairs with nothing to compare stands at their targets.
    """
    found: dict[str, list[PairResult]] = {}
    for pair in check.pairs:
        if pair.verdict == "consistent" and pair.explanation:
            found.setdefault(pair.explanation, []).append(pair)
    lines = []
    for explanation, pairs in found.items():
        most = max(pairs, key=lambda pair: pair.ratio or 0.0)
        who = " ↔ ".join(most.targets)
        if len(pairs) > 1:
            who = f"{len(pairs)} pairs"
        within = most.ratio is not None and most.ratio <= 1.0
        ratio = f" (at most {short(most.ratio)} of its bound)" if within else ""
        lines.append(plain(f"{who}: {explanation}{ratio}."))
    return lines


def threshold_lines(check: Check) -> list[tuple[str, str]]:
    """Every threshold in a line with its style: the pair that is nearest to it, or beyond it."""
    lines = []
    count = max((len(pair.gates) for pair in check.pairs), default=0)
    for place in range(count):
        found = [(pair.gates[place], pair) for pair in check.pairs if len(pair.gates) > place]
        failed = [item for item in found if not item[0].passed]
        sign = -1 if found[0][0].measure == "agreement" else 1
        gate, pair = max(failed or found, key=lambda item: sign * item[0].value)
        verdict = f"BEYOND in {plural(len(failed), 'pair')}" if failed else "holds"
        between = " ↔ ".join(pair.targets)
        line = f"{gate.threshold}: {verdict}; {gate.measured} ({between})"
        lines.append((line, STYLES["inconsistent" if failed else "consistent"]))
    return lines


def _accuracies(check: Check) -> str:
    """How good the targets are, if that is known: a value that all share is said once."""
    top = {
        item.name: f"{percent(item.top1_accuracy)}/{percent(item.top5_accuracy)}"
        for item in check.targets
        if item.top1_accuracy is not None
    }
    errors = {
        item.name: short(item.mean_absolute_error)
        for item in check.targets
        if item.mean_absolute_error is not None
    }
    name, found = ("Accuracy, top 1/top 5", top) if top else ("Mean absolute error", errors)
    if len(found) > 1 and len(set(found.values())) == 1:
        return f"{name}: {next(iter(found.values()))} on each target"
    return f"{name}: {' · '.join(map(' '.join, found.items()))}" if found else ""


def story(check: Check, item: UniqueInconsistency) -> list[str]:
    """What introduces the deviation, who is to blame, and where it shows."""
    pair = check.pair_of(item)
    between = " ↔ ".join(pair.targets)
    lines = []
    suspect = pair.suspect
    if suspect is None and pair.outside is not None:
        times = "" if pair.ratio is None else f" {short(pair.ratio)} times what rounding explains,"
        lines.append(f"{between} differ{times} outside any layer:")
        lines.append(f"{pair.outside.where}.")
    elif suspect is None:
        lines.append(f"{between}: {pair.explanation}.")
    elif suspect.alone > 0:
        others = ""
        if suspect.layers_before:
            count = suspect.layers_before
            before = "layer before it" if count == 1 else f"{count} layers before it"
            others = f"; the {before} by at most {short(suspect.before)}"
            if not suspect.before:
                others = f"; the {before} not at all"
        lines.append(
            f"{suspect.layer} ({short_name(suspect.op)}) introduces the deviation: alone, with "
            f"identical input, it differs by {short(suspect.alone)}{others}."
        )
    else:
        lines.append(
            f"{suspect.layer} ({short_name(suspect.op)}) is where the deviation grows first "
            f"(rate {short(suspect.rate)})."
        )
    if pair.explanation and suspect is not None:
        lines.append(f"{pair.explanation[:1].upper()}{pair.explanation[1:]}.")
    worst = f"Most inconsistent instance: {pair.worst}{_labels(check, pair)}."
    if suspect is not None and suspect.blamed:
        lines.append(f"Blamed: {', '.join(suspect.blamed)} ({suspect.reason}). {worst}")
    elif pair.outside is not None and pair.outside.blamed:
        lines.append(f"Blamed: {', '.join(pair.outside.blamed)}. {worst}")
    elif suspect is not None and suspect.reason:
        lines.append(f"Who is wrong cannot be told ({suspect.reason}). {worst}")
    else:
        lines.append(worst)
    if len(check.pairs) > 1:
        few = "" if len(item.pairs) == 1 else f", the farthest of {len(item.pairs)} such pairs"
        lines.append(f"{between}{few}: {pair_measures(check, pair)}.")
    if pair.exceeded:
        lines.append(f"Inconsistent by: {', '.join(pair.exceeded)}.")
    if item.pattern:
        by_mad = pair.exceeded[0] == "mad"
        kind = "MAD distances, 0 to 1" if by_mad else "class distances, 16 to 0"
        lines.append(f"Pattern of {kind}: {' '.join(map(str, item.pattern))} instances.")
    return [unbroken(line) for line in lines]


def _labels(check: Check, pair: PairResult) -> str:
    if len(pair.labels) != 3:
        return ""
    first, second, true = pair.labels
    if first == second:
        return f" (both predict {first})"
    known = any(item.top1_accuracy is not None for item in check.targets)
    truth = f"label {true}" if known else f"most predict {true}"
    return f" ({pair.targets[0]} predicts {first}, {pair.targets[1]} {second}; {truth})"


def remarks(check: Check, item: TargetResult) -> list[str]:
    """What must be known of a target's answers: they are few, coarse, no numbers, or change."""
    lines = []
    if item.coarse:
        layers = "a layer has" if item.coarse == 1 else f"{item.coarse} layers have"
        lines.append(
            f"{item.name}: {layers} weights of 8 bits; what they read is rounded to 8 bits, too, "
            "by every implementation in its own way."
        )
    if 0 < item.instances < check.instances:
        lines.append(
            f"{item.name}: ran on the first {item.instances} instances only, as it is slow."
        )
    if item.itself:
        said = "more than rounding" if item.nondeterministic else "no more than rounding"
        apart = short(item.itself)
        lines.append(f"{item.name}: differs from itself by {apart} when it runs again, {said}.")
    for found in item.special:
        kinds = {"NaN": found.nan, "infinite": found.infinite}
        shares = [f"{percent(share)} {kind}" for kind, share in kinds.items() if share]
        lines.append(f"{item.name}: output {found.output} is {' and '.join(shares)}.")
    return lines
