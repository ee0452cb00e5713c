"""Findings, events and a campaign as a real hunt makes them, for tests of what users see."""

from typing import Any

import msgspec
import numpy as np

from assay.campaign.events import (
    CampaignFinished,
    CampaignStarted,
    CpuSeconds,
    Event,
    FindingRecorded,
    Notice,
    Summary,
    TargetChanged,
    TrialFinished,
)
from assay.ir import Case, Evidence, Finding, Graph, Input, Mixed, Node, Observation, Uniform
from assay.ir.check import LayerDeviation, LayerSpec, LocalizationMap
from assay.ir.model import CheckedModel, Place, model_case

VERSIONS = {
    "keras-tensorflow": {"keras": "3.15.1", "tensorflow": "2.21.0"},
    "keras-torch": {"keras": "3.15.1", "torch": "2.13.0"},
}
POOL = Node(
    "n1",
    "keras.layers.AveragePooling2D",
    ("x",),
    {"pool_size": 3, "strides": [2, 1], "padding": "same"},
)


def case(*nodes: Node, shape: tuple[int, ...] = (1, 5, 6, 1)) -> Case:
    return Case(
        graph=Graph((Input("x", shape),), nodes, (nodes[-1].id,)),
        inputs={"x": Mixed(seed=3, classes=("zero", "nan"))},
        weights=Uniform(seed=4),
    )


def finding(**changes: Any) -> Finding:
    """An inconsistency of one pooling layer; ``changes`` make another one of it."""
    base = Finding(
        id="b3f1",
        fingerprint="b3f1" + "0" * 60,
        kind="inconsistency",
        category="bug",
        stage="forward",
        op=POOL.op,
        params=POOL.params,
        responsible=("padding",),
        node="n1",
        targets=("keras-tensorflow", "keras-torch", "reference"),
        blamed=("keras-torch",),
        evidence=Evidence(
            observations=(
                Observation("keras-torch", "torch", "differs by 0.6667", 6.33333),
                Observation("keras-tensorflow", "tensorflow", "agrees with reference", 7.0),
                Observation("reference", "reference", "", 7.0),
            ),
            reason="reference and keras-tensorflow agree",
            where="output:n1",
            position=(0, 0, 2, 0),
            tolerance=1e-6,
            confirmations=5,
            attempts=5,
        ),
        magnitude=2 / 3,
        oracle="difference",
        case=case(POOL),
        original=case(Node("n0", "keras.layers.ReLU", ("x",)), POOL),
        intent="valid",
        spoilt="",
        versions=VERSIONS,
        campaign="2026-01-02-a1b2",
        trial=212,
        seed=7,
        count=41,
    )
    return msgspec.structs.replace(base, **changes)


def crash() -> Finding:
    node = Node("n1", "keras.ops.segment_sum", ("x",), {"num_segments": -1, "sorted": True})
    return finding(
        id="90ac",
        fingerprint="90ac" + "0" * 60,
        kind="crash",
        op=node.op,
        params=node.params,
        responsible=(),
        blamed=("keras-tensorflow",),
        evidence=Evidence(
            observations=(
                Observation("keras-tensorflow", "tensorflow", "SIGSEGV in forward"),
                Observation("keras-torch", "torch", "raises ValueError"),
            ),
            reason="a process must not die, whatever the input",
            message="SIGSEGV",
            confirmations=2,
            attempts=2,
        ),
        magnitude=float("inf"),
        case=case(node, shape=(3,)),
        original=case(node, shape=(3,)),
        intent="invalid",
        spoilt="num_segments",
        count=1,
    )


def error() -> Finding:
    """An error whose message tries to colour, clear and mark up the terminal."""
    first = Node("n0", "keras.layers.Conv1D", ("x",), {"filters": 2, "kernel_size": 3})
    second = Node(
        "n1",
        "keras.layers.TimeDistributed",
        ("n0",),
        {"layer": {"$op": "keras.layers.Dense", "params": {"units": 3}}},
        {"training": True},
    )
    return finding(
        id="77d0",
        fingerprint="77d0" + "0" * 60,
        kind="error",
        stage="gradient",
        category="unsupported",
        op=second.op,
        params=second.params,
        responsible=(),
        blamed=(),
        evidence=Evidence(
            observations=(
                Observation("keras-torch", "torch", "raises \x1b[31mRuntimeError\x1b[0m"),
                Observation("keras-tensorflow", "tensorflow", "works"),
            ),
            reason="",
            message="RuntimeError: \x1b[2J[bold red]shape\x07 [3][/bold red]\nsecond line",
            stack="\n".join(f'  File "a.py", line {n}, in f{n}' for n in range(12))
            + "\nRuntimeError: shape",
        ),
        magnitude=0.0,
        case=case(first, second, shape=(2, 5, 3)),
        original=case(first, second, shape=(2, 5, 3)),
        recognised="torch-no-gradient",
        count=3,
    )


