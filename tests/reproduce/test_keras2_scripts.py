"""Scripts of Keras 2: what they say, and what they tell on its three backends.

Those that run need its environment, and are skipped where it was not made.
"""

import ast
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import msgspec
import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.reproducer import checked
from assay.config import load
from assay.errors import AssayError
from assay.ir import Array, Case, Explicit, Node, Platform
from assay.reproduce import CannotReproduce, script
from assay.targets import Target, known_targets, resolve
from tests.reproduce.examples import Example, case_of, finding_of

TENSORFLOW, THEANO, CNTK = BACKENDS = tuple(
    f"keras-{name}@keras-2.3.1" for name in ("tensorflow", "theano", "cntk")
)
RELEASES = {"tensorflow": "2.0.0", "theano": "1.0.4", "cntk": "2.7"}
IMAGE = np.arange(1, 17, dtype="float32").reshape((1, 4, 4, 1))
SERIES = np.array([[[1.0], [2.0], [4.0]]], "float32")
KERNEL = np.array([[[1.0]], [[10.0]]], "float32")
STATE = np.array([[0.5, -0.5]], "float32")


def platform(target: str) -> Platform:
    backend = target.partition("@")[0].removeprefix("keras-")
    versions = {"keras": "2.3.1", "python": "3.6.15", backend: RELEASES[backend]}
    return Platform("keras2", backend, "eager", versions)


def on_keras2(case: Case, kind: str, blamed: str, shown: dict[str, Any], **more: Any) -> Any:
    found = finding_of(case, kind, blamed, shown, **more)
    platforms = {target: platform(target) for target in found.targets if target in BACKENDS}
    versions = {target: item.versions for target, item in platforms.items()}
    return msgspec.structs.replace(found, platforms=platforms, versions=versions)


def numbers(
    case: Case, where: str, right: Array, wrong: Array, blamed: str = THEANO, **more: Any
) -> Example:
    """``blamed`` gives other numbers than the two others."""
    answers = {target: wrong if target == blamed else right for target in BACKENDS}
    position = tuple(int(i) for i in np.unravel_index(np.abs(wrong - right).argmax(), right.shape))
    evidence = {"where": where, "position": position, "tolerance": 1e-4}
    shown = {target: float(array[position]) for target, array in answers.items()}
    more.setdefault("stage", where.partition(":")[0].replace("output", "forward"))
    found = on_keras2(case, "inconsistency", blamed, shown, evidence=evidence, **more)
    return found, {f"{target}/{where}": array for target, array in answers.items()}


def pooling() -> Example:
    """A known fault of Keras 2.3.1 on Theano."""
    params = {"pool_size": 4, "padding": "same", "data_format": "channels_last"}
    case = case_of(Node("n0", "keras.layers.AveragePooling2D", ("x0",), params), {"x0": IMAGE})
    return numbers(case, "output:n0", np.full((1, 1, 1, 1), 8.5), np.ones((1, 1, 1, 1)))


def refused() -> Example:
    """Theano does not broadcast what it is not told to."""
    case = case_of(
        Node("n0", "keras.layers.Add", (("x0", "x1"),), {}),
        {"x0": np.ones((2, 3), "float32"), "x1": np.ones((2, 1), "float32")},
    )
    shown = {TENSORFLOW: "works", THEANO: "ValueError: Dimension mismatch", CNTK: "works"}
    return on_keras2(case, "error", THEANO, shown), {}


def crash() -> Example:
    """CNTK dies of ids that it does not have."""
    params = {"input_dim": 9, "output_dim": 3}
    ids = np.array([[7, 9]], "int32")
    node = Node("n0", "keras.layers.Embedding", ("x0",), params)
    case = case_of(node, {"x0": ids}, np.ones((1, 2, 3), "float32"))
    shown = {TENSORFLOW: "InvalidArgumentError: no", CNTK: "the process died: SIGABRT"}
    evidence = {"message": "SIGABRT"}
    return on_keras2(case, "crash", CNTK, shown, stage="gradient", evidence=evidence), {}


def _convolution(where: str, right: Array, upstream: Array | None = None) -> Example:
    params = {"filters": 1, "kernel_size": 2, "use_bias": False, "dilation_rate": 1}
    node = Node("n0", "keras.layers.Conv1D", ("x0",), params)
    case = case_of(node, {"x0": SERIES}, upstream)
    case = msgspec.structs.replace(case, explicit_weights={"n0": (Explicit(KERNEL),)})
    found, arrays = numbers(case, where, right, right + 1)
    return found, arrays | {f"{TENSORFLOW}/output:n0": np.array([[[21.0], [42.0]]], "float32")}


def convolution() -> Example:
    """No fault: kernels lie reversed in Theano, and the script knows it."""
    return _convolution("output:n0", np.array([[[21.0], [42.0]]], "float32"))


def gradient() -> Example:
    """No fault either: of an input."""
    right = np.array([[[1.0], [12.0], [20.0]]], "float32")
    return _convolution("gradient:input:x0", right, np.array([[[1.0], [2.0]]], "float32"))


