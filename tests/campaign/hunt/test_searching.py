"""Searches on real workers: individuals as they are, faults found, and cases that show them."""

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from assay.campaign.hunt.individuals import MOST_WEIGHTS, Genes, Rows, drawn
from assay.campaign.hunt.searching import Searching
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.start import started
from assay.config import Config, TargetConfig
from assay.execute import Limits
from assay.ir import Arm, Case, Search, Trial
from assay.search import Tensor
from assay.sources.mutate.seeds import Wanted, seed_model
from assay.targets import REFERENCE, known_targets, resolve

#: Overflows where a logit is above 7.4; dies where a feature is above 1e5.
PRELUDE = """
import os
import signal
import keras

def softmax(self, inputs, mask=None):
    powers = keras.ops.exp(inputs * 12.0) ** (1.0 / 12.0)
    return powers / keras.ops.sum(powers, axis=self.axis, keepdims=True)

keras.layers.Softmax.call = softmax
flatten = keras.layers.Flatten.call

def deadly(self, inputs):
    if float(keras.ops.max(inputs)) > 1e5:
        os.kill(os.getpid(), signal.SIGSEGV)
    return flatten(self, inputs)

keras.layers.Flatten.call = deadly
"""
RIGHT, WRONG = "keras-torch", "mine"


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    file = tmp_path_factory.mktemp("prelude") / "wrong.py"
    file.write_text(PRELUDE, encoding="utf-8")
    mine = TargetConfig(library="keras", backend="torch", prelude=str(file))
    known = known_targets(Config(targets={WRONG: mine}))
    targets = (*resolve((RIGHT, WRONG), known, cases=True), REFERENCE)
    limits = Limits(start_seconds=600.0)
    with started(targets, lambda event: None, limits=limits) as (found, _):
        yield found


LENET = seed_model("lenet5", Wanted(1))
SEARCH = Search(LENET.logits, 1)


def trial(case: Case, **settings: object) -> Trial:
    search = msgspec.structs.replace(SEARCH, **settings)
    return Trial(0, "mutate", (case,), (Arm(RIGHT), Arm(WRONG)), search=search)


def individuals(laboratory: Laboratory, rows: Rows, target: str = RIGHT) -> dict[str, object]:
    weights = [[node, place, array] for (node, place), array in rows.weights.items()]
    more = {"count": rows.count, "inputs": rows.inputs, "weights": weights}
    found = laboratory.individuals(LENET.case, LENET.logits, (target,), "run", more)[target]
    assert isinstance(found, dict), found
    return found


def alone(laboratory: Laboratory, case: Case, target: str = RIGHT) -> np.ndarray:
    (trace,) = laboratory.run([case], target)
    return trace.arrays[f"output:{LENET.logits}"].reshape(-1)


def test_inputs_side_by_side_are_what_each_is_as_a_case(laboratory: Laboratory) -> None:
    rows = drawn(LENET.case, 5)
    found = individuals(laboratory, rows)
    assert found["together"]
    genes = Genes(LENET.case, SEARCH, {}, ())
    for row in range(5):
        single = alone(laboratory, genes.case(rows, row))
        np.testing.assert_allclose(found["outputs"][row], single, rtol=1e-4, atol=1e-5)
    assert np.ptp(found["outputs"], axis=0).min() > 0, "five inputs have five answers"


def test_weights_are_those_of_each_individual_and_of_its_case(laboratory: Laboratory) -> None:
    told = laboratory.individuals(LENET.case, LENET.logits, (RIGHT,), "weights", {})[RIGHT]
    assert isinstance(told, dict)
    search = msgspec.structs.replace(SEARCH, level="both")
    genes = Genes(LENET.case, search, told["weights"], told["positive"])
    assert genes.space().size == 28 * 28 + 107_786
    noise = np.random.default_rng(1)
    added = {t.name: 0.01 * noise.normal(size=(3, *t.shape)) for t in genes.space().tensors}
    rows = genes.rows(added)
    found = individuals(laboratory, rows)
    for row in range(3):
        single = alone(laboratory, genes.case(rows, row))
        np.testing.assert_allclose(found["outputs"][row], single, rtol=1e-5)


def test_without_anything_added_weights_are_those_of_the_case(laboratory: Laboratory) -> None:
    told = laboratory.individuals(LENET.case, LENET.logits, (RIGHT,), "weights", {})[RIGHT]
    assert isinstance(told, dict)
    genes = Genes(LENET.case, msgspec.structs.replace(SEARCH, level="weight"), told["weights"], ())
    rows = genes.rows({t.name: np.zeros((1, *t.shape)) for t in genes.space().tensors})
    own, same = alone(laboratory, LENET.case), alone(laboratory, genes.case(rows, 0))
    assert own.tobytes() == same.tobytes()


