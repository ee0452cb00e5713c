"""For each oracle: observations in which it must see a fault, and in which it must not."""

from typing import Any

import numpy as np

from assay.judge import Observed
from tests.judge.observations import (
    TARGETS,
    all_ok,
    died,
    further,
    observed,
    ok,
    one_differs,
    raised,
    with_loss,
)

TF, JAX, TORCH = TARGETS
UNSTABLE = ok(TORCH, {"output:n2": [[0.25, 7.0]]})
RESHAPED = ok(TF, {"output:n2": [0.25]})
LOST = raised(TF, stage="build", message="no such argument", exception="builtins.TypeError")
INVALID: dict[str, Any] = {"intent": "invalid", "spoilt": "units"}

#: By name of the oracle: (failing, healthy).
EXAMPLES: dict[str, tuple[list[Observed], list[Observed]]] = {
    "crash": (
        [
            observed(ok(TF), ok(JAX), died(TORCH)),
            observed(ok(TF), died(JAX, "timeout", "timeout"), died(TORCH, "memory", "memory")),
            observed(raised(TF), died(TORCH), **INVALID),
        ],
        [all_ok(), observed(died(TF), died(TORCH)), observed(raised(TF), ok(JAX), ok(TORCH))],
    ),
    "error": (
        [
            observed(ok(TF), ok(JAX), raised(TORCH)),
            observed(ok(TF), raised(JAX), raised(TORCH)),
            observed(ok(TF), ok("reference"), raised(TORCH, node="", stage="gradient")),
        ],
        [
            all_ok(),
            observed(raised(TF), raised(JAX), raised(TORCH)),
            observed(raised(TF), raised(JAX), ok("reference")),
            observed(ok(TF), ok(JAX), raised("reference")),
            observed(ok(TF), died(TORCH)),
            observed(ok(TF), raised(TORCH), **INVALID),
        ],
    ),
    "validation": (
        [
            observed(raised(TF, stage="build"), raised(JAX), ok(TORCH), **INVALID),
            observed(ok(TF), ok(JAX), raised(TORCH), **INVALID),
        ],
        [
            all_ok(**INVALID),
            observed(raised(TF), raised(TORCH), **INVALID),
            observed(raised(TF), raised(TORCH), ok("reference"), **INVALID),
            observed(ok(TF), ok(TORCH), raised("reference"), **INVALID),
            observed(ok(TF), raised(TORCH)),
        ],
    ),
    "nondeterminism": (
        [
            observed(ok(TF), ok(TORCH), further(UNSTABLE)),
            observed(ok(TF), ok(TORCH), further(raised(TORCH))),
        ],
        [
            all_ok(),
            observed(ok(TORCH), further(ok(TORCH, {"output:n2": [[0.25, -3.0000002]]}))),
            observed(ok(TF), ok(TORCH), further(UNSTABLE, "config")),
            observed(ok(TF), raised(TORCH), further(raised(TORCH))),
        ],
    ),
    "round-trip": (
        [
            observed(ok(TF), ok(TORCH), further(UNSTABLE, "config")),
            observed(ok(TF), further(LOST, "save"), ok(TORCH), further(UNSTABLE, "save")),
            observed(ok(TF), further(RESHAPED, "save"), ok(TORCH)),
        ],
        [
            all_ok(),
            observed(ok(TF), further(ok(TF), "config"), ok(TORCH), further(ok(TORCH), "config")),
            observed(ok(TF), ok(TORCH), further(UNSTABLE)),
            observed(raised(TF), further(raised(TF), "save"), ok(TORCH)),
        ],
    ),
    "numeric": (
        [
            one_differs({"output:n2": [[0.25, -2.0]]}),
            one_differs({"output:n2": [[0.25, np.nan]]}),
            one_differs({"output:n3": [0.0625, 9.0]}),
            one_differs({"gradient:weight:n2:0": np.zeros((2, 3), "float32")}),
            one_differs({"loss": 3.0}, case=with_loss()),
            observed(ok(TF), ok(TORCH, {"output:n1": [[1.0, 2.0, 0.0]]})),
        ],
        [
            all_ok(),
            one_differs({"output:n2": [[0.25, -3.0000002]]}),
            one_differs({"output:n2": None}),
            observed(ok(TF, {"output:n2": [[0.25, -2.0]]})),
            observed(ok(TF), raised(TORCH), died(JAX)),
        ],
    ),
}
