"""Do the scripts keep their promises: 0 where the bug is, 1 where it is not, 2 without the library?

``python benchmarks/scripts.py STORE [--every N] [--jobs N] [--forks]`` exports every bug of
a store and runs its script in fresh interpreters: on each backend that is blamed, on one
that is believed (unless all are blamed), and with a Python that has no library at all. It
prints what did not go as promised and a table. ``--forks`` takes forks of interpreters that
have imported Keras and done nothing else: as good, and faster.
"""

import argparse
import ast
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from statistics import median

import msgspec

from assay.campaign.triage.interpreters import Interpreters, modules_of
from assay.campaign.triage.reproducer import Outcome, Run, checked, outcome
from assay.ir import Array, Finding, platform_of
from assay.reproduce import sides_of, speaker_of
from assay.store import open_store

LINES_GOAL = 25


class Result(msgspec.Struct, frozen=True):
    """What became of one finding's script; ``sound`` is None if no backend is sound."""

    finding: Finding
    reason: str
    lines: int = 0
    faulty: bool = False
    sound: bool | None = None
    missing: bool = False
    imports: bool = False
    honours: bool = False


def result_of(finding: Finding, arrays: dict[str, Array], run: Run) -> Result:
    made = checked(finding, arrays, run)
    if not made.script:
        return Result(finding, made.reason)
    speaker = speaker_of(finding, sides_of(finding, arrays))
    own = speaker.sides
    modules = {name.partition(".")[0] for name in modules_of(speaker.library.name)}
    bare = without_libraries(made.script)
    return Result(
        finding,
        made.reason,
        len(made.script.splitlines()),
        made.faulty is not None and made.faulty.code == 0,
        (made.sound is not None and made.sound.code == 1) if own.sound else None,
        bare.code == 2 and bare.output.startswith("cannot run: ") and bare.output.count("\n") == 1,
        imported(made.script)
        <= {"numpy", *modules, *(platform_of(finding, t).backend for t in own.faulty + own.sound)},
        not speaker.chooses_backend or 'os.environ.setdefault("KERAS_BACKEND"' in made.script,
    )


def imported(script: str) -> set[str]:
    """What a script imports beside the standard library; of a helper only its own branch runs."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Import):
            names |= {item.name.partition(".")[0] for item in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    backends = {"tensorflow", "torch", "jax"} if "backend == " in script else set()
    return names - set(sys.stdlib_module_names) - backends


def without_libraries(script: str) -> Outcome:
    """How it ends in a Python without Keras and numpy."""
    with tempfile.TemporaryDirectory(prefix="assay-scripts-") as folder:
        path = Path(folder, "repro.py")
        path.write_text(script, encoding="utf-8")
        # Neither the packages of this interpreter nor those of the environment.
        command = [sys.executable, "-I", "-S", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return outcome(done.returncode, done.stdout, done.stderr)


def share(results: list[Result], name: str) -> str:
    asked = [getattr(item, name) for item in results if getattr(item, name) is not None]
    return f"{sum(asked)} of {len(asked)}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th bug only")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--forks", action="store_true", help="forks instead of fresh interpreters")
    options = parser.parse_args(arguments)
    with open_store(options.store, create=False) as store:
        bugs = store.findings(categories=["bug"])[:: options.every]
        found = [(bug, store.arrays(bug.id)) for bug in bugs]
    forks = Interpreters()
    run: Run = forks.verify if options.forks else forks.verify_fresh
    results = []
    with closing(forks), ThreadPoolExecutor(options.jobs) as pool:
        for item in pool.map(lambda pair: result_of(*pair, run), found):
            results.append(item)
            if item.reason:
                print(f"{item.finding.id} {item.finding.op}: {item.reason}", flush=True)
    made = [item for item in results if item.lines]
    lines = median(item.lines for item in made)
    print(f"scripts                                  {len(made)} of {len(results)} bugs")
    print(f"lines, median                            {lines:g}")
    print(f"0 where the bug is                       {share(made, 'faulty')}")
    print(f"1 on a backend without it                {share(made, 'sound')}")
    print(f"2 and one line without the library       {share(made, 'missing')}")
    print(f"import only the library and numpy        {share(made, 'imports')}")
    print(f"honour KERAS_BACKEND                     {share(made, 'honours')}")
    kept = all(
        not item.reason and item.missing and item.imports and item.honours for item in results
    )
    return 0 if kept and lines <= LINES_GOAL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
