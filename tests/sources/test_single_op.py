import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from assay.errors import AssayError
from assay.ir import Node, Trial
from assay.ops import Domain, Draw, OpSpec, Shape, Shapes, Tensor, parameter, specs
from assay.ops.classes import edges
from assay.sources import contract, create, techniques

TARGETS = ("keras-tensorflow", "keras-jax", "keras-torch")
MANY = 4000


@cache
def trials() -> tuple[Trial, ...]:
    source = create("single-op", 11, TARGETS)
    return tuple(source.ask(index) for index in range(MANY))


def test_the_source_keeps_the_contract() -> None:
    contract.check_all(lambda seed: create("single-op", seed, TARGETS), range(300))


def test_trials_are_the_same_in_every_process() -> None:
    code = (
        "from assay.ir import content_hash\n"
        "from assay.sources import create\n"
        "source = create('single-op', 4, ('a', 'b'))\n"
        "print(content_hash([source.ask(index) for index in range(200)]))\n"
    )
    # Another hash seed gives sets and dictionaries of strings another order.
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert len(found.pop().strip()) == 64


def test_an_unknown_technique_is_answered_with_the_nearest() -> None:
    assert "single-op" in techniques()
    with pytest.raises(
        AssayError, match=r'unknown technique "singel-op"\. Did you mean "single-op"'
    ):
        create("singel-op", 0, TARGETS)


def test_an_empty_vocabulary_is_refused() -> None:
    with pytest.raises(AssayError, match="no deterministic op"):
        create("single-op", 0, TARGETS, {})


def test_every_trial_has_one_arm_per_target_and_every_fourth_repeats() -> None:
    for trial in trials()[:200]:
        assert trial.targets == TARGETS
        repeated = any(arm.variant == "again" for arm in trial.arms)
        assert repeated == (trial.index % 4 == 0)


def test_every_op_has_its_turn_first_and_those_with_many_classes_more() -> None:
    source = create("single-op", 5, TARGETS)
    every = [source._turn(index) for index in range(3000)]  # type: ignore[attr-defined]
    turns = [(turn.spec, turn.number) for turn in every if turn.invalid is None]
    asked = [spec.name for spec, _ in turns]
    size = sum(name.startswith("keras.") for name in specs())
    assert set(Counter(asked[:size]).values()) == {1}
    assert asked[:size] != asked[-size:]
    often = Counter(asked)
    assert often["keras.layers.Conv2D"] > 1.5 * often["keras.ops.arccosh"]
    assert max(often.values()) <= 3 * min(often.values()) + 3
    for name in ("keras.layers.Conv2D", "keras.ops.arccosh"):
        assert [turn for spec, turn in turns if spec.name == name] == list(range(often[name]))


def test_every_invalid_value_comes_once_in_eight_rounds() -> None:
    source = create("single-op", 5, TARGETS)
    block = source._ends[-1]  # type: ignore[attr-defined]
    turns = [source._turn(index) for index in range(block)]  # type: ignore[attr-defined]
    met = Counter((turn.spec.name, turn.invalid) for turn in turns if turn.invalid is not None)
    known = {
        spec.name: sum(len(item.invalid) for item in spec.parameters) for spec in specs().values()
    }
    assert set(met.values()) == {1}
    assert Counter(name for name, _ in met) == Counter({n: c for n, c in known.items() if c})


def test_the_mixture_is_as_documented() -> None:
    found = trials()
    share = lambda test: sum(map(test, found)) / len(found)  # noqa: E731
    assert 0.03 <= share(lambda trial: len(trial.case.graph.nodes) > 1) <= 0.1
    assert 0.12 <= share(lambda trial: trial.intent == "invalid") <= 0.2
    at_edge = frozenset().union(*map(edges, specs().values()))
    assert share(lambda trial: bool(at_edge.intersection(trial.classes))) >= 0.4
    # Metrics, optimizers, whole numbers and invalid cases have none.
    assert share(lambda trial: trial.case.stage == "gradient") >= 0.4
    assert max(len(trial.case.graph.nodes) for trial in found) == 4


