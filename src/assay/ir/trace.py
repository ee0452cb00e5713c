"""Trace: what an arm produced.

Arrays are named by what they are, so that two traces are compared by name:
``output:NODE`` (``output:NODE:1`` for further outputs), ``loss``,
``gradient:input:NAME``, ``gradient:output:NODE``, ``gradient:weight:NODE:INDEX``,
``state:NODE:INDEX`` (a non-trainable weight that a training call changed),
``weight:NODE:INDEX`` and ``update:NODE:INDEX`` (a trainable weight before and after a step of the
optimizer).
``absent:G``, an empty array, marks a gradient ``G`` that the library has none of:
it is compared as zeros.
"""

from typing import Literal

import msgspec
import numpy as np

from assay.ir.recipe import Array

Status = Literal["ok", "error", "crash", "timeout", "memory"]


class Failure(msgspec.Struct, frozen=True):
    """Why an arm has no result.

    ``node`` is empty when no single node can be named. ``signal`` is the name
    of the signal that killed the process (``"SIGSEGV"``), if one did.
    """

    stage: str
    exception: str
    message: str
    node: str = ""
    stack: str = ""
    signal: str = ""


class Trace(msgspec.Struct, frozen=True):
    """What an arm produced: arrays, and if it failed, where and how.

    ``arm`` is the arm's name. ``digest`` identifies the inputs, weights and labels
    the arm really used; arms with different digests were not asked the same question.
    ``draw`` is the draw of the trial's inputs that it is about, of ``draws`` that were run.
    """

    arm: str
    status: Status
    arrays: dict[str, np.ndarray] = {}
    failure: Failure | None = None
    digest: str = ""
    cpu_seconds: float = 0.0
    draw: int = 0
    draws: int = 1

    def outputs(self) -> dict[str, Array]:
        """Arrays of the forward stage by tensor name."""
        return {
            name.removeprefix("output:"): array
            for name, array in self.arrays.items()
            if name.startswith("output:")
        }
