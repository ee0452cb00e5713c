"""Generated models end to end: through the command, on real libraries, with a fault in one."""

import pytest

from assay.ir import LossOp
from assay.libraries import everything
from assay.sources import create
from tests.e2e.command import Command

FAULTY = "keras.activations.tanh"
#: A wrong derivative of an op that models use everywhere, where its result is read twice and more.
PRELUDE = """
import keras
import torch


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, upstream):
        return upstream * 1.5


original = keras.activations.tanh
keras.activations.tanh = lambda x: Wrong.apply(original(x))
"""
TARGET = "[targets.mine]\nlibrary='keras'\nbackend='torch'\nprelude='wrong.py'\n"


def seed_with(op: str, within: int) -> int:
    """A seed whose first models have the op, in a place that has a gradient."""
    for seed in range(2, 1000):
        source = create("synthesize", seed, ("mine", "reference"))
        for index in range(within):
            case = source.ask(index).case
            if isinstance(case.loss, LossOp) and any(node.op == op for node in case.graph.nodes):
                return seed
    raise AssertionError(op)


@pytest.mark.timeout(300)
def test_a_wrong_gradient_inside_of_models_is_blamed_on_its_op_alone(assay: Command) -> None:
    """Two targets on one library and the reference: only the patched op may be accused of it."""
    assay.write("wrong.py", PRELUDE)
    assay.write("assay.toml", TARGET)
    done = assay(
        *("hunt", "--technique", "synthesize", "--targets", "mine,keras-torch", "--json"),
        *("--cases", "8", "--seed", str(seed_with(FAULTY, 4)), "--no-witnesses"),
        timeout=280,
    )
    assert done.code == 1, done.err
    found = done.document["findings"]
    of_fault = [f for f in found if f["category"] == "bug" and f["blamed"] == ["mine"]]
    assert {(f["op"], f["stage"]) for f in of_fault} == {(FAULTY, "gradient")}
    (finding,) = of_fault
    assert len(finding["case"]["graph"]["nodes"]) == 1
    nodes = {node["id"]: node["op"] for node in finding["original"]["graph"]["nodes"]}
    assert len(nodes) > 1
    assert nodes[finding["localization"]["suspect"]] == FAULTY
    assert "fault of Assay" not in done.err


#: The norm of all gradients together is taken for twice what it is.
CLIPPED = """
import keras

original = keras.optimizers.SGD._clip_gradients

def _clip_gradients(self, gradients):
    if self.global_clipnorm is None:
        return original(self, gradients)
    return [gradient / 2 for gradient in original(self, gradients)]

keras.optimizers.SGD._clip_gradients = _clip_gradients
"""


CLIPPING = ("keras.layers.Dense", "keras.losses.Poisson", "keras.optimizers.SGD")


def seed_that_clips(within: int) -> int:
    """A seed of which several models have all of their gradients clipped."""
    vocabulary = {name: everything()[name] for name in CLIPPING}
    for seed in range(2, 1000):
        source = create("synthesize", seed, ("mine", "keras-torch", "reference"), vocabulary)
        optimizers = [source.ask(index).case.optimizer for index in range(within)]
        clipping = [o for o in optimizers if o is not None and o.params.get("global_clipnorm")]
        if len(clipping) > 3:
            return seed
    raise AssertionError("no seed")


@pytest.mark.timeout(300)
def test_a_wrong_step_of_an_optimizer_is_blamed_on_the_optimizer(assay: Command) -> None:
    """It takes all gradients of a model: the finding has them, and no layer."""
    assay.write("wrong.py", CLIPPED)
    assay.write("assay.toml", TARGET)
    done = assay(
        *("hunt", "--technique", "synthesize", "--targets", "mine,keras-torch", "--json"),
        *("--ops", ",".join(CLIPPING)),
        *("--cases", "40", "--seed", str(seed_that_clips(40)), "--no-witnesses"),
        timeout=280,
    )
    assert done.code == 1, done.err
    found = done.document["findings"]
    of_fault = [f for f in found if f["category"] == "bug" and f["blamed"] == ["mine"]]
    assert {f["op"] for f in of_fault} == {"keras.optimizers.SGD"}
    assert all(f["params"].get("global_clipnorm") for f in of_fault)
    (node,) = of_fault[0]["case"]["graph"]["nodes"]
    assert len(node["inputs"][0]) > 1
    assert len(of_fault[0]["original"]["graph"]["nodes"]) > 1
