"""Findings of every kind, as hunts on Keras 3.15.1 made them, cut down by hand."""

from typing import Any

import msgspec
import numpy as np

from assay.ir import (
    Array,
    Case,
    Dot,
    Evidence,
    Explicit,
    Finding,
    Graph,
    Input,
    Node,
    Observation,
    Uniform,
    platform_of,
)

VERSIONS = {
    "keras-tensorflow": {"keras": "3.15.1", "tensorflow": "2.21.0"},
    "keras-jax": {"keras": "3.15.1", "jax": "0.10.2"},
    "keras-torch": {"keras": "3.15.1", "torch": "2.13.0"},
}
Example = tuple[Finding, dict[str, Array]]


def case_of(node: Node, arrays: dict[str, Array], upstream: Array | None = None) -> Case:
    """One node on these arrays; with an upstream gradient it is differentiated."""
    graph = Graph(
        tuple(Input(name, array.shape, array.dtype.name) for name, array in arrays.items()),
        (node,),
        (node.id,),
    )
    return Case(
        graph=graph,
        inputs={name: Explicit(array) for name, array in arrays.items()},
        weights=Uniform(seed=4, low=-0.5, high=0.5),
        loss=None if upstream is None else Dot((Explicit(upstream),)),
        stage="forward" if upstream is None else "gradient",
    )


def finding_of(
    case: Case, kind: str, blamed: str, observed: dict[str, str | float], **changes: Any
) -> Finding:
    """A finding on the case's only node; ``observed`` is what each target gave."""
    (node,) = case.graph.nodes
    evidence = {
        "observations": tuple(
            Observation(target, target.removeprefix("keras-"), shown)
            if isinstance(shown, str)
            else Observation(target, target.removeprefix("keras-"), f"{shown:.9g}", shown)
            for target, shown in observed.items()
        ),
        "reason": "the others agree",
        "confirmations": 2,
        "attempts": 2,
    }
    evidence.update(changes.pop("evidence", {}))
    base = Finding(
        id="b3f1c0de",
        fingerprint="b3f1c0de" + "0" * 56,
        kind=kind,  # type: ignore[arg-type]
        category="bug",
        stage="forward",
        op=node.op,
        params=node.params,
        responsible=(),
        node=node.id,
        targets=tuple(observed),
        blamed=tuple(blamed.split(",")) if blamed else (),
        evidence=Evidence(**evidence),  # type: ignore[arg-type]
        magnitude=1.0,
        oracle="numeric",
        case=case,
        original=case,
        intent="valid",
        spoilt="",
        versions={target: VERSIONS[target] for target in observed if target in VERSIONS},
        campaign="2026-01-02-001",
        trial=3,
        seed=7,
    )
    return msgspec.structs.replace(base, **changes)


def renamed(finding: Finding, arrays: dict[str, Array], old: str, new: str) -> Example:
    """The same finding of a target that its user calls otherwise."""

    def called(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if name == old else name for name in names)

    evidence = msgspec.structs.replace(
        finding.evidence,
        believed=called(finding.evidence.believed),
        observations=tuple(
            msgspec.structs.replace(item, target=called((item.target,))[0])
            for item in finding.evidence.observations
        ),
    )
    names = dict(zip(called(finding.targets), finding.targets, strict=True))
    changed = msgspec.structs.replace(
        finding,
        targets=tuple(names),
        blamed=called(finding.blamed),
        evidence=evidence,
        versions={name: platform_of(finding, was).versions for name, was in names.items()},
        platforms={name: platform_of(finding, was) for name, was in names.items()},
    )
    kept = {
        name.replace(f"{old}/", f"{new}/") if name.startswith(f"{old}/") else name: array
        for name, array in arrays.items()
    }
    return changed, kept


def inconsistency() -> Example:
    """Rows and columns are swapped for a scalar."""
    node = Node("n0", "keras.ops.unravel_index", ("x0",), {"shape": [3, 4]})
    case = case_of(node, {"x0": np.array(6, "int32")})
    arrays = {}
    for target, values in (("tensorflow", (2, 1)), ("jax", (1, 2)), ("torch", (1, 2))):
        arrays[f"keras-{target}/output:n0"] = np.array(values[0], "int32")
        arrays[f"keras-{target}/output:n0:1"] = np.array(values[1], "int32")
    arrays["reference/output:n0"] = np.array(1, "int64")
    observed = {"keras-tensorflow": 2.0, "keras-jax": 1.0, "keras-torch": 1.0, "reference": 1.0}
    evidence = {"where": "output:n0", "tolerance": 0.0}
    found = finding_of(case, "inconsistency", "keras-tensorflow", observed, evidence=evidence)
    return found, arrays


