"""Do the scripts of docs/found end as they say?"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import msgspec
from records import Record, script_of
from repros import ENVIRONMENT

from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.reproducer import Outcome
from assay.ir import Platform, named


class Expected(msgspec.Struct, frozen=True):
    """A script, where it runs, and how it has to end."""

    name: str
    platform: Platform
    code: int


def expected(found: Sequence[Record]) -> Iterator[Expected]:
    """0 on whatever is blamed, 1 on each backend that is believed.

    Findings of libraries that are not installed here are left out.
    """
    for record in found:
        blamed = [named(name) for name in record.blamed]
        if not all(installed(platform) for platform in blamed):
            continue
        yield from (Expected(record.id, platform, 0) for platform in blamed)
        believed = (ran.backend for ran in record.outputs if ran.code == 1 and ran.backend)
        yield from (Expected(record.id, Platform("keras", backend), 1) for backend in believed)


def installed(platform: Platform) -> bool:
    """Is the library to be had in this interpreter?"""
    return find_spec(platform.library) is not None


def verify(folder: Path, found: Sequence[Record], fresh: bool, jobs: int) -> int:
    """Run them, say what ends otherwise, and how many of which kind end as they say.

    ``fresh``: only those of TensorFlow, in processes of their own in whose environment oneDNN
    is asked for.
    """
    os.environ.update(ENVIRONMENT | ({"TF_ENABLE_ONEDNN_OPTS": "1"} if fresh else {}))
    wanted = [item for item in expected(found) if not fresh or _is_tensorflow(item.platform)]
    forks = Interpreters()

    def run(item: Expected) -> Outcome:
        script = script_of(folder, item.name).read_text(encoding="utf-8")
        ask = forks.verify_fresh if fresh else forks.verify
        return ask(script, item.platform.identity, item.platform)

    counts: Counter[tuple[str, int, bool]] = Counter()
    with closing(forks), ThreadPoolExecutor(jobs) as pool:
        for item, outcome in zip(wanted, pool.map(run, wanted), strict=True):
            right = outcome.code == item.code
            place = item.platform.backend or item.platform.library
            counts[place, item.code, right] += 1
            if not right:
                said = (outcome.output + outcome.error).strip().splitlines()[-1:]
                print(
                    f"{item.name} on {place}: expected {item.code}, received "
                    f"{outcome.code}: {' '.join(said)[:200]}",
                    flush=True,
                )
    for (place, code, right), count in sorted(counts.items()):
        print(f"{place}: {count} {'end' if right else 'DO NOT end'} with {code}")
    failed = sum(count for (_, _, right), count in counts.items() if not right)
    others = sum(not all(map(installed, map(named, record.blamed))) for record in found)
    print(f"{len(wanted)} runs, {failed} ended otherwise; {others} of libraries not here left out")
    return 1 if failed else 0


def _is_tensorflow(platform: Platform) -> bool:
    return "tensorflow" in (platform.library, platform.backend)
