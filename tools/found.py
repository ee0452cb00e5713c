"""Rebuild docs/found: one page per cause, from causes.toml, findings.json and scripts/ beside them.

    python tools/found.py --rebuild -o docs/found
    python tools/found.py --run [ID...] -o docs/found [--python LIBRARY=PYTHON...]
    python tools/found.py --verify [ID...] -o docs/found [--all] [--fresh]
    python tools/found.py --repository GIT_DIRECTORY [ID...] -o docs/found
    python tools/found.py --add STORE... -o docs/found [--only PATTERN] [--without PATTERN,...]
                          [--blamed TARGET,...] [--config FILE] [--jobs 2]
    python tools/found.py --by-hand SCRIPT... -o docs/found

--rebuild writes all pages and the index, and runs nothing. --run runs the few lines of causes on
every backend of Keras and on NumPy, records what they give, and rebuilds. --verify runs the
scripts of the pages (--all: of every finding): 0 on each backend that is blamed, 1 on one that
is believed, else the exit code is 1. They run in forks of interpreters that have imported Keras
with TF_ENABLE_ONEDNN_OPTS=0, which every script sets before its import; --fresh runs those of
TensorFlow with TF_ENABLE_ONEDNN_OPTS=1 in the environment of new processes instead.
--repository runs the few lines with Keras as the newest commit of its repository has it, records
what they give, says which causes look repaired there, and rebuilds.
--add takes the bugs of stores in whose scripts keep their promise, --by-hand what was met beside
hunts, by the scripts that somebody wrote (see tools/byhand.py); each needs a table in causes.toml
then, which tools/causes.py asks for.
"""

import argparse
import fnmatch
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

from byhand import take
from causes import Cause, causes
from pages import Book
from records import Ran, Record, keep, records, script_of, shown
from repros import BACKENDS, DIFFERENTIATING, NUMPY, differentiates, in_numpy, result_of, results
from verifying import verify

from assay.campaign.faults import Faults
from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.reproducer import Checked, Outcome, checked
from assay.config import load
from assay.ir import Array, Finding, Platform, blamed_platforms, named, platform_of
from assay.reproduce import sides_of, speaker_of, title
from assay.reproduce.issue import analysis, observations
from assay.store import open_store
from assay.targets import known_targets

RESULTS = "repros.json"
REPOSITORY = "repository.json"
#: What a repro of Keras may run with.
RUN_WITH = ("jax", "keras", "numpy", "openvino", "tensorflow", "torch")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="ID | STORE | SCRIPT")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--rebuild", action="store_true", help="all pages and the index")
    action.add_argument("--run", action="store_true", help="what the few lines give everywhere")
    action.add_argument("--verify", action="store_true", help="do the scripts end as they say?")
    action.add_argument("--repository", metavar="GIT_DIRECTORY", help="is it repaired there?")
    action.add_argument("--add", action="store_true", help="findings of stores")
    action.add_argument("--by-hand", action="store_true", help="scripts that somebody wrote")
    parser.add_argument("--all", action="store_true", help="scripts of every finding")
    parser.add_argument("--fresh", action="store_true", help="new processes, oneDNN asked for")
    parser.add_argument(
        "--python", nargs="*", default=[], metavar="LIBRARY=PYTHON", help="for --run"
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="ops or ids that match")
    parser.add_argument("--without", default="", metavar="PATTERN,…", help="but not these")
    parser.add_argument("--blamed", default="", metavar="TARGET,…", help="that blame only these")
    parser.add_argument("--config", metavar="FILE", help="targets with interpreters of their own")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    folder: Path = options.output
    if options.add:
        return add(options)
    if options.by_hand:
        return take(folder, [Path(name) for name in options.names])
    found, kept = causes(folder), records(folder)
    wanted = [item for item in found.cause if not options.names or item.main in options.names]
    unknown = {*options.names} - {item.main for item in wanted}
    if unknown:
        parser.error(f"expected the first findings of causes, received {', '.join(unknown)}")
    if options.verify:
        names = [
            name for item in wanted for name in (item.findings if options.all else [item.main])
        ]
        return verify(folder, [kept[name] for name in names], options.fresh, options.jobs)
    if options.run:
        run(folder, wanted, dict(item.split("=") for item in options.python))
    if options.repository:
        look_up(folder, wanted, Path(options.repository))
    rebuild(folder)
    return 0


