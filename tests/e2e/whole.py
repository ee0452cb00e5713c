"""A hunt that nothing disturbs: what one that is interrupted, killed or halved must amount to."""

from pathlib import Path
from typing import Any

import msgspec

from tests.e2e.command import QUICK_TARGET, Command, seed_that_draws
from tests.e2e.patches import WRONG, target

#: Enough to be interrupted in the middle more than once.
CASES = 60


class Whole(msgspec.Struct, frozen=True):
    """Where such a hunt left its findings, and the document it gave."""

    store: Path
    document: Any


def prepare(assay: Command, cases: int = CASES) -> tuple[str, ...]:
    """Write a target with two wrong layers; the arguments of a hunt that soon finds one of them."""
    assay.write("wrong.py", WRONG)
    assay.write("assay.toml", target("mine", "wrong.py"))
    seed = seed_that_draws("keras.layers.ReLU", within=10)
    return (
        *("hunt", "--no-witnesses", "--targets", f"mine,{QUICK_TARGET}"),
        *("--seed", str(seed), "--cases", str(cases)),
    )
