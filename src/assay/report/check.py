"""What ``assay check`` prints: one line per pair, the suspect, what to do next."""

from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.ir.check import Check, FileResult, PairResult, UniqueInconsistency
from assay.report.safe import one_line, plain
from assay.report.text import plural, short_name

#: So many findings are named one by one.
_LISTED = 3


def check_document(check: Check) -> dict[str, Any]:
    """The JSON of ``assay check --json``: targets by name, with details of each beside them."""
    return {
        "model": check.model,
        "instances": check.instances,
        "generated": check.generated,
        "task": check.task,
        "preset": check.preset,
        "targets": [item.name for item in check.targets if not item.failure],
        "verdict": check.verdict,
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
    parts: list[RenderableType] = [Text(_head(check))]
    parts += [Text(plain(line)) for item in check.files for line in _file(item)] + [Text("")]
    for item in check.targets:
        if item.failure:
            line = f"{item.name}: not compared. {one_line(item.failure, 200)}"
            parts += [Text(plain(line), style="yellow"), Text("")]
    if check.pairs:
        parts.append(_table(check))
    accuracies = _accuracies(check)
    if accuracies:
        parts += [Text(""), Text(accuracies)]
    for found in check.unique_inconsistencies:
        parts += [Text(""), *(Text(line) for line in _story(check, found))]
    for pair in check.pairs:
        if pair.verdict == "consistent" and pair.explanation:
            text = f"{pair.targets[0]} ↔ {pair.targets[1]}: {pair.explanation}."
            parts += [Text(text, style="dim")]
    parts.append(Text(""))
    parts.append(Text(_verdict(check)))
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
        bad = pair.verdict == "inconsistent"
        verdict = "consistent"
        if bad:
            verdict = "INCONSISTENT"
            if pair.suspect:
                verdict += f" from {plain(pair.suspect.layer)}"
        row = [Text(plain(cell)) for cell in cells]
        table.add_row(*row, Text(verdict, style="bold red" if bad else "green"))
    return table


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
    if suspect is None:
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
    elif suspect is not None and suspect.reason:
        lines.append(f"Who is wrong cannot be told ({suspect.reason}). {worst}")
    else:
        lines.append(worst)
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


def _verdict(check: Check) -> str:
    bad = [pair for pair in check.pairs if pair.verdict == "inconsistent"]
    if check.verdict == "consistent":
        pairs = plural(len(check.pairs), "pair")
        what = "files and targets" if check.files else "targets"
        return f"Consistent: {pairs} of {what}, no difference beyond rounding."
    if not bad:
        return "Inconsistent: a target's process died where others gave an answer."
    unique = len(check.unique_inconsistencies)
    noun = "inconsistency" if unique == 1 else "inconsistencies"
    verb = "is" if len(bad) == 1 else "are"
    return (
        f"{plural(len(check.pairs), 'pair')} of targets, {len(bad)} {verb} inconsistent: "
        f"{unique} unique {noun}."
    )
