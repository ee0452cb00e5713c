"""Extra steps of an installation, by the name that definitions use."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from assay.targets.environments import cntk_mpi_stub


class Step(msgspec.Struct, frozen=True):
    """Something an installation needs that pip cannot do.

    ``run`` gets the environment's folder and gives a line for the log; ``lacks`` says what the
    machine lacks for it, or "". ``edition`` counts up when it makes something else: what was
    made before is then made anew.
    """

    run: Callable[[Path], str]
    lacks: Callable[[], str]
    edition: int


STEPS: Mapping[str, Step] = {"cntk-mpi-stub": Step(cntk_mpi_stub.make_stub, cntk_mpi_stub.lacks, 1)}
