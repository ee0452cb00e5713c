"""Pages of docs/found, one per cause, and the index: text made of what is kept, nothing is run."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from causes import SEVERITIES, Cause, Causes, section
from records import Ran, Record, known, script_of
from repros import BACKENDS, DEATHS, NUMPY, whole

#: What each repro gave, by the main finding of its cause and by backend.
Results = Mapping[str, Mapping[str, str]]
#: The same with the versions that it ran with: ``{"versions": ..., "gives": ...}``.
Runs = Mapping[str, Mapping[str, Any]]
_LONGEST_SLUG = 72
_WRONG = "wrong"
_RAISES = "raises "
_BY_HAND = "{} were met by hand, beside hunts; their pages say so."


class Book:
    """Everything that pages are made of."""

    def __init__(
        self,
        folder: Path,
        found: Causes,
        records: Mapping[str, Record],
        runs: Runs,
        repository: str,
        newest: Results,
    ) -> None:
        self.folder, self.found, self.records = folder, found, records
        self.runs, self.repository, self.newest = runs, repository, newest
        self.causes = sorted(
            found.cause,
            key=lambda cause: (
                SEVERITIES.index(cause.severity),
                self.op(cause),
                cause.title,
            ),
        )

    def pages(self) -> dict[str, str]:
        """The text of each page, by its name."""
        return {name_of(cause): self.page(cause) for cause in self.causes}

    def op(self, cause: Cause) -> str:
        """The op that is at fault."""
        return cause.op or self.records[cause.main].op

    def wrong(self, cause: Cause) -> tuple[str, ...]:
        """The targets that are wrong, in a fixed order."""
        blamed = cause.blamed or {
            name for item in cause.findings for name in self.records[item].blamed
        }
        return tuple(sorted(blamed, key=lambda name: (order(name), name)))

    def page(self, cause: Cause) -> str:
        main = self.records[cause.main]
        facts = {"severity": cause.severity, "op": self.op(cause), "findings": list(cause.findings)}
        versions = {
            item for name in cause.findings for item in self.records[name].versions.split(", ")
        }
        lines = [
            f"- severity: {cause.severity}",
            f"- wrong: {', '.join(self.wrong(cause))}",
            f"- the fix belongs to: {cause.fix}",
            f"- versions: {', '.join(sorted(versions))}",
            *self.known_lines(cause),
            *self.repository_lines(cause),
        ]
        parts = [
            f"<!-- assay: {json.dumps(facts, ensure_ascii=False)} -->\n# {cause.title}",
            "\n".join(lines),
            f"## Repro\n\n```python\n{whole(cause.repro).rstrip()}\n```",
            self.table(cause),
            section(cause),
            self.also(cause),
            f"## Evidence\n\n{evidence(main)}",
            "## Script\n\n"
            f"[scripts/{main.id}.py](scripts/{main.id}.py) ends with 0 where the bug is, with 1 "
            "where it is not, and with 2 where it cannot run.\n\n"
            f"```python\n{script_of(self.folder, main.id).read_text(encoding='utf-8').rstrip()}\n"
            "```",
            "## Output\n\n" + "\n\n".join(told(item) for item in main.outputs),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def known_lines(self, cause: Cause) -> list[str]:
        """Public threads about the same fault, each once."""
        issues = [issue for name in cause.findings for issue in known(self.records[name])]
        return list(dict.fromkeys(f"- known: [{issue.title}]({issue.url})" for issue in issues))

    def repository_lines(self, cause: Cause) -> list[str]:
        """Is it repaired where Keras is developed?"""
        if cause.main not in self.newest:
            return []
        if cause.fixed:
            return [f"- fixed in {self.repository}{cause.fixed}"]
        if "keras" not in cause.fix.lower():
            return []  # nobody would repair it there
        return [f"- not fixed in {self.repository}: there the repro is as wrong as here"]

    def repaired(self, cause: Cause) -> bool:
        """Does whoever is wrong here give what is believed, in the newest commit?"""
        given = self.newest.get(cause.main, {})
        wrong = {name.removeprefix("keras-") for name in self.wrong(cause)} & {*given}
        believed = {given[name] for name in given.keys() - wrong} | {cause.expected}
        believed = {text for text in believed if text and not text.startswith(DEATHS)}
        refused = all(text.startswith(_RAISES) for text in believed)
        return bool(wrong) and all(
            given[name] in believed or (refused and given[name].startswith(_RAISES))
            for name in wrong
        )

    def table(self, cause: Cause) -> str:
        """What the repro gives everywhere."""
        if cause.main not in self.runs:
            return ""
        results: Mapping[str, str] = self.runs[cause.main]["gives"]
        wrong = {name.removeprefix("keras-") for name in self.wrong(cause)}
        rows = [
            f"| {backend} | {_cell(results[backend])} | {_WRONG if backend in wrong else ''} |"
            for backend in (NUMPY, *BACKENDS, *sorted({*results} - {NUMPY, *BACKENDS}))
            if backend in results
        ]
        if cause.expected:
            rows.insert(0, f"| expected | {_cell(cause.expected)} | |")
        table = "\n".join(["| backend | gives | |", "|---|---|---|", *rows])
        told = f"{table}\n\nRun with {self.runs[cause.main]['versions']}."
        if "openvino" in wrong and "openvino" not in cause.text.lower():
            told += " OpenVINO's lines were not read: its cause may be another."
        return told

    def also(self, cause: Cause) -> str:
        """Every finding of the cause, with its op and id."""
        if len(cause.findings) == 1:
            return ""
        lines = [
            f"- {name}: {self.records[name].what} ([script](scripts/{name}.py))"
            for name in cause.findings[1:]
        ]
        ops = dict.fromkeys(self.records[name].op for name in cause.findings)
        return f"## Also affects\n\n{', '.join(f'`{op}`' for op in ops)}; findings\n\n" + "\n".join(
            lines
        )

    def index(self) -> str:
        """Every cause by severity and op, and every id that was ever published."""
        counts = Counter(cause.severity for cause in self.causes)
        told = ", ".join(f"{counts[name]} {name}" for name in SEVERITIES if counts[name])
        linked = sum(bool(self.known_lines(cause)) for cause in self.causes)
        fixed = sum(cause.fixed == "." for cause in self.causes)
        by_hand = sum(self.records[cause.main].by_hand for cause in self.causes)
        lines = [
            "# Found with Assay",
            "",
            f"{len(self.causes)} causes: {told}.",
            "",
            "A cause is what one change of code would repair. Its page has a few lines that show",
            "it, what they give on every backend, why it happens, with the lines of source or",
            "documentation that say so, and a script that was run in new processes: it ends with 0",
            "where the bug is and with 1 where it is not.",
            *(
                [f"{by_hand} were met by hand, beside hunts; their pages say so."]
                if by_hand
                else []
            ),
            f"{linked} are known: a public issue or pull request describes the same fault"
            + (f"; {fixed} are fixed in {self.repository}." if fixed else "."),
            "",
            "| severity | op | what | wrong | the fix belongs to |",
            "|---|---|---|---|---|",
        ]
        for cause in self.causes:
            what = f"[{cause.title.replace('|', chr(92) + '|')}]({name_of(cause)})"
            wrong, fix = ", ".join(self.wrong(cause)), cause.fix.partition(":")[0]
            op = self.op(cause)
            lines.append(f"| {cause.severity} | `{op}` | {what} | {wrong} | {fix} |")
        lines += ["", "## By id", "", "| finding | op | page |", "|---|---|---|"]
        pages = {name: name_of(cause) for cause in self.causes for name in cause.findings}
        for name in sorted(pages):
            page = pages[name]
            lines.append(f"| {name} | `{self.records[name].op}` | [{page[:-12]}]({page}) |")
        lines += ["", "## Published once, and no longer", ""]
        for entry in self.found.removed:
            lines.append(f"- {', '.join(entry.findings)}: {entry.reason}")
        return "\n".join(lines) + "\n"


def evidence(record: Record) -> str:
    """How it was met, and what was seen."""
    met = f"Finding {record.id} ({record.kind}, stage {record.stage}): {record.what}."
    if record.by_hand:
        return (
            f"{met}\nMet by hand, in the source or while calls were tried: no finding of a hunt is "
            "kept, and the script below was written by hand."
        )
    tensors = f" on {record.tensors}" if record.tensors else ""
    params = json.dumps(record.params)
    return f"{met}\nOp `{record.op}`{tensors}, parameters `{params}`.\n\n{record.evidence}"


def name_of(cause: Cause) -> str:
    """The file of a page: words of its title, and its main finding."""
    words = re.sub(r"[^a-z0-9]+", "-", cause.title.lower()).strip("-").split("-")
    slug = ""
    for word in words:
        if len(slug) + len(word) > _LONGEST_SLUG:
            break
        slug = f"{slug}-{word}" if slug else word
    return f"{slug}-{cause.main}.md"


def order(target: str) -> int:
    """Backends stand in one order everywhere."""
    backend = target.removeprefix("keras-")
    return BACKENDS.index(backend) if backend in BACKENDS else len(BACKENDS)


def told(ran: Ran) -> str:
    return f"{ran.place}, exit code {ran.code}:\n\n```\n{ran.text}\n```"


def _cell(text: str) -> str:
    return f"`` {text} ``".replace("|", "\\|")