def nan() -> Example:
    """One sample without its end point."""
    params = {"num": 1, "endpoint": False, "axis": 0}
    node = Node("n0", "keras.ops.geomspace", ("x0", "x1"), params)
    case = case_of(node, {"x0": np.float32(1.5).reshape(()), "x1": np.array([3, 2], "float32")})
    right = np.array([[1.5, 1.5]], "float32")
    arrays = {
        "keras-torch/output:n0": np.full((1, 2), np.nan, "float32"),
        "keras-jax/output:n0": right,
        "reference/output:n0": right.astype("float64"),
    }
    observed = {"keras-torch": float("nan"), "keras-jax": 1.5, "reference": 1.5}
    evidence = {"where": "output:n0", "position": (0, 0), "tolerance": 0.0}
    return finding_of(case, "nan", "keras-torch", observed, evidence=evidence), arrays


def gradient() -> Example:
    """The slope of celu at zero is counted twice."""
    node = Node("n0", "keras.activations.celu", ("x0",))
    upstream = np.array([1.0, 2.0, 3.0], "float32")
    case = case_of(node, {"x0": np.array([0.0, 1.0, -1.0], "float32")}, upstream)
    right = np.array([1.0, 2.0, 3 * np.exp(-1.0)], "float32")
    wrong = np.array([2.0, 2.0, 3 * np.exp(-1.0)], "float32")
    arrays = {
        "keras-tensorflow/gradient:input:x0": wrong,
        "keras-jax/gradient:input:x0": right,
        "keras-torch/gradient:input:x0": right,
        **{f"keras-{t}/output:n0": right for t in ("tensorflow", "jax", "torch")},
    }
    observed = {"keras-tensorflow": 2.0, "keras-jax": 1.0, "keras-torch": 1.0}
    evidence = {"where": "gradient:input:x0", "position": (0,), "tolerance": 0.002}
    return (
        finding_of(
            case, "inconsistency", "keras-tensorflow", observed, stage="gradient", evidence=evidence
        ),
        arrays,
    )


def weight_gradient() -> Example:
    """No defect of Keras: the gradient of a kernel, for the text and a run that finds nothing."""
    node = Node("n0", "keras.layers.Dense", ("x0",), {"units": 1, "use_bias": False})
    upstream = np.array([[2.0]], "float32")
    case = case_of(node, {"x0": np.array([[1.0, 3.0]], "float32")}, upstream)
    right = np.array([[2.0], [6.0]], "float32")
    arrays = {
        "keras-torch/gradient:weight:n0:0": right + 1,
        "keras-jax/gradient:weight:n0:0": right,
        "keras-jax/output:n0": np.array([[1.0]], "float32"),
    }
    observed = {"keras-torch": 3.0, "keras-jax": 2.0}
    evidence = {"where": "gradient:weight:n0:0", "position": (0, 0), "tolerance": 0.001}
    return (
        finding_of(
            case, "inconsistency", "keras-torch", observed, stage="gradient", evidence=evidence
        ),
        arrays,
    )


def error() -> Example:
    """One shift for a tuple of one axis."""
    node = Node("n0", "keras.ops.roll", ("x0",), {"shift": 2, "axis": [1]})
    case = case_of(node, {"x0": np.arange(12, dtype="float32").reshape(3, 4)})
    message = "InvalidArgumentError: shift and axis must have the same size"
    observed = {"keras-tensorflow": message, "keras-jax": "works", "keras-torch": "works"}
    evidence = {"message": message}
    return finding_of(case, "error", "keras-tensorflow", observed, evidence=evidence), {}


def error_in_the_gradient() -> Example:
    """A transform shorter than its input."""
    node = Node("n0", "keras.ops.rfft", ("x0",), {"fft_length": 4})
    case = case_of(node, {"x0": np.arange(5, dtype="float32")}, np.ones((3,), "float32"))
    ones = Explicit(np.ones((3,), "float32"))
    case = msgspec.structs.replace(
        case,
        graph=msgspec.structs.replace(case.graph, outputs=("n0:0", "n0:1")),
        loss=Dot((ones, ones)),
    )
    message = "InvalidArgumentError: Incompatible shapes: [4] vs. [5]"
    observed = {"keras-tensorflow": message, "keras-jax": "works", "keras-torch": "works"}
    arrays = {
        f"keras-{target}/output:n0{place}": np.zeros((3,), "float32")
        for target in ("jax", "torch")
        for place in ("", ":1")
    }
    evidence = {"message": message}
    found = finding_of(
        case, "error", "keras-tensorflow", observed, stage="gradient", evidence=evidence
    )
    return found, arrays