def not_a_number() -> Finding:
    return finding(
        id="aa51",
        fingerprint="aa51" + "0" * 60,
        kind="nan",
        stage="gradient",
        blamed=(),
        evidence=Evidence(
            observations=(
                Observation("keras-tensorflow", "tensorflow", "1.49634771e+12", 1496347705344.0),
                Observation("keras-torch", "torch", "nan", float("nan")),
            ),
            reason="undecidable: no majority of independent implementations",
            where="gradient:input:x",
            position=(0, 0, 0, 0),
            tolerance=0.0,
        ),
        magnitude=float("inf"),
    )


def of_a_model(**changes: Any) -> Finding:
    """An inconsistency of one layer of a model that does not show it alone."""
    model = CheckedModel(
        title="emotion.keras",
        path="/home/someone/models/emotion.keras",
        format="keras",
        sha256="14b2ddcf2395" + "0" * 52,
        data="/home/someone/faces.npz",
        instance=203,
        inputs=("image",),
        places={name: Place("keras", name.removeprefix("keras-")) for name in VERSIONS},
    )
    shown = model_case(model, [np.zeros((1, 48, 48, 1), "float32")])
    layers = tuple(
        LayerSpec(f"layer_{n}", "keras.layers.Dense", (f"layer_{n - 1}" if n else "image",), ())
        for n in range(3)
    )
    deviations = tuple(
        LayerDeviation(item.name, item.op, 0.1, 0.0, 5e5, alone=alone)
        for item, alone in zip(layers, (0.0, 2e-7, 0.2), strict=True)
    )
    base = finding(
        id="77d0",
        fingerprint="77d0" + "0" * 60,
        op="keras.layers.Dense",
        params={},
        responsible=(),
        node="layer_2",
        targets=("keras-tensorflow", "keras-torch"),
        evidence=Evidence(
            observations=(
                Observation("keras-tensorflow", "tensorflow", "predicts 3", 0.25),
                Observation("keras-torch", "torch", "predicts 5", 0.5),
            ),
            reason="keras-tensorflow and reference agree",
            where="output:model",
            position=(0, 3),
            tolerance=2e-5,
            confirmations=1,
            attempts=1,
        ),
        magnitude=0.25,
        oracle="model",
        case=shown,
        original=shown,
        localization=LocalizationMap(tuple(VERSIONS), 203, "layer_2", deviations),
        layers=layers,
        trial=0,
        count=2,
    )
    return msgspec.structs.replace(base, **changes)


FINDINGS = (
    finding(),
    crash(),
    error(),
    finding(
        id="c0de", fingerprint="c0de" + "0" * 60, category="convention", blamed=(), count=1_204
    ),
)


def summary(**changes: Any) -> Summary:
    base = Summary(
        campaign="2026-01-02-a1b2",
        seed=7,
        cases=3021,
        trials=3021,
        seconds=120.4,
        cpu_seconds=CpuSeconds(1.0, 180.0, 9.5, 20.0, 210.5),
        targets=("keras-tensorflow", "keras-jax", "keras-torch"),
        coverage={"ops": 0.9},
        suppressed={},
        findings=FINDINGS,
        store="assay.db",
    )
    return msgspec.structs.replace(base, **changes)


EVENTS: tuple[Event, ...] = (
    CampaignStarted(
        campaign="2026-01-02-a1b2",
        seed=7,
        techniques=("single-op",),
        targets=("keras-tensorflow", "keras-jax", "keras-torch", "keras-openvino"),
        store="assay.db",
        budget_seconds=120.0,
    ),
    TargetChanged("keras-tensorflow", "ready"),
    TargetChanged("keras-jax", "starting"),
    TargetChanged("keras-openvino", "left-out", message="ImportError: no\nmodule"),
    TargetChanged("keras-torch", "ready", {"SIGABRT": 2, "timeout": 1}),
    TrialFinished(0, "single-op", True, "valid", 14, 15, 71, 100),
    TrialFinished(1, "single-op", False, "invalid", 14, 15, 72, 100),
    TrialFinished(2, "single-op", False, "valid", 15, 15, 73, 100),
    FindingRecorded(FINDINGS[0], new=True),
    FindingRecorded(FINDINGS[0], new=False),
    FindingRecorded(FINDINGS[1], new=True),
    FindingRecorded(FINDINGS[2], new=True),
    Notice("the disk is [bold]nearly\x1b[0m full"),
    CampaignFinished(summary()),
)
