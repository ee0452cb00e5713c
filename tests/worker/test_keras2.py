"""Keras 2 in its own interpreter: the same function on every backend, or no answer."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.explain import explain
from assay.campaign.running.laboratory import Laboratory
from assay.execute import Hello, Supervisor, request_for, request_for_all, traces_of
from assay.ir import Arm, Case, Explicit, LossOp, OneHot, Trace, Trial, Uniform
from assay.judge import ORACLES
from assay.judge._example import Example, ExampleInput, case_of
from assay.judge.conventions import conventions
from assay.judge.entries import Entry
from assay.judge.expected import refusals
from assay.targets import REFERENCE, Target

VARIABLE = "ASSAY_KERAS2_PYTHON"
BACKENDS = ("tensorflow", "theano", "cntk")
ENTRIES = [entry for entry in (*refusals(), *conventions()) if entry.library == "keras2"]


def _python() -> str:
    """An interpreter with Keras 2, its three backends, and CNTK's MPI stub beside it."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    cache = os.environ.get("ASSAY_CACHE") or Path.home() / ".cache" / "assay"
    made = sorted(Path(cache).glob("environments/keras-2.3.1*/bin/python"))
    if not made:
        pytest.skip(f"no interpreter with Keras 2: set {VARIABLE}")
    return str(made[-1])


def _libraries(python: str) -> str:
    """Where CNTK finds what it links against."""
    code = "import sys; print(sys.base_prefix)"
    base = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    prefix = Path(python).parent.parent
    (packages,) = prefix.glob("lib/python3.*/site-packages")
    places = (
        prefix / "lib" / "mpi-stub",
        Path(base.stdout.strip()) / "lib",
        packages / "cntk/libs",
    )
    return ":".join(map(str, places))


@pytest.fixture(scope="module")
def targets() -> list[Target]:
    python = _python()
    env = {"cntk": {"LD_LIBRARY_PATH": _libraries(python)}}
    found = [
        Target(f"keras2-{name}", "keras2", name, python=python, env=env.get(name, {}))
        for name in BACKENDS
    ]
    return [*found, REFERENCE]


@pytest.fixture(scope="module")
def laboratory(targets: list[Target]) -> Iterator[Laboratory]:
    with Supervisor(targets, standbys=False) as supervisor:
        hellos = supervisor.start()
        started = {name: hello for name, hello in hellos.items() if isinstance(hello, Hello)}
        assert set(started) == set(hellos), hellos
        yield Laboratory(supervisor, targets, started)


@pytest.fixture(scope="module")
def supervisor(laboratory: Laboratory) -> Supervisor:
    return laboratory._supervisor


def call(op: str, *shapes: tuple[int, ...], grouped: bool = False, **params: Any) -> Case:
    """One call on ordinary numbers, with gradients."""
    inputs = tuple(ExampleInput(shape=shape) for shape in shapes)
    return case_of(Example(op, inputs, params, grouped=grouped, gradient=True))


def on_values(op: str, values: Any, **params: Any) -> Case:
    return case_of(Example(op, (ExampleInput(values=values),), params))


def with_weights(case: Case, *arrays: Any) -> Case:
    weights = {"n0": tuple(Explicit(np.asarray(array, dtype="float32")) for array in arrays)}
    return msgspec.structs.replace(case, explicit_weights=weights)


def ask(supervisor: Supervisor, case: Case, name: str) -> Trace | None:
    found = traces_of(name, supervisor.ask(name, request_for(case)))
    return found[0] if found else None


def answers(supervisor: Supervisor, case: Case) -> dict[str, Trace]:
    """What each backend says; all must have run."""
    names = [f"keras2-{backend}" for backend in BACKENDS]
    found = {name: ask(supervisor, case, name) for name in [*names, REFERENCE.name]}
    return {name: trace for name, trace in found.items() if trace is not None}


