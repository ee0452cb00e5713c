"""Rebuild docs/found: one page per bug of a store, its script run in new processes first.

    python tools/found.py STORE... -o docs/found [--only PATTERN] [--without PATTERN,...]
                          [--blamed TARGET,...] [--config FILE] [--jobs 2] [--force]
    python tools/found.py --annotate -o docs/found

Only bugs that somebody is blamed for get one. A page is written only if its script ends with 0
on a backend that is blamed and with 1 on one that is believed (unless all are blamed, or the
script is in the words of a library that has no other). Scripts run in this interpreter, or in
those that the targets of a configuration name: give the one of the hunt. What does not verify
is listed with the reason, and the exit code is 1. A page whose finding is there already is
left alone unless --force. Pages say why it happens where causes.toml beside them has a
paragraph on it, and name the public issue about the same fault where
assay/reproduce/known.toml has one; --annotate writes only these two on the pages that are
there.
"""

import argparse
import fnmatch
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from causes import HEADING, Cause, causes, section

from assay.campaign.faults import Faults
from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.reproducer import Checked, Outcome, checked
from assay.config import load
from assay.ir import Array, Finding, Platform, blamed_platforms, named, platform_of
from assay.reproduce import sides_of, speaker_of, title
from assay.reproduce.issue import analysis, observations
from assay.reproduce.known import Symptom, backend_named, known_issues, symptom_of
from assay.store import open_store
from assay.targets import known_targets

_FACTS = re.compile(r"^<!-- assay: (\{.*\}) -->$", re.MULTILINE)
_CAUSE = re.compile(rf"^{HEADING}\n.*?(?=^## Evidence$)", re.MULTILINE | re.DOTALL)
_OUTPUT_LINES = 30
#: Folders of whoever ran it: they say nothing to a reader.
_FOLDERS = re.compile(r"(?<![\w.])(?:/[\w.+@-]+)+/(?=[\w.-]+)")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stores", nargs="*", metavar="STORE")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="ops or ids that match")
    parser.add_argument("--without", default="", metavar="PATTERN,…", help="but not these")
    parser.add_argument("--blamed", default="", metavar="TARGET,…", help="that blame only these")
    parser.add_argument("--config", metavar="FILE", help="targets with interpreters of their own")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--force", action="store_true", help="also pages that are there already")
    parser.add_argument("--annotate", action="store_true", help="only causes and known issues")
    options = parser.parse_args(arguments)
    explained = causes(options.output)
    if options.annotate:
        linked, told = annotate(options.output, explained)
        print(f"{linked} pages name a known issue, {told} say why")
        (options.output / "README.md").write_text(index(options.output), encoding="utf-8")
        return 0
    options.output.mkdir(parents=True, exist_ok=True)
    known = {facts["fingerprint"] for _, facts in pages(options.output)}
    wanted = [
        (finding, arrays)
        for finding, arrays in bugs(options.stores)
        if finding.blamed
        and matches(finding, options.only)
        and not any(matches(finding, pattern) for pattern in options.without.split(","))
        and (not options.blamed or {*finding.blamed} <= {*options.blamed.split(",")})
        and (options.force or finding.fingerprint not in known)
    ]
    print(f"{len(wanted)} to verify, {len(known)} pages there", flush=True)
    failed, faults = 0, Faults(print)
    targets = known_targets(load(options.config)) if options.config else {}
    forks = Interpreters(tuple(targets.values()))
    with closing(forks), ThreadPoolExecutor(options.jobs) as pool:
        asked = [(*item, pool.submit(checked, *item, run=forks.verify)) for item in wanted]
        for finding, arrays, answer in asked:
            with faults.excused(f"{finding.id} {finding.op} {finding.kind}: no page"):
                result = answer.result()
                if result.reason:
                    failed += 1
                    print(f"{finding.id} {finding.op} {finding.kind}: {result.reason}", flush=True)
                    continue
                path = options.output / f"{slug(finding)}.md"
                cause = explained.get(finding.id)
                path.write_text(page(finding, arrays, result, cause), encoding="utf-8")
                print(f"{finding.id} {path.name}", flush=True)
    failed += faults.count
    (options.output / "README.md").write_text(index(options.output), encoding="utf-8")
    print(f"{len(wanted) - failed} written, {failed} did not verify")
    return 1 if failed else 0