def rebuild(folder: Path) -> None:
    """Write every page, and remove those of causes that are no more."""
    found, kept = causes(folder), records(folder)
    looked_up = _read(folder / REPOSITORY)
    book = Book(
        folder,
        found,
        kept,
        _read(folder / RESULTS),
        looked_up.get("version", ""),
        looked_up.get("results", {}),
    )
    pages = book.pages()
    for path in folder.glob("*-*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in (*pages.items(), ("README.md", book.index())):
        (folder / name).write_text(text, encoding="utf-8")
    for cause in book.causes:
        if not cause.fixed and book.repaired(cause):
            print(f"{cause.main} looks repaired in {book.repository}: causes.toml does not say so")
    print(f"{len(pages)} pages")


def run(folder: Path, wanted: Sequence[Cause], pythons: Mapping[str, str]) -> None:
    """Record what the repros of these causes give.

    Those in the words of other libraries than Keras run in the interpreters given, by name; in
    this one, if it has the library.
    """
    asked = {item.main: by_backend(item) for item in wanted if "keras" in item.repro}
    told = _read(folder / RESULTS)
    versions = ", ".join(f"{name} {version(name)}" for name in RUN_WITH)
    for name, given in results(asked, folder / "scripts").items():
        told[name] = {"versions": versions, "gives": given}
    kept = records(folder)
    for item in wanted:
        target = kept[item.main].blamed[0]
        library = named(target).library
        python = pythons.get(library, sys.executable if library in RUN_WITH else "")
        if item.main not in asked and python:
            given = {target: result_of(item.repro, python, folder / "scripts")}
            told[item.main] = {"versions": kept[item.main].versions, "gives": given}
    _write(folder / RESULTS, dict(sorted(told.items())))


def by_backend(cause: Cause) -> dict[str, str]:
    """The lines to run on each backend; gradients only where there are any."""
    backends = DIFFERENTIATING if differentiates(cause.repro) else BACKENDS
    own = in_numpy(cause.repro) if cause.numpy is None else cause.numpy
    return dict.fromkeys(backends, cause.repro) | ({NUMPY: own} if own else {})


def look_up(folder: Path, wanted: Sequence[Cause], repository: Path) -> None:
    """Record what the repros give with Keras as it is in the newest commit of its repository."""

    def git(*command: str) -> bytes:
        line = ["git", "--git-dir", str(repository), *command]
        return subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout

    commit, date = git("log", "-1", "--format=%h %cs").decode().split()
    asked = {item.main: by_backend(item) for item in wanted if "keras" in item.repro}
    with tempfile.TemporaryDirectory(prefix="assay-keras-") as copy:
        with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD", "keras"))) as archive:
            archive.extractall(copy, filter="data")
        kept = os.environ.get("PYTHONPATH", "")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (copy, kept)))
        told = results(asked, folder / "scripts")
    copied = f"the stored copy of keras-team/keras of {date} ({commit})"
    told = {**_read(folder / REPOSITORY).get("results", {}), **told}
    _write(folder / REPOSITORY, {"version": copied, "results": dict(sorted(told.items()))})


def add(options: argparse.Namespace) -> int:
    """Keep the bugs of stores, each with the script that was checked."""
    folder: Path = options.output
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    kept = records(folder)
    wanted = [
        (finding, arrays)
        for finding, arrays in bugs(options.names)
        if finding.blamed
        and matches(finding, options.only)
        and not any(matches(finding, pattern) for pattern in options.without.split(","))
        and (not options.blamed or {*finding.blamed} <= {*options.blamed.split(",")})
        and finding.id not in kept
    ]
    print(f"{len(wanted)} to verify, {len(kept)} there", flush=True)
    failed, faults = 0, Faults(print)
    targets = known_targets(load(options.config)) if options.config else {}
    forks = Interpreters(tuple(targets.values()))
    with closing(forks), ThreadPoolExecutor(options.jobs) as pool:
        asked = [(*item, pool.submit(checked, *item, run=forks.verify)) for item in wanted]
        for finding, arrays, answer in asked:
            with faults.excused(f"{finding.id} {finding.op} {finding.kind}: not kept"):
                result = answer.result()
                if result.reason:
                    failed += 1
                    print(f"{finding.id} {finding.op} {finding.kind}: {result.reason}", flush=True)
                    continue
                kept[finding.id] = record(finding, arrays, result)
                script_of(folder, finding.id).write_text(result.script, encoding="utf-8")
                print(f"{finding.id} {kept[finding.id].what}", flush=True)
    keep(folder, kept)
    failed += faults.count
    print(f"{len(wanted) - failed} kept, {failed} did not verify")
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


def record(finding: Finding, arrays: dict[str, Array], result: Checked) -> Record:
    """What is kept of a finding whose script was checked."""
    sides = sides_of(finding, arrays)
    own = speaker_of(finding, sides).sides
    versions = sorted({f"{n} {v}" for known in finding.versions.values() for n, v in known.items()})
    outputs = [ran(platform_of(finding, own.faulty[0]), result.faulty)]
    if result.sound is not None:
        outputs.append(ran(platform_of(finding, own.sound[0]), result.sound))
    return Record(
        fingerprint=finding.fingerprint,
        op=finding.op,
        what=title(finding, sides),
        kind=finding.kind,
        stage=finding.stage,
        blamed=tuple(blamed_platforms(finding)),  # names of targets say nothing elsewhere
        tensors=", ".join(
            f"{item.dtype}[{','.join(map(str, item.shape))}]" for item in finding.case.graph.inputs
        ),
        params=finding.params,
        versions=", ".join(versions),
        evidence="\n".join(observations(finding)) + "\n\n" + "\n".join(analysis(finding)),
        outputs=tuple(outputs),
    )


def ran(platform: Platform, outcome: Outcome | None) -> Ran:
    """The output of a script as pages show it."""
    assert outcome is not None
    assert outcome.code is not None
    versions = ", ".join(f"{name} {version}" for name, version in platform.versions.items())
    named = f"{platform.identity} ({versions})" if versions else platform.identity
    place = f"KERAS_BACKEND={platform.backend}" if platform.backend else named
    return Ran(place, outcome.code, shown(outcome.output))


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _write(path: Path, content: object) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