@pytest.mark.parametrize(
    "case",
    [
        # Odd windows at stride 1: everything else is a known fault of some backend.
        call("keras.layers.Conv1D", (2, 7, 3), filters=2, kernel_size=3, padding="same"),
        call("keras.layers.Conv2D", (2, 7, 6, 3), filters=2, kernel_size=[3, 2]),
        call("keras.layers.Conv3D", (2, 5, 4, 3, 2), filters=2, kernel_size=[3, 2, 2]),
        call("keras.layers.Conv2DTranspose", (2, 4, 5, 3), filters=2, kernel_size=3),
        call("keras.layers.Dense", (4, 5), units=3, activation="tanh"),
        call("keras.layers.GRU", (2, 4, 3), units=2),
        call("keras.layers.GRU", (2, 4, 3), units=2, reset_after=False),
        call("keras.layers.SimpleRNN", (2, 4, 3), units=2, return_sequences=True),
        call("keras.layers.LeakyReLU", (3, 5), negative_slope=0.2),
        call("keras.layers.BatchNormalization", (4, 3, 5)),
        call("keras.layers.PReLU", (3, 5)),
        call("keras.layers.Multiply", (3, 5), (3, 5), grouped=True),
        call("keras.activations.relu", (3, 5), negative_slope=0.1, max_value=0.5),
    ],
    ids=lambda case: case.graph.nodes[0].op.rpartition(".")[2],
)
def test_every_backend_computes_the_same_function(supervisor: Supervisor, case: Case) -> None:
    found = answers(supervisor, case)
    assert {name: trace.status for name, trace in found.items()} == dict.fromkeys(
        [*(f"keras2-{backend}" for backend in BACKENDS), REFERENCE.name], "ok"
    )
    truth = found.pop(REFERENCE.name)
    first = found["keras2-tensorflow"]
    for trace in found.values():
        assert trace.digest == first.digest
        for name, array in trace.arrays.items():
            expected = truth.arrays[name] if name.startswith("output:") else first.arrays[name]
            np.testing.assert_allclose(array, expected, rtol=2e-4, atol=2e-5, err_msg=name)
    weights = [name for name in first.arrays if name.startswith("gradient:weight:")]
    for trace in found.values():
        assert set(weights) <= set(trace.arrays)


