"""For each oracle: observations in which it must see a fault, and in which it must not."""

from typing import Any

import numpy as np

from assay.ir import Failure
from assay.judge import Observed
from tests.judge.observations import (
    TARGETS,
    all_ok,
    died,
    observed,
    ok,
    one_differs,
    raised,
    with_loss,
)

TF, JAX, TORCH = TARGETS
UNSTABLE: dict[str, Any] = {
    "unstable": ("output:n2",),
    "repeated": {"output:n2": np.array([[0.25, 7.0]], "float32")},
}
RESHAPED: dict[str, Any] = {
    "unstable": ("output:n2",),
    "repeated": {"output:n2": np.array([0.25], "float32")},
}
LOST: dict[str, Any] = {
    "second_failure": Failure("build", "builtins.TypeError", "no such argument", "n2")
}
INVALID: dict[str, Any] = {"intent": "invalid", "suspect": "units"}

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
        [observed(ok(TF), ok(TORCH, **UNSTABLE))],
        [
            all_ok(),
            observed(
                ok(
                    TORCH,
                    unstable=("output:n2",),
                    repeated={"output:n2": np.array([[0.25, -3.0000002]], "float32")},
                )
            ),
        ],
    ),
    "round-trip": (
        [
            observed(ok(TF), ok(TORCH, **UNSTABLE), round_trip="config"),
            observed(ok(TF, **LOST), ok(TORCH, **UNSTABLE), round_trip="save"),
            observed(ok(TF, **RESHAPED), ok(TORCH), round_trip="save"),
        ],
        [
            all_ok(round_trip="config"),
            observed(ok(TF), ok(TORCH, **UNSTABLE)),
            observed(raised(TF), ok(TORCH), round_trip="save"),
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
