"""Native libraries: every arm is asked in its own words, and answers under the case's names."""

from collections.abc import Iterator

import numpy as np
import pytest

from assay.campaign.running.laboratory import Laboratory
from assay.execute import Hello, Supervisor
from assay.ir import Arm, Case, Dot, Graph, Input, Node, Trial, Uniform
from assay.libraries import libraries, vocabulary
from assay.sources import create
from assay.targets import REFERENCE, Target, builtin_targets

NAMES = ("torch", "tensorflow", "onnxruntime")


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    known = builtin_targets()
    targets = [*(known[name] for name in NAMES), REFERENCE]
    with Supervisor(targets, standbys=False) as supervisor:
        hellos = supervisor.start()
        started = {name: hello for name, hello in hellos.items() if isinstance(hello, Hello)}
        assert set(started) == {target.name for target in targets}
        yield Laboratory(supervisor, targets, started)


def trial(case: Case) -> Trial:
    return Trial(0, "test", (case,), tuple(Arm(name) for name in (*NAMES, REFERENCE.name)))


@pytest.mark.parametrize("library", ["torch", "tensorflow", "onnxruntime"])
def test_every_word_is_answered_by_its_own_library(library: str, laboratory: Laboratory) -> None:
    """Each op of a vocabulary runs on its library in at least one of its first valid cases."""
    silent = []
    for name, spec in vocabulary([library]).items():
        source = create("single-op", 5, (library,), {name: spec})
        statuses: list[str] = []
        for index in range(8):
            traces = laboratory.run([source.ask(index).case], library)
            statuses += [trace.status for trace in traces]
            if "ok" in statuses:  # the others would tell nothing more
                break
        else:
            silent.append((name, statuses))
    assert silent == []


def test_a_convolution_is_the_same_in_every_layout(laboratory: Laboratory) -> None:
    node = Node(
        "n0",
        "torch.nn.functional.conv2d",
        ("x", "k"),
        {"stride": (2, 1), "padding": (1, 0), "dilation": 1, "groups": 1},
    )
    graph = Graph((Input("x", (2, 3, 5, 4)), Input("k", (4, 3, 3, 2))), (node,), ("n0",))
    case = Case(
        graph, {"x": Uniform(1), "k": Uniform(2)}, loss=Dot((Uniform(3),)), stage="gradient"
    )
    observed = laboratory.observe(trial(case))
    assert set(observed.traces) == {*NAMES, REFERENCE.name}
    truth = observed.traces[REFERENCE.name].arrays["output:n0"]
    for name in NAMES:
        trace = observed.traces[name]
        assert trace.status == "ok", trace.failure
        assert set(trace.outputs()) == {"n0"}, "what was written beside the case is nobody's"
        np.testing.assert_allclose(trace.arrays["output:n0"], truth, rtol=1e-5, atol=1e-5)
    gradients = [observed.traces[name].arrays["gradient:input:k"] for name in NAMES[:2]]
    np.testing.assert_allclose(*gradients, rtol=1e-5, atol=1e-5)


def test_what_a_library_has_no_word_for_is_not_asked_of_it(laboratory: Laboratory) -> None:
    node = Node("n0", "torch.hypot", ("x", "y"))
    graph = Graph((Input("x", (3,)), Input("y", (3,))), (node,), ("n0",))
    case = Case(graph, {"x": Uniform(1), "y": Uniform(2)})
    observed = laboratory.observe(trial(case))
    assert set(observed.traces) == {"torch", REFERENCE.name}


def test_what_a_target_offers_has_a_digest(laboratory: Laboratory) -> None:
    case = Case(
        Graph((Input("x", (3,)),), (Node("n0", "torch.exp", ("x",)),), ("n0",)), {"x": Uniform(1)}
    )
    laboratory.observe(trial(case))
    assert {"torch", "tensorflow", "onnxruntime"} <= set(laboratory.offers)


def test_with_onednn_tensorflow_votes_with_torch_where_they_share_kernels() -> None:
    plain = builtin_targets()["tensorflow"]
    shared = Target("mine", "tensorflow", env={"TF_ENABLE_ONEDNN_OPTS": "1"})
    assert plain.votes_as("tf.nn.conv2d") == "tensorflow"
    assert shared.votes_as("tf.nn.conv2d") == "torch"
    assert shared.votes_as("tf.math.exp") == "tensorflow"


def test_every_library_has_a_target() -> None:
    without = {name for name, library in libraries().items() if not library.targets}
    assert without == {"keras2", "reference"}


def test_a_witness_speaks_only_where_nobody_of_its_implementation_can(
    laboratory: Laboratory,
) -> None:
    """Else a fault of TensorFlow would be told twice, in its own words and in those of Keras."""
    witness = builtin_targets()["keras-tensorflow"]
    inputs = (Input("x", (2, 3)), Input("y", (2, 3)))
    recipes = {"x": Uniform(1), "y": Uniform(2)}
    for op, adds in (("torch.maximum", False), ("torch.nn.functional.mse_loss", True)):
        graph = Graph(inputs, (Node("n0", op, ("x", "y")),), ("n0",))
        assert laboratory._adds(witness, trial(Case(graph, recipes))) is adds
