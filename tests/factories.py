"""Records for tests: small, complete, and different where it matters."""

import hashlib
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
    Mixed,
    Node,
    Observation,
    Uniform,
)


def case_of(*arrays: Array) -> Case:
    """One node that adds these arrays, which are the inputs x0, x1 …"""
    names = [f"x{i}" for i in range(len(arrays))]
    graph = Graph(
        tuple(Input(n, a.shape, a.dtype.name) for n, a in zip(names, arrays, strict=True)),
        (Node("n", "keras.ops.add", tuple(names)),),
        ("n",),
    )
    explicit = {name: Explicit(array) for name, array in zip(names, arrays, strict=True)}
    return Case(graph, explicit, weights=Uniform(4))


def make_case(seed: int = 0, **params: Any) -> Case:
    """A pooling case; ``seed`` makes it differ from others."""
    settings = params or {"pool_size": [3, 3], "padding": "same"}
    return Case(
        graph=Graph(
            inputs=(Input("x", (1, 5, 6, 1)),),
            nodes=(Node("n1", "keras.layers.AveragePooling2D", ("x",), settings),),
            outputs=("n1",),
        ),
        inputs={"x": Mixed(seed=seed, classes=("nan", "zero"))},
        explicit_weights={"n1": (Explicit(np.array([1.5, -0.0, np.nan], dtype="float32")),)},
        loss=Dot((Uniform(seed=seed + 1),)),
        stage="gradient",
    )


def make_finding(name: object = 0, **changes: Any) -> Finding:
    """A finding whose fingerprint depends on ``name`` alone."""
    fingerprint = hashlib.sha256(str(name).encode()).hexdigest()
    finding = Finding(
        id=fingerprint[:8],
        fingerprint=fingerprint,
        kind="inconsistency",
        category="bug",
        stage="forward",
        op="keras.layers.AveragePooling2D",
        params={"pool_size": [3, 3], "padding": "same", "limit": float("inf")},
        responsible=("padding",),
        node="n1",
        targets=("keras-tensorflow", "keras-jax", "keras-torch"),
        blamed=("keras-torch",),
        evidence=Evidence(
            observations=(
                Observation("keras-torch", "torch", "6.333", 6.333),
                Observation("keras-jax", "jax", "nan", float("nan")),
            ),
            reason="reference and 2 implementations agree",
            where="output:n1",
            position=(0, 0, 2, 0),
            tolerance=1e-6,
            message='quotes " and \\ and ünïcode\nand lines',
            confirmations=5,
            attempts=5,
        ),
        magnitude=float("inf"),
        oracle="difference",
        case=make_case(1),
        original=make_case(2),
        intent="valid",
        spoilt="",
        versions={"keras-torch": {"keras": "3.15.1", "torch": "2.13.0"}},
        campaign="2026-01-01-001",
        trial=0,
        seed=7,
    )
    return msgspec.structs.replace(finding, **changes)


def make_arrays(seed: int = 0, size: int = 12) -> dict[str, Array]:
    """Arrays named as in traces of two targets."""
    numbers = np.random.RandomState(seed).random_sample(size)
    return {
        "keras-torch/output:n1": numbers.astype("float32"),
        "reference/gradient:weight:n1:0": numbers,
        "reference/loss": np.array(numbers.sum()),
    }