def test_what_mixes_rows_is_run_one_by_one(laboratory: Laboratory) -> None:
    nodes = tuple(
        msgspec.structs.replace(node, params={"axis": [0, 1]}) if "softmax" in node.id else node
        for node in LENET.case.graph.nodes
    )
    graph = msgspec.structs.replace(LENET.case.graph, nodes=nodes)
    case = msgspec.structs.replace(LENET.case, graph=graph)
    rows = drawn(case, 4)
    more = {"count": 4, "inputs": rows.inputs, "weights": []}
    (found,) = laboratory.individuals(case, graph.outputs[0], (RIGHT,), "run", more).values()
    assert isinstance(found, dict)
    assert not found["together"]
    np.testing.assert_allclose(found["outputs"].sum(axis=1), 1.0, rtol=1e-5)


def test_the_first_node_that_gives_nan_is_told_of_each(laboratory: Laboratory) -> None:
    rows = drawn(LENET.case, 3)
    rows.inputs["x0"][1] = np.nan
    assert individuals(laboratory, rows)["nan"] == ["", "conv2d_1", ""]


def test_nan_behind_all_layers_is_reached_by_breeding_and_not_by_luck(
    laboratory: Laboratory,
) -> None:
    def searched(strategy: str) -> tuple[int, list[Case]]:
        shown: list[Case] = []

        def examine(case: Case) -> bool:
            shown.append(case)
            return True

        asked = trial(
            LENET.case,
            goal="nan",
            strategy=strategy,
            generations=25,
            population=40,
            parents=10,
            bound=1.0,
        )
        result = Searching(asked, (RIGHT, WRONG), laboratory, examine, None).run()
        assert result.shown == len(shown)
        return result.evaluations, shown

    evaluations, shown = searched("genetic")
    assert evaluations < 1000
    (case,) = shown
    assert np.abs(case.input_arrays()["x0"]).max() <= 1.0
    (trace,) = laboratory.run([case], WRONG)
    assert np.isnan(trace.arrays["output:softmax_1"]).any()
    assert not np.isnan(trace.arrays[f"output:{LENET.logits}"]).any()
    (healthy,) = laboratory.run([case], RIGHT)
    assert not np.isnan(healthy.arrays["output:softmax_1"]).any()
    again = searched("genetic")
    assert (again[0], [to.input_arrays()["x0"].tobytes() for to in again[1]]) == (
        evaluations,
        [case.input_arrays()["x0"].tobytes()],
    )
    assert searched("random") == (1000, [])


def test_the_individual_that_kills_a_target_is_found_among_the_others(
    laboratory: Laboratory,
) -> None:
    shown: list[Case] = []

    def examine(case: Case) -> bool:
        shown.append(case)
        return True

    rows = drawn(LENET.case, 6)
    rows.inputs["x0"][4] = 1e7
    searching = Searching(trial(LENET.case), (RIGHT, WRONG), laboratory, examine, None)
    seen = searching._evaluated(rows)
    assert seen[WRONG].died == {4: "SIGSEGV"}
    assert not seen[RIGHT].died
    assert not np.isnan(seen[WRONG].outputs[[0, 1, 2, 3, 5]]).any()
    searching._look(seen, rows, Genes(LENET.case, SEARCH, {}, ()))
    assert [float(case.input_arrays()["x0"].max()) for case in shown] == [1e7]


def test_of_a_model_with_too_many_weights_whole_tensors_are_chosen_by_seed() -> None:
    weights = {
        "a": [np.zeros(MOST_WEIGHTS - 2), np.zeros(2)],
        "b": [np.zeros(3)],
        "c": [np.ones(1)],
    }
    chosen = set()
    for seed in range(20):
        search = msgspec.structs.replace(SEARCH, level="weight", seed=seed)
        genes = Genes(LENET.case, search, weights, ())
        tensors = genes.space().tensors
        assert genes.space().size <= MOST_WEIGHTS
        chosen.add(tuple(tensor.name for tensor in tensors))
        rows = genes.rows({t.name: np.full((1, *t.shape), 0.5) for t in tensors})
        case = genes.case(rows, 0)
        for node, arrays in case.explicit_weights.items():
            for place, item in enumerate(arrays):
                moved = 0.5 * (f"weight {node} {place}" in chosen_names(tensors))
                assert (item.array == weights[node][place] + moved).all()
    assert len(chosen) > 1


def chosen_names(tensors: tuple[Tensor, ...]) -> set[str]:
    return {tensor.name for tensor in tensors}
