"""Does the script of a seeded fault tell the library with it from the library without?"""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from assay.campaign.triage.interpreters import Interpreters
from assay.ir import Array, Finding, platform_of
from assay.reproduce import CannotReproduce, script
from assay.store import open_store
from assay.targets import Target
from seeded.score import Ends, Score


def told(scores: Sequence[Score], target: Target, store: Path) -> list[Score]:
    """The scores with how the scripts of their bugs end.

    ``target`` is the faulty one: a script runs with its prelude, and then without it.
    """
    found = []
    with closing(Interpreters([target])) as interpreters, open_store(str(store), False) as opened:
        for score in scores:
            # As `assay export` has it: with what the hunt knows of its script by now.
            bugs = [opened.finding(bug.fingerprint) for bug in score.bugs]
            ends = (_ends(bug, opened.arrays(bug.id), target, interpreters) for bug in bugs)
            found.append(msgspec.structs.replace(score, ends=tuple(ends)))
    return found


def _ends(bug: Finding, arrays: dict[str, Array], target: Target, run: Interpreters) -> Ends:
    try:
        text = script(bug, arrays)
    except CannotReproduce as error:
        return Ends(reason=f"no script: {error}")
    platform = platform_of(bug, target.name)
    return Ends(
        run.verify(text, target.name, platform).code,
        run.verify_unchanged(text, target.name, platform).code,
    )
