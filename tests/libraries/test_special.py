"""Special functions: words of libraries for what Keras has not."""

import numpy as np
import pytest

from assay.ir import Case, Explicit, Graph, Input, Node
from assay.judge.balls import enclose, formulas
from assay.libraries import Untold, everything, vocabulary, worded, words
from assay.ops.special import ROOT, SPECS
from assay_worker.reference import Operation, Undocumented, names


def _case(op: str) -> Case:
    graph = Graph((Input("x0", (1,), "float32"),), (Node("n0", op, ("x0",), {}),), ("n0",))
    return Case(graph=graph, inputs={"x0": Explicit(np.ones(1, "float32"))})


def test_each_has_a_reference_and_a_formula_and_somebody_who_says_it() -> None:
    for spec in SPECS:
        assert spec.name in names()
        assert spec.name in formulas()
        assert spec.name in {word.means for word in words().values()}


def test_one_library_asks_another_in_its_own_words() -> None:
    asked = worded(_case("torch.special.psi"), "tensorflow")
    assert [node.op for node in asked.graph.nodes] == ["tf.math.digamma"]


def test_keras_has_no_word_and_the_reference_has_one() -> None:
    asked = worded(_case("torch.special.erfcx"), "reference")
    assert [node.op for node in asked.graph.nodes] == ["scipy.special.erfcx"]
    with pytest.raises(Untold, match="keras has no word"):
        worded(_case("torch.special.erfcx"), "keras")


def test_no_hunt_draws_their_shared_names() -> None:
    for library in ("keras", "torch", "tensorflow", "jax"):
        assert not [op for op in vocabulary([library]) if op.startswith(f"{ROOT}.")]
    assert "scipy.special.erfcx" in everything()


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1"])
def test_oscillations_are_known_far_out(name: str) -> None:
    x = np.array([2.5, 9999.0, 10001.0, 123456.0, 2.0**40])
    found = Operation(f"scipy.special.{name}", {}).run((x,), {}, {}, False)[0]
    (exact,) = enclose(f"scipy.special.{name}", [x], {}, format="float64")
    assert np.allclose(found, [float(item.mid()) for item in exact.elements], 1e-9, 1e-15)


def test_poles_that_libraries_give_as_they_like_are_open() -> None:
    with pytest.raises(Undocumented):
        Operation("scipy.special.y0", {}).run((np.array([-1.0]),), {}, {}, False)


def test_the_incomplete_beta_function_is_what_its_formula_says() -> None:
    arrays = [np.array(row) for row in ([0.5, 2.0, 30.0], [1.5, 3.0, 7.0], [0.25, 0.7, 0.9])]
    found = Operation("scipy.special.betainc", {}).run(tuple(arrays), {}, {}, False)[0]
    (exact,) = enclose("scipy.special.betainc", arrays, {}, format="float64")
    assert np.allclose(found, [float(item.mid()) for item in exact.elements], 1e-12, 0.0)
