"""How ops are called, what their first axis counts, and losses that read predictions first."""

from typing import Any

import msgspec
import numpy as np
import pytest

from assay.execute import request_for
from assay.ir import Case, Graph, Input, Node, Uniform
from assay.ir.transform import with_arrays
from assay.libraries import SHARED, Untold, everything, translated, vocabulary
from assay.ops import specs
from assay.sources import create
from assay_worker.libraries.reference import ReferenceAdapter

#: Layers that read a single sample as well as a batch of them, along which nothing is said then,
#: or whose equation says what the first axis is.
_SINGLE = {
    "keras.layers.CategoryEncoding",
    "keras.layers.CenterCrop",
    "keras.layers.EinsumDense",
    "keras.layers.Hashing",
    "keras.layers.MelSpectrogram",
    "keras.layers.Resizing",
}


@pytest.mark.parametrize(
    ("name", "form", "batched"),
    [
        ("keras.layers.Dense", "layer", True),
        ("keras.ops.sum", "function", False),
        ("keras.losses.Huber", "loss", False),
        ("keras.optimizers.Adam", "optimizer", False),
        ("keras.metrics.Accuracy", "metric", False),
        ("keras.regularizers.L1", "object", False),
        ("torch.sum", "function", False),
        ("torch.Tensor.sum", "method", False),
        ("torch.nn.Softmax", "module", False),
        ("torch.nn.functional.mse_loss", "loss", False),
        ("onnx.Conv", "function", False),
    ],
)
def test_an_entry_says_how_an_op_is_called(name: str, form: str, batched: bool) -> None:
    entry = everything().entry(name)
    assert (entry.form, entry.batched, entry.root) == (form, batched, name.partition(".")[0])


def test_samples_of_a_batched_op_do_not_touch_each_other() -> None:
    """By the reference: whoever moves the samples moves the outputs, and changes nothing else."""
    checked, wrong = set(), []
    for name in everything():
        if not everything().entry(name).batched or name in _SINGLE:
            continue
        source = create("single-op", 5, ("reference",), {name: specs()[name]})
        for case in (source.ask(index).case for index in range(8)):
            told = _moved(case)
            if told is not None:
                checked.add(name)
                wrong += [(name, case.graph.nodes)] if not told else []
    assert not wrong
    assert len(checked) > 80


def _moved(case: Case) -> bool | None:
    """Do the outputs move with the samples? None if there are none to move."""
    (node, *_) = case.graph.nodes
    arrays = case.input_arrays()
    counts = {array.shape[:1] for array in arrays.values()}
    if len(counts) != 1 or counts <= {(), (0,), (1,)} or case.training or "stateful" in str(node):
        return None
    if node.params.get("axis") == -max(array.ndim for array in arrays.values()):
        return None  # along the samples
    order = np.roll(np.arange(counts.pop()[0]), 1)
    first = _outputs(case)
    second = _outputs(with_arrays(case, {name: array[order] for name, array in arrays.items()}))
    if first is None or second is None:
        return None
    return all(
        array.shape[:1] == order.shape
        and np.allclose(array[order], second[name], rtol=1e-9, atol=1e-12, equal_nan=True)
        for name, array in first.items()
    )


def _outputs(case: Case) -> dict[str, Any] | None:
    with np.errstate(all="ignore"):
        request = request_for(case, "forward")["case"]
        (result,) = ReferenceAdapter("", "eager").execute(request)
    return result["arrays"] if result["status"] == "ok" else None


def _loss(op: str, shapes: tuple[tuple[int, ...], ...], **params: Any) -> Case:
    inputs = tuple(Input(f"x{place}", shape) for place, shape in enumerate(shapes))
    graph = Graph(inputs, (Node("n0", op, ("x0", "x1"), params),), ("n0",))
    return Case(graph, {"x0": Uniform(1), "x1": Uniform(2)})


def test_predictions_come_first_where_a_library_reads_them_so() -> None:
    case = _loss("torch.nn.functional.huber_loss", ((2, 3), (2, 3)), delta=0.5)
    shared = translated(case, SHARED)
    assert shared.graph.nodes == (Node("n0", "keras.losses.Huber", ("x1", "x0"), {"delta": 0.5}),)
    assert translated(shared, "torch") == case


def test_what_a_loss_implies_is_said_in_the_shared_words() -> None:
    case = _loss("torch.nn.functional.binary_cross_entropy_with_logits", ((4, 2), (4, 2)))
    (node,) = translated(case, SHARED).graph.nodes
    assert node.params == {"from_logits": True}
    shared = msgspec.structs.replace(node, params={"from_logits": False})
    graph = msgspec.structs.replace(case.graph, nodes=(shared,))
    with pytest.raises(Untold, match="has another from_logits"):
        translated(msgspec.structs.replace(case, graph=graph), "torch")


@pytest.mark.parametrize(("axis", "said"), [(1, 1), ((1,), 1), ((0, 1), None)])
def test_one_axis_is_one_axis_also_as_a_list(axis: Any, said: int | None) -> None:
    node = Node("n0", "keras.ops.prod", ("x",), {"axis": axis})
    case = Case(Graph((Input("x", (2, 3)),), (node,), ("n0",)), {"x": Uniform(1)})
    if said is None:
        with pytest.raises(Untold, match="takes one dim"):
            translated(case, "torch")
    else:
        (node,) = translated(case, "torch").graph.nodes
        assert node.params == {"dim": said}


def test_labels_of_another_shape_or_reduction_have_no_word() -> None:
    with pytest.raises(Untold, match="labels of the shape"):
        translated(_loss("keras.losses.MeanSquaredError", ((2, 1), (2, 3))), "torch")
    summed = _loss("keras.losses.MeanSquaredError", ((2, 3), (2, 3)), reduction="sum")
    with pytest.raises(Untold, match="no reduction"):
        translated(summed, "torch")


def test_keras_2_is_not_drawn_what_came_after_it() -> None:
    """Alone; beside Keras 3, whose words are drawn, it is left out of what it has not."""
    alone, beside = vocabulary(["keras2"]), vocabulary(["keras2", "keras"])
    convolution = {item.name: item for item in alone["keras.layers.Conv1D"].parameters}
    assert [choice.value for choice in convolution["groups"].valid] == [1]
    activations = {choice.value for choice in convolution["activation"].valid}
    assert "relu" in activations
    assert not activations & {"gelu", "hard_sigmoid", "silu"}
    assert beside["keras.layers.Conv1D"] == everything()["keras.layers.Conv1D"]