def test_an_invalid_node_is_the_last_and_has_the_suspect_parameter() -> None:
    for trial in trials():
        if trial.intent == "invalid":
            last = trial.case.graph.nodes[-1]
            assert trial.spoilt in last.params
            invalid = [triple for triple in trial.classes if triple[2].startswith("invalid:")]
            assert [triple[:2] for triple in invalid] == [(last.op, trial.spoilt)]


def test_only_cases_with_something_to_differentiate_ask_for_gradients() -> None:
    for trial in trials():
        used = [specs()[node.op] for node in trial.case.graph.nodes]
        floats = any(item.dtype.startswith("float") for item in trial.case.graph.inputs)
        something = floats or all(spec.weights for spec in used)
        smooth = all(spec.differentiable for spec in used)
        asked = smooth and something and trial.intent == "valid"
        assert (trial.case.stage == "gradient") == asked
    assert any(trial.case.stage == "forward" for trial in trials())


def test_training_is_asked_of_ops_that_do_something_else_then() -> None:
    training = [trial for trial in trials() if trial.case.training]
    assert training
    for trial in training:
        assert any(specs()[node.op].training for node in trial.case.graph.nodes)


# ------------------------------------------------- triggers of real bugs, met unaided


def _inputs(trial: Trial) -> list[np.ndarray]:
    return list(trial.case.input_arrays().values())


def _spatial(trial: Trial) -> Shape:
    shape = trial.case.graph.inputs[0].shape
    first = trial.case.graph.nodes[0].params.get("data_format") == "channels_first"
    return shape[2:] if first else shape[1:-1]


