"""Objects after a round trip, on a real Keras: what forgets a parameter is seen."""

from collections.abc import Iterator

import msgspec
import pytest

from assay.execute import Supervisor, request_for, traces_of_arms
from assay.ir import Arm, Case, Constant, Graph, Input, Node, Recipe, Trace, Trial, Uniform
from assay.judge import Observed, oracle
from assay.targets import builtin_targets

TARGET = "keras-numpy"


@pytest.fixture(scope="module")
def keras() -> Iterator[Supervisor]:
    """A Keras worker."""
    with Supervisor([builtin_targets()[TARGET]], standbys=False) as supervisor:
        supervisor.start()
        yield supervisor


def case_of(op: str, params: dict[str, object], *recipes: Recipe, rank: int = 2) -> Case:
    names = [f"x{place}" for place in range(len(recipes))]
    shape = (2, 5, 3)[:rank]
    graph = Graph(
        tuple(Input(name, shape) for name in names), (Node("n", op, tuple(names), params),), ("n",)
    )
    return Case(graph, dict(zip(names, recipes, strict=True)))


def run(keras: Supervisor, case: Case, *variants: str) -> dict[str, Trace]:
    request = request_for(case, variants=variants)
    traces = traces_of_arms(Arm(TARGET), keras.ask(TARGET, request))
    assert traces[TARGET].status == "ok", traces[TARGET].failure
    return traces


@pytest.mark.parametrize("how", ["config", "save"])
@pytest.mark.parametrize(
    ("op", "params", "rank"),
    [
        ("keras.layers.Dense", {"units": 3, "activation": "tanh"}, 2),
        ("keras.layers.BatchNormalization", {"epsilon": 0.1}, 3),
        ("keras.layers.LSTM", {"units": 3, "go_backwards": True, "return_sequences": True}, 3),
        (
            "keras.layers.Bidirectional",
            {"layer": {"$op": "keras.layers.GRU", "params": {"units": 2}}},
            3,
        ),
    ],
)
def test_layers_survive(
    keras: Supervisor, how: str, op: str, params: dict[str, object], rank: int
) -> None:
    traces = run(keras, case_of(op, params, Uniform(1), rank=rank), how)
    first, second = traces[TARGET], traces[f"{TARGET}#{how}"]
    assert second.status == "ok", second.failure
    # What is the same bit for bit is not sent twice.
    assert all(second.arrays[name] is array for name, array in first.arrays.items())


def test_a_loss_that_forgets_a_parameter_is_a_finding_of_all_that_show_it(
    keras: Supervisor,
) -> None:
    # keras 3.15.1: Huber's configuration lacks delta.
    case = case_of("keras.losses.Huber", {"delta": 3.0}, Constant(0.0), Constant(5.0))
    traces = run(keras, case, "config")
    trial = Trial(0, "test", (case,), (Arm(TARGET),)).through("config")
    (verdict,) = oracle("round-trip").judge(Observed(trial, traces, lambda t, op: "numpy"))
    assert (verdict.kind, verdict.op, verdict.blamed) == (
        "equivalence",
        "keras.losses.Huber",
        (TARGET,),
    )
    assert verdict.evidence.observations[0].summary == "output:n: 10.5 became 4.5"


def test_without_a_round_trip_nothing_runs_twice(keras: Supervisor) -> None:
    case = case_of("keras.losses.Huber", {"delta": 3.0}, Constant(0.0), Constant(5.0))
    assert set(run(keras, case)) == {TARGET}


def test_what_training_changed_before_it_was_saved_is_no_loss(keras: Supervisor) -> None:
    """Spectral normalization divides its kernel at every call in training mode."""
    params = {"layer": {"$op": "keras.layers.Dense", "params": {"units": 3}}}
    case = case_of("keras.layers.SpectralNormalization", params, Uniform(1))
    traces = run(keras, msgspec.structs.replace(case, training=True), "again", "save")
    first, second = traces[TARGET], traces[f"{TARGET}#save"]
    assert second.status == "ok", second.failure
    assert second.arrays["output:n"] is first.arrays["output:n"]
