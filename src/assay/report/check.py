"""What ``assay check`` prints: one line per pair, the suspect, what to do next."""

from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.ir.check import Check, FileResult, PairResult, TargetResult, UniqueInconsistency
from assay.report.safe import one_line, plain
from assay.report.text import plural, short_name

#: So many findings are named one by one.
_LISTED = 3
_STYLES = {"consistent": "green", "inconsistent": "bold red", "nothing to compare": "yellow"}


def check_document(check: Check) -> dict[str, Any]:
    """The JSON of ``assay check --json``: targets by name, with details of each beside them."""
    return {
        "model": check.model,
        "instances": check.instances,
        "generated": check.generated,
        "data_notes": list(check.data_notes),
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
    parts: list[RenderableType] = [_verdict(check), Text(""), Text(_head(check))]
    parts += [Text(plain(line)) for item in check.files for line in _file(item)]
    parts += [Text(plain(f"data: {line}")) for line in check.data_notes]
    parts.append(Text(""))
    for item in check.targets:
        parts += [Text(plain(line), style="yellow") for line in _remarks(check, item)]
        if item.failure:
            line = f"{item.name}: not compared. {one_line(item.failure, 200)}"
            parts += [Text(plain(line), style="yellow"), Text("")]
    if any(_remarks(check, item) for item in check.targets):
        parts.append(Text(""))
    if check.pairs:
        parts.append(_table(check))
    gates = threshold_lines(check)
    if gates:
        parts += [Text(""), *(Text(plain(line), style=style) for line, style in gates)]
    accuracies = _accuracies(check)
    if accuracies:
        parts += [Text(""), Text(accuracies)]
    for found in check.unique_inconsistencies:
        parts += [Text(""), *(Text(line) for line in _story(check, found))]
    # What is to be said of pairs with nothing to compare stands at their targets.
    explained = [p for p in check.pairs if p.verdict == "consistent" and p.explanation]
    for pair in explained:
        text = f"{pair.targets[0]} ↔ {pair.targets[1]}: {pair.explanation}."
        parts += [Text(text, style="dim")]
    if report or again or check.findings:
        parts.append(Text(""))
    if report:
        parts.append(Text(f"Report: {report} (localization map)"))
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
    size = f"{plural(len(check.layers), 'layer')}, {check.weights:,} weights · "
    noun = "instance" if check.instances == 1 else "instances"
    if check.files:
        size = ""  # each file has its own line
    return plain(
        f"{check.model}  {size}{check.instances:,} {noun}{made} · "
        f"{plural(len(working), 'arm' if check.files else 'target')}"
    )


def _file(item: FileResult) -> list[str]:
    """What a file is, who runs it, and how it was matched with the first."""
    lines = [
        f"  {item.name}  {plural(item.layers, 'layer')}, {item.weights:,} weights · "
        f"{', '.join(item.targets)}"
    ]
    if item.inputs:
        lines.append(f"    inputs {item.inputs}; outputs {item.outputs}")
    if item.weights_differ:
        lines.append(f"    {item.weights_differ}")
    return lines


def _table(check: Check) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    classifier = check.task == "classification"
    table.add_column("", no_wrap=True)
    columns = ["top-1 agreement"] if classifier else []
    columns += ["max |Δ|", "max rel"] + (["D_class"] if classifier else []) + ["D_MAD"]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for pair in check.pairs:
        cells = [f"{pair.targets[0]} ↔ {pair.targets[1]}"]
        if classifier and pair.top1_agreement is not None:
            cells.append(_percent(pair.top1_agreement))
        cells += [_number(pair.max_abs), _number(pair.max_rel)]
        if classifier and pair.d_class_max is not None:
            cells.append(f"{pair.d_class_max:.0f}")
        cells.append(f"{pair.d_mad_max:.2f}")
        row = [Text(plain(cell)) for cell in cells]
        table.add_row(*row, Text(plain(_said(pair)), style=_STYLES[pair.verdict]))
    return table


def _said(pair: PairResult) -> str:
    if pair.verdict != "inconsistent":
        return pair.verdict
    by = f" ({', '.join(pair.exceeded)})" if pair.exceeded else ""
    if pair.suspect:
        return f"INCONSISTENT from {pair.suspect.layer}{by}"
    return "INCONSISTENT, outside any layer" if pair.outside else f"INCONSISTENT{by}"


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
        lines.append((line, _STYLES["inconsistent" if failed else "consistent"]))
    return lines


def _percent(share: float) -> str:
    """Never 100% unless it is."""
    shown = f"{100 * share:.0f}%" if share in (0.0, 1.0) else f"{100 * share:.1f}%"
    return "<100%" if shown == "100.0%" else shown


def _number(value: float) -> str:
    return f"{value:.2g}" if value else "0"


def _accuracies(check: Check) -> str:
    shown = [item for item in check.targets if item.top1_accuracy is not None]
    if shown:
        listed = [
            f"{item.name} {_percent(item.top1_accuracy or 0.0)}/"
            f"{_percent(item.top5_accuracy or 0.0)}"
            for item in shown
        ]
        return f"Accuracy, top 1/top 5: {' · '.join(listed)}"
    errors = [item for item in check.targets if item.mean_absolute_error is not None]
    listed = [f"{item.name} {_number(item.mean_absolute_error or 0.0)}" for item in errors]
    return f"Mean absolute error: {' · '.join(listed)}" if errors else ""


def _story(check: Check, item: UniqueInconsistency) -> list[str]:
    """What introduces the deviation, who is to blame, and where it shows."""
    pair = max(
        (pair for pair in check.pairs if pair.targets in item.pairs), key=lambda p: p.max_abs
    )
    lines = []
    suspect = pair.suspect
    if suspect is None and pair.outside is not None:
        times = (
            "" if pair.ratio is None else f" {_number(pair.ratio)} times what rounding explains,"
        )
        lines.append(f"{' ↔ '.join(pair.targets)} differ{times} outside any layer:")
        lines.append(f"{pair.outside.where}.")
    elif suspect is None:
        lines.append(f"{' ↔ '.join(pair.targets)}: {pair.explanation}.")
    elif suspect.alone > 0:
        others = ""
        if suspect.layers_before:
            count = suspect.layers_before
            others = f"; the {'layer' if count == 1 else f'{count} layers'} before it by at most "
            others += f"{_number(suspect.before)}"
        lines.append(
            f"{suspect.layer} ({short_name(suspect.op)}) introduces the deviation: alone, with "
            f"identical input, it differs by {_number(suspect.alone)}{others}."
        )
    else:
        lines.append(
            f"{suspect.layer} ({short_name(suspect.op)}) is where the deviation grows first "
            f"(rate {_number(suspect.rate)})."
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
    if item.pattern:
        by_mad = pair.exceeded[0] == "mad"
        kind = "MAD distances, 0 to 1" if by_mad else "class distances, 16 to 0"
        lines.append(f"Pattern of {kind}: {' '.join(map(str, item.pattern))} instances.")
    return [plain(line) for line in lines]


def _labels(check: Check, pair: PairResult) -> str:
    if len(pair.labels) != 3:
        return ""
    first, second, true = pair.labels
    if first == second:
        return f" (both predict {first})"
    known = any(item.top1_accuracy is not None for item in check.targets)
    truth = f"label {true}" if known else f"most predict {true}"
    return f" ({pair.targets[0]} predicts {first}, {pair.targets[1]} {second}; {truth})"


def _remarks(check: Check, item: TargetResult) -> list[str]:
    """What must be known of a target's answers: that they are few, change, or are no numbers."""
    lines = []
    if 0 < item.instances < check.instances:
        lines.append(
            f"{item.name}: ran on the first {item.instances} instances only, as it is slow."
        )
    if item.itself:
        said = "more than rounding" if item.nondeterministic else "no more than rounding"
        apart = _number(item.itself)
        lines.append(f"{item.name}: differs from itself by {apart} when it runs again, {said}.")
    for found in item.special:
        kinds = {"NaN": found.nan, "infinite": found.infinite}
        shares = [f"{_percent(share)} {kind}" for kind, share in kinds.items() if share]
        lines.append(f"{item.name}: output {found.output} is {' and '.join(shares)}.")
    return lines


def _verdict(check: Check) -> Text:
    """The answer in one line, short enough for a narrow terminal where it can be."""
    absent = [item.name for item in check.targets if item.failure]
    line = _answer(check)
    if absent:
        line += f" Not compared: {', '.join(absent)}."
    return Text(plain(line), style=_STYLES[check.verdict])


def _answer(check: Check) -> str:
    bad = [pair for pair in check.pairs if pair.verdict == "inconsistent"]
    shaky = check.nondeterministic
    pairs = plural(len(check.pairs), "pair")
    first = ""
    if shaky:
        verb = "differs from itself" if len(shaky) == 1 else "differ from themselves"
        first = f"NONDETERMINISTIC: {', '.join(shaky)} {verb}."
        if not bad:
            return f"{first} Nothing follows from {'its' if len(shaky) == 1 else 'their'} pairs."
        first += " "
    if check.verdict == "nothing to compare":
        return f"NOTHING TO COMPARE: no finite number in any output of {pairs} of targets."
    if check.verdict == "consistent":
        what = "files and targets" if check.files else "targets"
        if check.thresholds:
            return f"CONSISTENT: {pairs} of {what} within the thresholds ({check.thresholds})."
        return f"CONSISTENT: {pairs} of {what}, no difference beyond rounding."
    if not bad:
        return "INCONSISTENT: a target's process died where others gave an answer."
    places = list(dict.fromkeys(_place(pair) for pair in bad))
    where = places[0] if len(places) == 1 else f", {len(check.unique_inconsistencies)} ways"
    beyond = " beyond the thresholds" if check.thresholds else ""
    return f"{first}INCONSISTENT: {len(bad)} of {pairs} of targets{beyond}{where}."


def _place(pair: PairResult) -> str:
    if pair.suspect:
        return f", from {pair.suspect.layer}"
    if pair.outside:
        return ", outside any layer"
    if pair.category != "rounding":
        return ", beyond rounding"
    decided = pair.gates or pair.exceeded
    return ", though rounding explains it" if decided else ", near ties that rounding decides"
