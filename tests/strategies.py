"""Hypothesis strategies for the records: small, well formed, and full of odd values."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from assay.ir import (
    CATEGORIES,
    KINDS,
    STAGES,
    VALUE_CLASSES,
    Arm,
    Array,
    Case,
    Constant,
    Dot,
    Evidence,
    Explicit,
    Failure,
    Finding,
    Graph,
    Input,
    Integers,
    LossOp,
    Mixed,
    Node,
    Observation,
    OneHot,
    OptimizerOp,
    Ordered,
    Platform,
    Probabilities,
    Recipe,
    Signs,
    Trace,
    Trial,
    Uniform,
    Verdict,
)

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
OPS = ("keras.layers.Dense", "keras.ops.add", "keras.layers.Activation", "torch.nn.functional.relu")

seeds = st.integers(0, 2**60 - 1)
shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
floats = st.floats(allow_nan=True, allow_infinity=True)

#: What a parameter can be: plain data, at any depth, in which tuples may stand for lists.
parameter_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | floats | text,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(names, inner, max_size=3)
    ),
    max_leaves=6,
)
parameters = st.dictionaries(names, parameter_values, max_size=3)


def arrays(dtypes: tuple[str, ...] = DTYPES) -> st.SearchStrategy[Array]:
    """Arrays of any of the dtypes, special values included, in C or Fortran order."""
    made = st.tuples(st.sampled_from(dtypes), shapes).flatmap(
        lambda pair: arrays_of.arrays(np.dtype(pair[0]), pair[1])
    )
    return st.tuples(made, st.booleans()).map(
        lambda pair: np.asarray(pair[0], order="F") if pair[1] else pair[0]
    )


def recipes() -> st.SearchStrategy[Recipe]:
    """Every kind of recipe."""
    classes = st.lists(st.sampled_from(VALUE_CLASSES), max_size=3, unique=True).map(tuple)
    numbers = st.integers(-5, 5) | floats
    return st.one_of(
        st.builds(Uniform, seeds, numbers, numbers),
        st.builds(Integers, seeds, st.integers(-9, 0), st.integers(0, 9)),
        st.builds(Mixed, seeds, classes, numbers, numbers, st.floats(0, 1)),
        st.builds(Ordered, seeds, classes, numbers, numbers, st.floats(0, 1)),
        st.builds(Constant, numbers),
        st.builds(OneHot, seeds),
        st.builds(Probabilities, seeds),
        st.builds(Signs, seeds),
        st.builds(Explicit, arrays()),
    )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs whose nodes read inputs, earlier nodes, their second outputs, lists and keywords."""
    inputs = tuple(
        Input(f"x{i}", draw(shapes), draw(st.sampled_from(DTYPES)))
        for i in range(draw(st.integers(1, 3)))
    )
    tensors = [item.name for item in inputs]
    nodes: list[Node] = []
    for i in range(draw(st.integers(1, 4))):
        some = st.sampled_from(tensors)
        argument = some | st.lists(some, min_size=1, max_size=3).map(tuple)
        keywords: dict[str, Any] = draw(parameters)
        if draw(st.booleans()):
            keywords["mask"] = {"$tensor": draw(some)}
        nodes.append(
            Node(
                f"n{i}",
                draw(st.sampled_from(OPS)),
                tuple(draw(st.lists(argument, min_size=1, max_size=2))),
                draw(parameters),
                keywords,
            )
        )
        tensors += [f"n{i}", f"n{i}:1"]
    outputs = draw(st.lists(st.sampled_from(tensors), min_size=1, max_size=2))
    return Graph(inputs, tuple(nodes), tuple(outputs))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Cases that pass ``validate_case``."""
    graph = draw(graphs())
    dot = st.builds(Dot, st.tuples(*(recipes() for _ in graph.outputs)))
    loss_op = st.builds(
        LossOp, st.sampled_from(OPS), recipes(), shapes, parameters, st.sampled_from(DTYPES)
    )
    loss = draw(st.none() | dot | loss_op)
    explicit = st.lists(st.builds(Explicit, arrays()), max_size=2).map(tuple)
    weighted = st.sampled_from([node.id for node in graph.nodes])
    optimizer = draw(st.none() | st.builds(OptimizerOp, st.sampled_from(OPS), parameters))
    stages = STAGES[:2] if loss is None else STAGES[:-1] if optimizer is None else STAGES
    return Case(
        graph=graph,
        inputs={item.name: draw(recipes()) for item in graph.inputs},
        weights=Uniform(draw(seeds), -0.5, 0.5),
        explicit_weights=draw(st.dictionaries(weighted, explicit, max_size=1)),
        loss=loss,
        training=draw(st.booleans()),
        stage=draw(st.sampled_from(stages)),
        optimizer=optimizer,
    )


def trials() -> st.SearchStrategy[Trial]:
    """Trials of one case on some targets."""
    return st.builds(
        Trial,
        index=st.integers(0, 10**6),
        source=names,
        cases=st.tuples(cases()),
        arms=st.lists(st.builds(Arm, names), max_size=3).map(tuple),
        intent=st.sampled_from(["valid", "invalid"]),
        spoilt=names,
        classes=st.lists(st.tuples(names, names, names), max_size=3).map(tuple),
    )


def failures() -> st.SearchStrategy[Failure]:
    """Failures with any text."""
    return st.builds(Failure, st.sampled_from(STAGES), text, text, names, text, text)


def traces() -> st.SearchStrategy[Trace]:
    """Traces of every status."""
    named = st.dictionaries(names.map("output:{}".format), arrays(), max_size=2)
    return st.builds(
        Trace,
        arm=names,
        status=st.sampled_from(["ok", "error", "crash", "timeout", "memory"]),
        arrays=named,
        failure=st.none() | failures(),
        digest=text,
        cpu_seconds=st.floats(0, 1e6),
    )


def evidences() -> st.SearchStrategy[Evidence]:
    """Evidence with any text and odd numbers."""
    observation = st.builds(Observation, names, names, text, st.none() | floats)
    return st.builds(
        Evidence,
        observations=st.lists(observation, max_size=3).map(tuple),
        reason=text,
        where=text,
        position=shapes,
        tolerance=st.none() | floats,
        message=text,
        stack=text,
        confirmations=st.integers(0, 5),
        attempts=st.integers(0, 5),
    )


_SHARED: dict[str, st.SearchStrategy[Any]] = {
    "oracle": names,
    "kind": st.sampled_from(KINDS),
    "stage": st.sampled_from(STAGES),
    "category": st.sampled_from(CATEGORIES),
    "op": st.sampled_from(OPS),
    "node": names,
    "params": parameters,
    "targets": st.lists(names, max_size=3).map(tuple),
    "blamed": st.lists(names, max_size=2).map(tuple),
    "evidence": evidences(),
    "magnitude": floats,
    "responsible": st.lists(names, max_size=2).map(tuple),
    "recognised": names,
}


def verdicts() -> st.SearchStrategy[Verdict]:
    """Verdicts of every kind, stage and category."""
    return st.builds(Verdict, **_SHARED)


def findings() -> st.SearchStrategy[Finding]:
    """Findings of every kind, stage and category."""
    return st.builds(
        Finding,
        **_SHARED,
        id=names,
        fingerprint=text,
        case=cases(),
        original=cases(),
        intent=st.sampled_from(["valid", "invalid"]),
        spoilt=names,
        versions=st.dictionaries(names, st.dictionaries(names, text, max_size=2), max_size=2),
        campaign=names,
        trial=st.integers(0, 10**6),
        seed=seeds,
        count=st.integers(1, 100),
        flaky=st.booleans(),
        reproducer=st.none(),
        platforms=st.dictionaries(
            names,
            st.builds(Platform, names, names, names, st.dictionaries(names, text, max_size=2)),
            max_size=2,
        ),
    )


#: Every kind of record with its strategy.
RECORDS: tuple[tuple[type, st.SearchStrategy[Any]], ...] = (
    (Graph, graphs()),
    (Recipe, recipes()),  # type: ignore[arg-type]  # a union serves as a type here
    (Case, cases()),
    (Trial, trials()),
    (Trace, traces()),
    (Verdict, verdicts()),
    (Finding, findings()),
)
