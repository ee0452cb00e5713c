"""Hand-made observations: a chain of three nodes on a few targets."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from assay.ir import (
    AGAIN,
    SEPARATOR,
    Arm,
    Array,
    Case,
    Dot,
    Explicit,
    Failure,
    Graph,
    Input,
    Intent,
    LossOp,
    Node,
    OneHot,
    Trace,
    Trial,
    Uniform,
    named,
)
from assay.judge import Observed

X = np.array([[1.0, -2.0, 0.5]], "float32")
#: The nodes n1 -> n2 -> n3 and what every healthy arm computes for them.
OPS = {"n1": "keras.ops.abs", "n2": "keras.layers.Dense", "n3": "keras.ops.square"}
ARRAYS: dict[str, Array] = {
    "output:n1": np.array([[1.0, 2.0, 0.5]]),
    "output:n2": np.array([[0.25, -3.0]]),
    "output:n3": np.array([[0.0625, 9.0]]),
    "loss": np.array(9.0625),
    "gradient:output:n3": np.array([[1.0, 1.0]]),
    "gradient:output:n2": np.array([[0.5, -6.0]]),
    "gradient:weight:n2:0": np.array([[0.5, 1.0, 0.25], [6.0, 12.0, 3.0]]),
    "gradient:output:n1": np.array([[0.125, 1.0, -1.0]]),
    "gradient:input:x": np.array([[0.125, -1.0, -1.0]]),
}
LOSS = LossOp("keras.losses.MeanSquaredError", OneHot(1), (1, 2))
CHAIN = Case(
    graph=Graph(
        (Input("x", (1, 3)),),
        (
            Node("n1", OPS["n1"], ("x",)),
            Node("n2", OPS["n2"], ("n1",), {"units": 2}),
            Node("n3", OPS["n3"], ("n2",)),
        ),
        ("n3",),
    ),
    inputs={"x": Explicit(X)},
    loss=Dot((Uniform(3),)),
    stage="gradient",
)
TARGETS = ("keras-tensorflow", "keras-jax", "keras-torch")


def votes(target: str, op: str) -> str:
    """The implementation: ``keras-torch+compile`` is torch."""
    return target.removeprefix("keras-").partition("+")[0].partition("@")[0]


def ok(target: str, changed: Mapping[str, Any] | None = None, **fields: Any) -> Trace:
    """A finished arm; ``changed`` replaces arrays (None removes one)."""
    dtype = "float64" if target == "reference" else "float32"
    arrays: dict[str, Any] = {name: array.astype(dtype) for name, array in ARRAYS.items()}
    for name, value in (changed or {}).items():
        given = value is None or isinstance(value, np.ndarray)
        arrays[name] = value if given else np.asarray(value, dtype)
    present = {name: array for name, array in arrays.items() if array is not None}
    fields = {"digest": "inputs:labels", **fields}
    return Trace(target, "ok", present, **fields)


def further(trace: Trace, variant: str = AGAIN) -> Trace:
    """A trace as that of a further run of its target."""
    return msgspec.structs.replace(trace, arm=Arm(trace.arm, variant=variant).name)


def raised(
    target: str,
    node: str = "n2",
    stage: str = "forward",
    message: str = "incompatible shapes",
    exception: str = "builtins.ValueError",
) -> Trace:
    """An arm that raised at a node."""
    failure = Failure(stage, exception, message, node, stack="Traceback …")
    return Trace(target, "error", {}, failure, digest="inputs:")


def died(target: str, status: str = "crash", cause: str = "SIGSEGV", node: str = "n2") -> Trace:
    """An arm whose process died."""
    failure = Failure("forward", cause, f"the process died: {cause}", node, signal=cause)
    return Trace(target, status, {}, failure)  # type: ignore[arg-type]


def observed(
    *traces: Trace,
    case: Case = CHAIN,
    intent: Intent = "valid",
    spoilt: str = "",
) -> Observed:
    """These arms of one trial."""
    trial = Trial(
        index=0,
        source="test",
        cases=(case,),
        arms=tuple(_arm(trace.arm) for trace in traces),
        intent=intent,
        spoilt=spoilt,
    )
    platforms = {target: named(target) for target in trial.targets}
    return Observed(trial, {trace.arm: trace for trace in traces}, votes, platforms)


def _arm(name: str) -> Arm:
    target, _, variant = name.partition(SEPARATOR)
    return Arm(target, variant=variant)


def all_ok(*targets: str, **fields: Any) -> Observed:
    """Everybody agrees."""
    return observed(*(ok(target) for target in targets or (*TARGETS, "reference")), **fields)


def one_differs(
    changed: Mapping[str, Any], *, by: str = "keras-torch", case: Case = CHAIN
) -> Observed:
    """One arm has other arrays; three implementations and the reference."""
    targets = (*TARGETS, "reference")
    return observed(*(ok(t, changed if t == by else None) for t in targets), case=case)


def with_op(op: str, node: str = "n2") -> Case:
    """The chain with another op at a node."""
    nodes = tuple(
        msgspec.structs.replace(item, op=op) if item.id == node else item
        for item in CHAIN.graph.nodes
    )
    graph = msgspec.structs.replace(CHAIN.graph, nodes=nodes)
    return msgspec.structs.replace(CHAIN, graph=graph)


def with_loss() -> Case:
    """The chain with a loss of the library's own."""
    return msgspec.structs.replace(CHAIN, loss=LOSS)