@pytest.mark.parametrize("backend", ["tensorflow", "theano"])
@pytest.mark.parametrize(
    "case",
    [
        call("keras.layers.DepthwiseConv2D", (2, 5, 6, 3), kernel_size=3),
        call("keras.layers.SeparableConv2D", (2, 5, 6, 3), filters=2, kernel_size=3),
        call("keras.layers.ConvLSTM2D", (2, 3, 5, 4, 2), filters=2, kernel_size=3),
        call("keras.layers.LSTM", (2, 4, 3), units=2, return_state=True),
        call("keras.layers.LSTM", (2, 4, 3), units=2, stateful=True),
        call(
            "keras.layers.TimeDistributed",
            (2, 3, 6, 2),
            layer={"$op": "keras.layers.Conv1D", "params": {"filters": 2, "kernel_size": 3}},
        ),
    ],
    ids=lambda case: getattr(case, "graph", None) and case.graph.nodes[0].op.rpartition(".")[2],
)
def test_kernels_lie_where_the_backend_reads_them(
    supervisor: Supervisor, case: Case, backend: str
) -> None:
    trace = ask(supervisor, case, f"keras2-{backend}")
    truth = ask(supervisor, case, REFERENCE.name)
    assert trace is not None
    assert trace.status == "ok", trace.failure
    assert truth is not None
    assert trace.digest == truth.digest
    for name, expected in truth.arrays.items():
        if f"undecided:{name}" in truth.arrays:
            expected = np.where(truth.arrays[f"undecided:{name}"], trace.arrays[name], expected)
        if not name.startswith("undecided:"):
            np.testing.assert_allclose(
                trace.arrays[name], expected, rtol=2e-3, atol=2e-4, err_msg=name
            )


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (call("keras.layers.EinsumDense", (2, 3), equation="ab,bc->ac", output_shape=4), "has no"),
        (call("keras.activations.hard_sigmoid", (2, 3)), "hard_sigmoid is clip"),
        (call("keras.layers.Activation", (2, 3), activation="hard_sigmoid"), "hard_sigmoid is"),
        (call("keras.layers.Dense", (2, 3), units=2, activation="gelu"), "no activation gelu"),
        (call("keras.layers.Conv1D", (2, 6, 4), filters=2, kernel_size=1, groups=2), "groups=2"),
        (call("keras.layers.UpSampling2D", (1, 2, 2, 1), interpolation="bilinear"), "corners"),
        (call("keras.ops.abs", (2, 3)), "family ops"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_what_means_something_else_has_no_trace(
    supervisor: Supervisor, case: Case, why: str
) -> None:
    answer = supervisor.ask("keras2-tensorflow", request_for(case))
    assert isinstance(answer, dict)
    (result,) = answer["results"]
    assert result["status"] == "absent"
    assert why in result["failure"]["message"]
    assert traces_of("keras2-tensorflow", answer) == ()


def test_theano_does_not_dilate_without_a_compiler(supervisor: Supervisor) -> None:
    case = call("keras.layers.Conv1D", (2, 7, 3), filters=2, kernel_size=2, dilation_rate=2)
    assert ask(supervisor, case, "keras2-theano") is None
    trace = ask(supervisor, case, "keras2-tensorflow")
    assert trace is not None
    assert trace.status == "ok"


def test_a_neutral_parameter_that_keras2_lacks_is_left_out(supervisor: Supervisor) -> None:
    case = call("keras.layers.Conv1D", (2, 6, 4), filters=2, kernel_size=1, groups=1)
    trace = ask(supervisor, case, "keras2-tensorflow")
    assert trace is not None
    assert trace.status == "ok"


def test_known_faults_of_keras_2_3_show(supervisor: Supervisor) -> None:
    square = np.arange(1.0, 17.0).reshape(1, 4, 4, 1).tolist()
    pooled = on_values("keras.layers.AveragePooling2D", square, pool_size=4, padding="same")
    found = answers(supervisor, pooled)
    outputs = {name: trace.arrays["output:n0"] for name, trace in found.items()}
    assert outputs["keras2-tensorflow"].ravel() == pytest.approx([8.5])
    assert outputs["keras2-theano"].ravel() == pytest.approx([1.0])

    channels = np.ones((1, 2, 2, 3)) * [1.0, 10.0, 100.0]
    depthwise = with_weights(
        on_values(
            "keras.layers.DepthwiseConv2D",
            channels.tolist(),
            kernel_size=2,
            padding="same",
            use_bias=False,
        ),
        np.ones((2, 2, 3, 1)),
    )
    found = answers(supervisor, depthwise)
    outputs = {name: trace.arrays["output:n0"][0, 0, 0] for name, trace in found.items()}
    assert outputs["keras2-tensorflow"].tolist() == [4.0, 40.0, 400.0]
    assert outputs["keras2-cntk"].tolist() == [4.0, 4.0, 4.0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_answer_does_not_depend_on_what_ran_before(
    supervisor: Supervisor, backend: str
) -> None:
    case = call("keras.layers.BatchNormalization", (4, 3))
    case = msgspec.structs.replace(case, training=True)
    other = msgspec.structs.replace(case, inputs={"x0": Uniform(99)})
    name = f"keras2-{backend}"
    alone = traces_of(name, supervisor.ask(name, request_for(case)))[0]
    sets = traces_of(name, supervisor.ask(name, request_for_all([other, case])))
    assert [trace.status for trace in (alone, *sets)] == ["ok"] * 3
    assert set(alone.arrays) == set(sets[1].arrays)
    assert "state:n0:0" in alone.arrays
    for array in alone.arrays:
        np.testing.assert_array_equal(alone.arrays[array], sets[1].arrays[array], err_msg=array)
    assert not np.array_equal(sets[0].arrays["output:n0"], sets[1].arrays["output:n0"])


def test_a_loss_of_labels(supervisor: Supervisor) -> None:
    case = call("keras.layers.Dense", (4, 5), units=3, activation="softmax")
    loss = LossOp("keras.losses.CategoricalCrossentropy", OneHot(5), (4, 3))
    case = msgspec.structs.replace(case, loss=loss)
    found = answers(supervisor, case)
    truth = found.pop(REFERENCE.name)
    assert len(found) == len(BACKENDS)
    for name, trace in found.items():
        assert trace.status == "ok", (name, trace.failure)
        assert trace.arrays["loss"] == pytest.approx(truth.arrays["loss"], rel=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_worker_says_what_it_offers(supervisor: Supervisor, backend: str) -> None:
    ops = ["keras.layers.Conv2D", "keras.layers.LeakyReLU", "keras.ops.abs", "keras.layers.Nix"]
    answer = supervisor.ask(f"keras2-{backend}", {"do": "offers", "names": ops})
    assert isinstance(answer, dict)
    assert set(answer["offers"]) == {"keras.layers.Conv2D", "keras.layers.LeakyReLU"}
    assert "filters" in answer["offers"]["keras.layers.Conv2D"]
    assert "groups" not in answer["offers"]["keras.layers.Conv2D"]
    assert answer["offers"]["keras.layers.LeakyReLU"] == "(negative_slope, **)"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_example_is_recognised(entry: Entry, laboratory: Laboratory) -> None:
    """As tests/judge/test_entries_still_match.py does for Keras 3."""
    arms = tuple(Arm(target) for target in (*entry.example.targets, REFERENCE.name))
    seen = laboratory.observe(Trial(0, "test", (case_of(entry.example),), arms))
    verdicts = [verdict for oracle in ORACLES for verdict in oracle.judge(seen)]
    found = [explain(seen, item, laboratory.observe, laboratory.run).verdict for item in verdicts]
    matched = [verdict for verdict in found if verdict.recognised == entry.id]
    assert matched, [(v.kind, v.stage, v.category, v.evidence.message) for v in found]


_MODEL = """
import sys
import numpy as np
from keras import layers, models
x = layers.Input((8, 7, 3))
y = layers.Conv2D(4, 3, activation="relu", name="first")(x)
y = layers.BatchNormalization(name="second")(y)
z = layers.Conv2D(4, 3, padding="same", name="third")(y)
y = layers.add([y, z], name="both")
y = layers.MaxPooling2D(2, name="pool")(y)
model = models.Model(x, layers.Dense(3, activation="softmax", name="last")(layers.Flatten()(y)))
state = np.random.RandomState(3)
old = model.get_weights()
model.set_weights([state.uniform(0.1, 1, w.shape) - 0.5 * (w.ndim > 1) for w in old])
model.save(sys.argv[1])
"""


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small model of Keras 2, saved by its TensorFlow backend."""
    path = str(tmp_path_factory.mktemp("keras2") / "model.h5")
    env = {**os.environ, "KERAS_BACKEND": "tensorflow", "KERAS_HOME": str(Path(path).parent)}
    env.pop("PYTHONPATH", None)
    subprocess.run([_python(), "-c", _MODEL, path], check=True, env=env, capture_output=True)
    return path


def test_a_model_runs_on_every_backend_with_its_layers_in_sight(
    supervisor: Supervisor, model_file: str
) -> None:
    load = {"do": "model", "action": "load", "path": model_file, "format": "keras"}
    inputs = [np.random.RandomState(1).random_sample((5, 8, 7, 3)).astype("float32")]
    seen: dict[str, dict[str, Any]] = {}
    for backend in BACKENDS:

        def tell(backend: str = backend, **request: Any) -> dict[str, Any]:
            answer = supervisor.ask(f"keras2-{backend}", {"do": "model", **request})
            assert isinstance(answer, dict)
            assert "failure" not in answer["model"], answer["model"]["failure"]
            return dict(answer["model"])

        said = tell(**load, trust=False, architecture="")["description"]
        states = tell(action="states", inputs=inputs)["arrays"]
        layers = [layer["name"] for layer in said["layers"]]
        alone = tell(action="alone", arrays=states, layers=layers)
        assert alone["failures"] == {}
        for name, array in alone["arrays"].items():
            np.testing.assert_allclose(array, states[name], rtol=1e-4, atol=1e-5, err_msg=name)
        seen[backend] = {
            "description": said,
            "states": states,
            "predicted": tell(action="predict", inputs=inputs)["outputs"],
            "nudged": tell(action="nudged", inputs=inputs, copies=1, factor=1.0)["copies"],
        }
    first = seen["tensorflow"]
    assert [layer["name"] for layer in first["description"]["layers"]][:3] == [
        "first",
        "second",
        "third",
    ]
    for one in seen.values():
        assert one["description"] == first["description"]
        assert set(one["states"]) == set(first["states"])
        for name, array in one["states"].items():
            np.testing.assert_allclose(array, first["states"][name], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(one["predicted"][0], first["predicted"][0], rtol=1e-4)
        still, _, moved = one["nudged"]
        np.testing.assert_allclose(still[0], one["predicted"][0], rtol=1e-4)
        np.testing.assert_allclose(moved[0], one["predicted"][0], rtol=1e-3)