def validation() -> Example:
    """A padding that does not exist."""
    params = {"pool_size": 2, "padding": "full"}
    node = Node("n0", "keras.layers.AveragePooling1D", ("x0",), params)
    case = case_of(node, {"x0": np.ones((1, 4, 1), "float32")})
    message = "ValueError: Invalid padding"
    observed = {"keras-torch": "works", "keras-tensorflow": message, "keras-jax": message}
    found = finding_of(case, "validation", "keras-torch", observed, stage="build")
    return msgspec.structs.replace(found, responsible=("padding",), intent="invalid"), {}


def crash() -> Example:
    """A transform of length zero."""
    node = Node("n0", "keras.ops.irfft", (("x0", "x1"),), {"fft_length": 0})
    tensors = {name: np.ones((5,), "float32") for name in ("x0", "x1")}
    observed = {"keras-tensorflow": "SIGABRT", "keras-torch": "RuntimeError: Invalid number"}
    evidence = {"message": "SIGABRT"}
    case = case_of(node, tensors)
    return finding_of(case, "crash", "keras-tensorflow", observed, evidence=evidence), {}


def nondeterminism() -> Example:
    """No defect: a script that asks a hundred times and finds nothing."""
    node = Node("n0", "keras.ops.square", ("x0",))
    case = case_of(node, {"x0": np.array([1.0, 2.0], "float32")})
    observed = {"keras-torch": "run 1: 1.0"}
    evidence = {"where": "output:n0", "position": (0,), "tolerance": 0.001}
    arrays = {"keras-torch/output:n0": np.array([1.0, 4.0], "float32")}
    return finding_of(case, "nondeterminism", "keras-torch", observed, evidence=evidence), arrays


def configuration() -> Example:
    """No defect: a layer with weights that survives from_config(get_config())."""
    node = Node("n0", "keras.layers.Dense", ("x0",), {"units": 2})
    case = case_of(node, {"x0": np.array([[1.0, 2.0]], "float32")})
    observed = {"keras-torch": "output:n0: 1 became 2"}
    evidence = {"message": "another result after from_config(get_config())"}
    found = finding_of(case, "equivalence", "keras-torch", observed, evidence=evidence)
    return msgspec.structs.replace(found, round_trip="config", stage="build"), {}


def saving() -> Example:
    """A layer that cannot be saved in a functional model."""
    params = {"data_format": "channels_last"}
    node = Node("n0", "keras.layers.Equalization", ("x0",), params)
    case = case_of(node, {"x0": np.arange(8, dtype="float32").reshape(2, 2, 2)})
    message = "ValueError: Tensor is part of a cycle. after saving and loading"
    observed = {"keras-tensorflow": message, "keras-torch": message}
    found = finding_of(
        case,
        "equivalence",
        "keras-tensorflow,keras-torch",
        observed,
        evidence={"message": message},
    )
    return msgspec.structs.replace(found, round_trip="save", stage="build"), {}


def optimizer() -> Example:
    """No defect: one step of plain gradient descent."""
    node = Node("n0", "keras.optimizers.SGD", ("x0", "x1"), {"learning_rate": 0.5})
    tensors = {"x0": np.array([1.0, 2.0], "float32"), "x1": np.array([1.0, -1.0], "float32")}
    right = np.array([0.5, 2.5], "float32")
    arrays = {"keras-torch/output:n0": right + 1, "keras-jax/output:n0": right}
    observed = {"keras-torch": 1.5, "keras-jax": 0.5}
    evidence = {"where": "output:n0", "position": (0,), "tolerance": 0.001}
    case = case_of(node, tensors)
    return finding_of(case, "inconsistency", "keras-torch", observed, evidence=evidence), arrays


def metric() -> Example:
    """No defect: a metric with several thresholds, which must be a list."""
    node = Node("n0", "keras.metrics.Precision", ("x0", "x1"), {"thresholds": [0.25, 0.75]})
    tensors = {"x0": np.array([1.0, 0.0], "float32"), "x1": np.array([0.5, 0.5], "float32")}
    right = np.array([0.5, 0.0], "float32")
    arrays = {"keras-torch/output:n0": right + 1, "keras-jax/output:n0": right}
    observed = {"keras-torch": 1.5, "keras-jax": 0.5}
    evidence = {"where": "output:n0", "position": (0,), "tolerance": 0.001}
    case = case_of(node, tensors)
    return finding_of(case, "inconsistency", "keras-torch", observed, evidence=evidence), arrays


EXAMPLES = {
    function.__name__: function
    for function in (
        inconsistency,
        nan,
        gradient,
        weight_gradient,
        error,
        error_in_the_gradient,
        validation,
        crash,
        nondeterminism,
        configuration,
        saving,
        optimizer,
        metric,
    )
}