def bugs(stores: Sequence[str]) -> Iterator[tuple[Finding, dict[str, Array]]]:
    """Every bug of the stores, each fingerprint once, in an order of its own."""
    found: dict[str, tuple[Finding, dict[str, Array]]] = {}
    for url in stores:
        with open_store(url, create=False) as store:
            for finding in store.findings(categories=["bug"]):
                found.setdefault(finding.fingerprint, (finding, store.arrays(finding.id)))
    yield from sorted(found.values(), key=lambda item: (item[0].op, item[0].kind, item[0].id))


def matches(finding: Finding, pattern: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for name in (finding.op, finding.id))


def slug(finding: Finding) -> str:
    op = finding.op.removeprefix("keras.").replace(".", "-")
    blamed = "-".join(backend_named(named(name)) for name in blamed_platforms(finding))
    return f"{op}-{finding.kind}-{blamed or 'undecided'}-{finding.id}".lower()


def pages(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every page with the facts it was made from."""
    for path in sorted(folder.glob("*.md")):
        found = _FACTS.search(path.read_text(encoding="utf-8"))
        if found:
            yield path, json.loads(found.group(1))


def page(
    finding: Finding, arrays: dict[str, Array], result: Checked, cause: Cause | None = None
) -> str:
    sides = sides_of(finding, arrays)
    what = title(finding, sides)
    own = speaker_of(finding, sides).sides
    blamed = blamed_platforms(finding)  # names of targets say nothing elsewhere
    facts = {
        "fingerprint": finding.fingerprint,
        "op": finding.op,
        "what": what,
        "kind": finding.kind,
        "stage": finding.stage,
        "blamed": list(blamed),
    }
    versions = sorted({f"{n} {v}" for known in finding.versions.values() for n, v in known.items()})
    tensors = ", ".join(
        f"{item.dtype}[{','.join(map(str, item.shape))}]" for item in finding.case.graph.inputs
    )
    parts = [
        f"<!-- assay: {json.dumps(facts, ensure_ascii=False)} -->\n# {what}",
        "\n".join(
            [
                f"- op: `{finding.op}`" + (f" on {tensors}" if tensors else ""),
                f"- parameters: `{json.dumps(finding.params)}`",
                f"- finding: {finding.id}, {finding.kind}, stage {finding.stage}",
                f"- blamed: {', '.join(blamed) or 'undecided'}",
                f"- versions: {', '.join(versions)}",
            ]
        ),
        "## Evidence\n\n"
        + "\n".join(observations(finding))
        + "\n\n"
        + "\n".join(analysis(finding)),
        f"## Script\n\n```python\n{result.script.rstrip()}\n```",
        "## Output\n\n" + ran(platform_of(finding, own.faulty[0]), result.faulty),
    ]
    if result.sound is not None:
        parts.append(ran(platform_of(finding, own.sound[0]), result.sound))
    found = known_lines(symptom_of(finding))
    parts[1] += "".join(f"\n{line}" for line in found)
    if cause is not None:
        parts.insert(2, section(cause))
    return "\n\n".join(parts) + "\n"


def known_lines(symptom: Symptom) -> list[str]:
    """Public threads about the same fault."""
    return [f"- known: [{item.title}]({item.url})" for item in known_issues(symptom)]


def symptom_on(text: str) -> Symptom:
    """What a page says of its finding."""
    found = _FACTS.search(text)
    assert found
    facts = json.loads(found.group(1))
    params = re.search(r"^- parameters: `(.*)`$", text, re.MULTILINE)
    message = re.search(r"^- message: `(.*)`$", text, re.MULTILINE)
    shapes = re.search(r"^- op: `.*?` on (.*)$", text, re.MULTILINE)
    return Symptom(
        op=facts["op"],
        kind=facts["kind"],
        stage=facts["stage"],
        blamed=frozenset(backend_named(named(target)) for target in facts["blamed"]),
        params=json.loads(params.group(1)) if params else {},
        message=message.group(1) if message else "",
        shapes=tuple(
            tuple(int(length) for length in shape.split(",") if length)
            for shape in re.findall(r"\[([\d,]*)\]", shapes.group(1) if shapes else "")
        ),
    )


def annotate(folder: Path, explained: Mapping[str, Cause]) -> tuple[int, int]:
    """Write known threads and causes on pages that are there, without running anything.

    Gives how many pages have the one, and how many the other.
    """
    linked = told = 0
    for path, facts in pages(folder):
        text = _CAUSE.sub("", path.read_text(encoding="utf-8"))
        cause = explained.get(facts["fingerprint"][:8])
        if cause is not None:
            told += 1
            text = text.replace("## Evidence\n", f"{section(cause)}\n\n## Evidence\n", 1)
        lines = known_lines(symptom_on(text))
        linked += bool(lines)
        bare = re.sub(r"^- known: .*\n", "", text, flags=re.MULTILINE)
        versions = re.search(r"^- versions: .*\n", bare, re.MULTILINE)
        assert versions
        place = versions.end()
        bare = bare[:place] + "".join(f"{line}\n" for line in lines) + bare[place:]
        path.write_text(bare, encoding="utf-8")
    return linked, told


def ran(platform: Platform, outcome: Outcome | None) -> str:
    assert outcome is not None
    lines = outcome.output.rstrip().splitlines()
    if len(lines) > _OUTPUT_LINES:
        lines = [*lines[:_OUTPUT_LINES], "…"]
    text = "\n".join(_FOLDERS.sub("…/", line).rstrip()[:500] for line in lines)
    text = text.replace("```", "'''")
    versions = ", ".join(f"{name} {version}" for name, version in platform.versions.items())
    named = f"{platform.identity} ({versions})" if versions else platform.identity
    place = f"KERAS_BACKEND={platform.backend}" if platform.backend else named
    return f"{place}, exit code {outcome.code}:\n\n```\n{text}\n```"


def index(folder: Path) -> str:
    """The table of all pages, whenever they were made."""
    entries = [(path, facts) for path, facts in pages(folder)]
    entries.sort(key=lambda item: (item[1]["op"], item[1]["kind"], item[0].name))
    ops = {facts["op"] for _, facts in entries}
    kinds: dict[str, int] = {}
    for _, facts in entries:
        kinds[facts["kind"]] = kinds.get(facts["kind"], 0) + 1
    texts = [path.read_text(encoding="utf-8") for path, _ in entries]
    linked = [text for text in texts if "\n- known: " in text]
    told = [text for text in texts if f"\n{HEADING}\n" in text]
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    lines = [
        "# Found with Assay",
        "",
        f"{len(entries)} findings in {len(ops)} ops ({counts}). Each page has a script that was",
        "run in new processes: it ends with 0 where the bug is and with 1 where it is not.",
        f"{len(told)} say why it happens, with the lines of source or documentation that say so.",
        f"{len(linked)} are known: a public issue or pull request describes the same fault.",
        "",
        "| op | what | blamed | stage | page |",
        "|---|---|---|---|---|",
    ]
    for path, facts in entries:
        what = facts["what"].replace("|", "\\|")
        blamed = ", ".join(facts["blamed"]) or "undecided"
        link = f"[{path.stem}]({path.name})"
        lines.append(f"| `{facts['op']}` | {what} | {blamed} | {facts['stage']} | {link} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
