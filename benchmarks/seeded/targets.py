"""The targets of the benchmark: healthy ones, and ones with faults put into them."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from assay.libraries import SHARED
from assay.targets import Target, builtin_targets
from seeded.draw import Fault

_HERE = Path(__file__).parent


def name_of(target: str) -> str:
    """The name of the faulty double of a target."""
    return f"{target}-faulty"


def healthy(target: str) -> Target:
    """The double of a target before faults were put into it."""
    return msgspec.structs.replace(builtin_targets()[target], name=name_of(target))


def faulty(target: str, faults: Sequence[Fault], directory: Path, dry: bool = False) -> Target:
    """The double with its share of the faults; ``dry``: where it would die, it raises."""
    mine = [fault for fault in faults if fault.target == target]
    table = directory / f"{name_of(target)}{'-dry' if dry else ''}.json"
    table.write_bytes(msgspec.json.encode(mine))
    double = healthy(target)
    env = {**double.env, "ASSAY_FAULTS": str(table)}
    if dry:
        env["ASSAY_FAULTS_DRY"] = "1"
    prelude = "inject.py" if double.library == SHARED else "inject_native.py"
    return msgspec.structs.replace(double, prelude=str(_HERE / prelude), env=env)
