"""Do two builds of a catalogue say the same, and what does one cost?

``python benchmarks/builds.py torch jax`` makes each catalogue in a cache of its own and compares
it, entry by entry, with that of the user's cache (with a second new one where there is none, or
with ``--both``). Prints the CPU seconds of every build, workers included, what differs, and how.
Exits with 1 if anything does.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from assay.catalogue import storing
from assay.catalogue.records import Entry, Snapshot


def built(target: str, cache: str) -> tuple[Snapshot, float]:
    """The catalogue of a build from nothing, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "assay", "apis", target, "--fresh", "--quiet", "--json"],
        env={**os.environ, "ASSAY_CACHE": cache},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    (path,) = (Path(cache) / "catalogues").glob(f"{target}-*.json")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return msgspec.json.decode(path.read_bytes(), type=Snapshot), spent


def kept(made: Snapshot) -> Snapshot | None:
    """The one of the same version that the user has."""
    return storing.load(made.library, made.version)


def differences(first: Snapshot, second: Snapshot) -> Iterator[tuple[str, str]]:
    """What is not the same in two catalogues, as (API, what), in the order of names."""
    ones = {entry.api: entry for entry in first.entries}
    others = {entry.api: entry for entry in second.entries}
    for api in sorted(ones.keys() | others.keys()):
        if api not in ones or api not in others:
            yield api, f"only in the {'first' if api in ones else 'second'}"
        elif ones[api] != others[api]:
            yield api, "; ".join(_fields(ones[api], others[api]))


def _fields(one: Entry, other: Entry) -> Iterator[str]:
    for name in Entry.__struct_fields__:
        mine, its = getattr(one, name), getattr(other, name)
        if mine == its:
            continue
        if name != "calls" or len(mine) != len(its):
            count = len if name == "calls" else repr
            yield f"{name}: {count(mine)} and {count(its)}"
            continue
        for number, (call, same) in enumerate(zip(mine, its, strict=True)):
            for field in type(call).__struct_fields__:
                if getattr(call, field) != getattr(same, field):
                    yield f"call {number} {field}: {getattr(call, field)} and {getattr(same, field)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, compare and print; 1 if two builds differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="+", metavar="TARGET")
    parser.add_argument("--both", action="store_true", help="build both, whatever there is")
    options = parser.parse_args(arguments)
    equal = True
    for target in options.targets:
        with tempfile.TemporaryDirectory() as cache:
            first, seconds = built(target, cache)
        times = [seconds]
        second = None if options.both else kept(first)
        if second is None:
            with tempfile.TemporaryDirectory() as cache:
                second, seconds = built(target, cache)
            times.append(seconds)
        found = list(differences(first, second))
        told = " and ".join(f"{seconds:.0f}" for seconds in times)
        print(
            f"{first.library} {first.version}: {told} CPU seconds, hashes {first.digest} and "
            f"{second.digest}, {len(found)} of {len(first.entries)} entries differ"
        )
        for api, what in found:
            print(f"    {api}: {what}")
        equal = equal and not found
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