def weight_gradient() -> Example:
    """Nor of a weight, which lies reversed too."""
    right = np.array([[[5.0]], [[10.0]]], "float32")
    return _convolution("gradient:weight:n0:0", right, np.array([[[1.0], [2.0]]], "float32"))


def cell() -> Example:
    """A cell, whose results are nested, in the words of Keras 2."""
    x = np.array([[2.0, 1.0]], "float32")
    node = Node(
        "n0",
        "keras.layers.SimpleRNNCell",
        ("x0",),
        {"units": 2, "activation": "linear", "use_bias": False},
        {"states": [{"$tensor": "x1"}]},
    )
    weights = (Explicit(np.eye(2, dtype="float32")), Explicit(np.eye(2, dtype="float32") * 2))
    case = case_of(node, {"x0": x, "x1": STATE})
    case = msgspec.structs.replace(case, explicit_weights={"n0": weights})
    right = x + 2 * STATE
    return numbers(case, "output:n0:1", right, right + 1)


def remembering() -> Example:
    """What a stateful layer has left behind."""
    params = {"units": 1, "stateful": True, "activation": "linear", "use_bias": False}
    node = Node("n0", "keras.layers.SimpleRNN", ("x0",), params)
    weights = tuple(Explicit(np.full((1, 1), value, "float32")) for value in (1.0, 2.0, 0.5))
    case = msgspec.structs.replace(
        case_of(node, {"x0": SERIES}), explicit_weights={"n0": weights}, training=True
    )
    right = np.array([[4.0 + 2 * (2.0 + 2 * (1.0 + 2 * 0.5))]], "float32")
    return numbers(case, "state:n0:0", right, right + 1)


PRESENT: tuple[Callable[[], Example], ...] = (pooling, refused, crash)
ABSENT = (convolution, gradient, weight_gradient, cell, remembering)


@pytest.mark.parametrize("make", [*PRESENT, *ABSENT])
def test_the_text(make: Callable[[], Example], snapshot: SnapshotAssertion) -> None:
    text = script(*make())
    assert text == snapshot
    ast.parse(text, feature_version=(3, 6))


def test_a_script_says_what_its_backends_need() -> None:
    text = script(*crash())
    assert 'os.environ.setdefault("KERAS_BACKEND", "cntk")' in text
    assert 'os.environ.setdefault("MKL_NUM_THREADS", "2")' in text
    assert "capture_output" not in text  # Python 3.6 has none


def test_parameters_are_those_of_keras_2() -> None:
    node = Node("n0", "keras.layers.LeakyReLU", ("x0",), {"negative_slope": 0.5})
    right = np.ones((2, 2), "float32")
    text = script(*numbers(case_of(node, {"x0": right}), "output:n0", right, right + 1))
    assert "layer = keras.layers.LeakyReLU(alpha=0.5)" in text
    inner = {"$op": "keras.layers.GRU", "params": {"units": 2, "reset_after": False}}
    node = Node("n0", "keras.layers.Bidirectional", ("x0",), {"layer": inner})
    text = script(*numbers(case_of(node, {"x0": SERIES}), "output:n0", right, right + 1))
    said = 'keras.layers.GRU(recurrent_activation="sigmoid", units=2)'
    assert f"layer = keras.layers.Bidirectional(layer={said})" in text


def test_a_gradient_of_a_weight_alone_is_refused() -> None:
    node = Node("n0", "keras.constraints.NonNeg", ("x0",), {})
    case = case_of(node, {"x0": STATE}, np.ones((1, 2), "float32"))
    with pytest.raises(CannotReproduce, match="no script differentiates by a weight"):
        script(*numbers(case, "gradient:input:x0", STATE, STATE + 1))


@pytest.fixture(scope="module")
def targets() -> tuple[Target, ...]:
    try:
        return resolve(BACKENDS, known_targets(load(None)))
    except AssayError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def interpreters(targets: tuple[Target, ...]) -> Iterator[Interpreters]:
    with closing(Interpreters(targets)) as opened:
        yield opened


@pytest.mark.stress
@pytest.mark.parametrize("make", PRESENT)
def test_a_fault_is_shown_where_it_is_and_nowhere_else(
    make: Callable[[], Example], interpreters: Interpreters
) -> None:
    result = checked(*make(), interpreters.verify)
    assert result.reason == ""
    assert result.sound is not None


@pytest.mark.stress
@pytest.mark.parametrize("make", ABSENT)
def test_what_is_no_fault_is_shown_on_no_backend(
    make: Callable[[], Example], interpreters: Interpreters
) -> None:
    text = script(*make())
    ended = {name: interpreters.verify(text, name, platform(name)) for name in BACKENDS}
    assert {name: item.code for name, item in ended.items()} == dict.fromkeys(BACKENDS, 1), ended


@pytest.mark.stress
def test_another_keras_cannot_run_it() -> None:
    with closing(Interpreters()) as opened:
        outcome = opened.verify_fresh(script(*pooling()), "mine", Platform("keras2", "tensorflow"))
    assert outcome.code == 2, outcome
    assert outcome.output.startswith("cannot run: ")
