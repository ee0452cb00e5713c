"""Every word of every library against the shared words. No library is needed."""

from functools import cache

import pytest

from assay.ir import Case, Graph, Input, Node, Uniform
from assay.libraries import (
    SHARED,
    Untold,
    everything,
    libraries,
    translated,
    vocabulary,
    worded,
    words,
)
from assay.libraries.translating import understood
from assay.ops import Draw
from assay.ops.instance import instantiate
from assay.ops.placing import shapes_of
from assay.ops.shapes import Palette
from assay.sources import create
from assay.sources._assemble import assemble

_DRAWS = 20
_SPOKEN = sorted(words())


@cache
def _cases(name: str) -> list[Case]:
    palette = Palette(1)
    found = []
    for seed in range(_DRAWS):
        draw = Draw(seed, seed, 1)
        call = instantiate(everything()[name], draw, palette)
        found.append(assemble([call], draw, seed).case)
    return found


def _shape(case: Case) -> tuple[int, ...]:
    """The shape of the only output."""
    (name,) = case.graph.outputs
    return shapes_of(case, understood())[name]


def test_there_are_words_of_every_native_library() -> None:
    roots = {library.root for library in libraries().values() if library.words}
    assert roots >= {"torch", "tf", "jax", "onnx"}


@pytest.mark.parametrize("name", _SPOKEN)
def test_a_word_and_the_shared_op_have_outputs_of_one_shape(name: str) -> None:
    for case in _cases(name):
        shared = translated(case, SHARED)
        # Special functions that Keras has not are shared by SciPy's names.
        root = words()[name].means.partition(".")[0]
        assert {node.op.partition(".")[0] for node in shared.graph.nodes} == {root}
        assert _shape(shared) == _shape(case), case.graph.nodes


@pytest.mark.parametrize("name", _SPOKEN)
def test_a_word_comes_back_from_the_shared_words(name: str) -> None:
    means, root = words()[name].means, name.partition(".")[0]
    for case in _cases(name):
        again = translated(translated(case, SHARED), root)
        assert {node.op.partition(".")[0] for node in again.graph.nodes} == {root}
        assert means in {words()[node.op].means for node in again.graph.nodes}
        assert again.graph.inputs == case.graph.inputs
        assert again.graph.outputs == case.graph.outputs
        assert _shape(again) == _shape(case), (case.graph.nodes, again.graph.nodes)


def test_a_chain_is_in_the_words_of_one_library() -> None:
    names = ("torch", "jax")
    source = create("single-op", 1, names, vocabulary(names))
    cases = [source.ask(index).cases[0] for index in range(200)]
    assert any(len(case.graph.nodes) > 1 for case in cases)
    for case in cases:
        assert len({node.op.partition(".")[0] for node in case.graph.nodes}) == 1


def test_calls_in_bfloat16_are_said_in_the_words_of_libraries_that_have_it() -> None:
    graph = Graph((Input("x", (3,), "bfloat16"),), (Node("n", "torch.tanh", ("x",)),), ("n",))
    case = Case(graph, {"x": Uniform(1)})
    for library, op in {"jax": "jax.numpy.tanh", "tensorflow": "tf.math.tanh"}.items():
        said = worded(case, library)
        assert [node.op for node in said.graph.nodes] == [op]
        assert said.graph.inputs == graph.inputs
    with pytest.raises(Untold, match="takes no bfloat16"):
        worded(case, "onnxruntime")