def _odd_same_padding(trial: Trial, node: Node) -> bool:
    size, steps = node.params["pool_size"], node.params.get("strides", node.params["pool_size"])
    whole = isinstance(size, int) and isinstance(steps, int)
    if trial.intent == "invalid" or node.params.get("padding") != "same" or not whole:
        return False
    return any(max(0, (-(-n // steps) - 1) * steps + size - n) % 2 for n in _spatial(trial))


def _zero_row(trial: Trial, node: Node) -> bool:
    array = _inputs(trial)[0]
    return node.params.get("axis", -1) == -1 and bool((array == 0).all(axis=-1).any())


def _wide_symmetric(trial: Trial, node: Node) -> bool:
    if trial.intent == "invalid":
        return False
    width = np.asarray(node.params["pad_width"])
    return node.params.get("mode") == "symmetric" and width.max() >= 2


TRIGGERS: dict[str, tuple[str, Callable[[Trial, Node], bool]]] = {
    "average pooling with odd total padding": ("layers.AveragePooling2D", _odd_same_padding),
    "symmetric padding by two": ("ops.pad", _wide_symmetric),
    "half turn of a non-square array": (
        "ops.rot90",
        lambda t, n: (
            n.params.get("k") == 2
            and n.params.get("axes", [0, 1]) == [0, 1]
            and len(set(t.case.graph.inputs[0].shape[:2])) == 2
        ),
    ),
    "infinite leg": ("ops.hypot", lambda t, n: any(np.isinf(a).any() for a in _inputs(t))),
    "equal legs": (
        "ops.hypot",
        lambda t, n: np.array_equal(*_inputs(t)) and bool((_inputs(t)[0] != 0).all()),
    ),
    "scalar shift along several axes": (
        "ops.roll",
        lambda t, n: isinstance(n.params["shift"], int) and isinstance(n.params.get("axis"), list),
    ),
    "row of zeros": ("layers.UnitNormalization", _zero_row),
    "exact zero": ("activations.celu", lambda t, n: bool((_inputs(t)[0] == 0).any())),
    "negative padding": (
        "layers.ZeroPadding2D",
        lambda t, n: t.spoilt == "padding" and n.params["padding"] == -1,
    ),
    "NaN in one operand": ("ops.maximum", lambda t, n: np.isnan(_inputs(t)[0]).any()),
    "large mean, small spread": (
        "layers.LayerNormalization",
        lambda t, n: bool(_inputs(t)[0].size) and _inputs(t)[0].min() > 1000,
    ),
    "axes that are not neighbours": (
        "layers.Softmax",
        lambda t, n: (
            isinstance(n.params.get("axis"), list)
            and len(n.params["axis"]) == 2
            and abs(n.params["axis"][0] - n.params["axis"][1]) > 1
        ),
    ),
    "window larger than its input": (
        "layers.MaxPooling2D",
        lambda t, n: (
            t.spoilt == "pool_size"
            and isinstance(n.params["pool_size"], list)
            and n.params["pool_size"][0] > _spatial(t)[0]
        ),
    ),
    "no batch": ("layers.Dense", lambda t, n: t.case.graph.inputs[0].shape[0] == 0),
    "channels first and dilated": (
        "layers.DepthwiseConv2D",
        lambda t, n: (
            n.params.get("data_format") == "channels_first" and n.params.get("dilation_rate") == 2
        ),
    ),
}


@pytest.mark.parametrize("name", TRIGGERS)
def test_generated_cases_meet_the_trigger(name: str) -> None:
    op, test = TRIGGERS[name]
    source = create("single-op", 2, TARGETS, {f"keras.{op}": specs()[f"keras.{op}"]})
    # About what an hour-long hunt over a vocabulary of seven hundred ops gives each of them.
    for index in range(300):
        trial = source.ask(index)
        if len(trial.case.graph.nodes) == 1 and test(trial, trial.case.graph.nodes[0]):
            return
    pytest.fail(f"no case of {op} in 300")


# ------------------------------------- what later vocabularies need, with specs of the test


def _kernel(draw: Draw, first: Shape) -> Shapes:
    return ((2, 3, first[-1], 4),)


def _targets(draw: Draw, first: Shape) -> Shapes:
    return (first[:-1],)


LATER = {
    spec.name: spec
    for spec in (
        OpSpec(
            name="keras.layers.Embedding",
            rule=lambda params, shapes: ((*shapes[0], params["output_dim"]),),
            parameters=(
                parameter("input_dim", valid=(5, 7), boundary=(1,)),
                parameter("output_dim", valid=(2, 3)),
            ),
            tensors=(
                Tensor(
                    ranks=(2,),
                    dtypes=("int32",),
                    domain=Domain(kind="ids"),
                    limits=lambda params, shapes: (0, params["input_dim"] - 1),
                ),
            ),
            differentiable=False,
        ),
        OpSpec(
            name="keras.layers.LSTM",
            rule=lambda params, shapes: ((shapes[0][0], params["units"]),) * 3,
            parameters=(
                parameter("units", valid=(2,)),
                parameter("return_state", valid=(True,)),
            ),
            tensors=(Tensor(ranks=(3,)),),
        ),
        OpSpec(
            name="keras.layers.TimeDistributed",
            rule=lambda params, shapes: ((*shapes[0][:-1], 4),),
            parameters=(
                parameter("layer", valid=({"$op": "keras.layers.Dense", "params": {"units": 4}},)),
            ),
            tensors=(Tensor(ranks=(3,)),),
        ),
        OpSpec(
            name="keras.ops.conv",
            rule=lambda params, shapes: ((*shapes[0][:-1], shapes[1][-1]),),
            parameters=(parameter("padding", valid=("same",)),),
            tensors=(Tensor(ranks=(4,)), Tensor(ranks=(4,))),
            companions=_kernel,
        ),
        OpSpec(
            name="keras.ops.in_top_k",
            rule=lambda params, shapes: (shapes[0],),
            parameters=(parameter("k", valid=(1, 2)),),
            tensors=(Tensor(ranks=(2, 3)), Tensor(ranks=(1, 2), dtypes=("int32",))),
            companions=_targets,
            differentiable=False,
            result="bool",
        ),
        OpSpec(
            name="keras.losses.CategoricalCrossentropy",
            rule=lambda params, shapes: ((),),
            tensors=(Tensor(domain=Domain(kind="one_hot")), Tensor(domain=Domain(0.1, 0.9))),
            companions=lambda draw, first: (first,),
        ),
        OpSpec(name="keras.layers.Dropout", rule=lambda p, s: s, stochastic=True),
    )
}


def test_later_vocabularies_fit_the_framework() -> None:
    contract.check_all(lambda seed: create("single-op", seed, TARGETS, LATER), range(120))


def test_ids_follow_the_parameter_that_limits_them() -> None:
    source = create("single-op", 3, TARGETS, {n: LATER[n] for n in ["keras.layers.Embedding"]})
    outside = 0
    for index in range(60):
        trial = source.ask(index)
        (array,) = _inputs(trial)
        size = trial.case.graph.nodes[0].params["input_dim"]
        claimed = any(triple[1:] == ("input", "out_of_range") for triple in trial.classes)
        actual = bool(((array < 0) | (array >= size)).any())
        assert claimed or not actual
        outside += actual
    assert outside


def test_several_outputs_each_have_an_upstream_gradient() -> None:
    source = create("single-op", 3, TARGETS, {n: LATER[n] for n in ["keras.layers.LSTM"]})
    trial = source.ask(0)
    assert trial.case.graph.outputs == ("n0", "n0:1", "n0:2")
    assert len(trial.case.loss.upstream) == 3  # type: ignore[union-attr]


def test_stochastic_ops_are_left_out() -> None:
    source = create("single-op", 3, TARGETS, LATER)
    assert "keras.layers.Dropout" not in {triple[0] for triple in source.universe()}


def test_a_mask_is_a_keyword_argument() -> None:
    source = create("single-op", 3, TARGETS, {n: specs()[n] for n in ["keras.layers.Softmax"]})
    graphs = [source.ask(index).case.graph for index in range(60)]
    masked = [graph.nodes[0] for graph in graphs if graph.nodes[0].arguments]
    assert masked
    assert all(node.arguments == {"mask": {"$tensor": "x1"}} for node in masked)
    # Keras hands masks on unseen, so a chain has none.
    assert not any(node.arguments for g in graphs if len(g.nodes) > 1 for node in g.nodes)


@pytest.mark.parametrize("op", ["keras.ops.average_pool", "keras.ops.add", "keras.layers.Dense"])
def test_few_trials_of_an_op_meet_its_dtypes_ranks_and_arguments(op: str) -> None:
    source = create("single-op", 6, TARGETS, {op: specs()[op]})
    wanted = {item for item in source.universe() if item[1] in ("dtype", "rank", "present")}
    met = {item for index in range(32) for item in source.ask(index).classes}
    assert len(wanted & met) >= 0.9 * len(wanted)


def test_a_call_does_not_depend_on_what_was_asked_before() -> None:
    wanted = {op: specs()[op] for op in ("keras.ops.add", "keras.layers.Conv2D")}
    source = create("single-op", 6, TARGETS, wanted)
    in_order = [source.ask(index) for index in range(150)]
    for index in (149, 3, 3, 131, 0, 64):
        assert create("single-op", 6, TARGETS, wanted).ask(index) == in_order[index]
        assert source.ask(index) == in_order[index]


def test_few_trials_of_an_op_put_values_of_two_parameters_together() -> None:
    only = {"keras.ops.pad": specs()["keras.ops.pad"]}
    for seed in range(8):
        source = create("single-op", seed, TARGETS, only)
        asked = (source.ask(index) for index in range(100))
        drawn = [trial.case.graph.nodes[0].params for trial in asked if trial.intent == "valid"]
        # So many turns it has in half an hour on two cores.
        wide = [item for item in drawn[:30] if item["pad_width"] not in (0, 1)]
        modes = {item.get("mode", "constant") for item in wide}
        assert modes == {"constant", "reflect", "symmetric"}, f"seed {seed}"
