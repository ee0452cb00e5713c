import numpy as np
import pytest

from assay.ops import Draw, Invalid, OpSpec, Tensor, parameter, specs
from assay.ops.classes import edges, universe
from assay.ops.instance import instantiate, spoil
from assay.ops.shapes import Palette, shape_classes, unchanged
from assay.sources._assemble import assemble

PALETTE = Palette(1)
SPECS = sorted(specs().values(), key=lambda spec: spec.name)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_calls_are_valid_by_the_rule_and_inside_the_universe(spec: OpSpec) -> None:
    draw = Draw(2)
    for _ in range(100):
        call = instantiate(spec, draw, PALETTE)
        assert spec.output_shapes(call.params, call.shapes) == call.outputs
        assert set(call.classes) <= universe(spec)
        if spec.tensors:
            assert len(call.shapes[0]) in spec.tensors[0].ranks
        assert len(call.slots) == len(call.shapes) == len(call.dtypes)
        assert set(call.params) <= {item.name for item in spec.parameters}
        required = {item.name for item in spec.parameters if item.required}
        assert required <= set(call.params)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_parameter_class_is_met(spec: OpSpec) -> None:
    draw = Draw(3)
    missing = {triple for triple in universe(spec) if triple[1] != "input"}
    for _ in range(5000):
        call = instantiate(spec, draw, PALETTE)
        missing.difference_update(call.classes)
        try:
            missing.difference_update(spoil(call, draw).classes)
        except Invalid:
            assert not any(item.invalid for item in spec.parameters)
        if not missing:
            break
    assert not missing


@pytest.mark.parametrize(
    "spec",
    [spec for spec in SPECS if any(p.invalid for p in spec.parameters)],
    ids=lambda s: s.name,
)
def test_spoiling_changes_exactly_one_parameter(spec: OpSpec) -> None:
    draw = Draw(4)
    for _ in range(50):
        call = instantiate(spec, draw, PALETTE)
        spoiled = spoil(call, draw)
        names = set(call.params) | set(spoiled.params)
        missing = object()
        changed = {
            n for n in names if call.params.get(n, missing) != spoiled.params.get(n, missing)
        }
        assert changed == {spoiled.spoilt}
        assert spoiled.shapes == call.shapes
        assert sum(triple[2].startswith("invalid:") for triple in spoiled.classes) == 1


def test_a_call_takes_the_first_shape_it_is_given() -> None:
    call = instantiate(specs()["keras.layers.Conv2D"], Draw(1), PALETTE, (2, 9, 8, 4), "float32")
    assert call.shapes == ((2, 9, 8, 4),)


def test_a_shape_the_op_cannot_take_is_invalid() -> None:
    with pytest.raises(Invalid, match="Conv2D"):
        instantiate(specs()["keras.layers.Conv2D"], Draw(1), PALETTE, (2, 3), "float32")


def test_edges_are_boundary_values_special_values_shapes_and_dtypes() -> None:
    spec = OpSpec(
        name="keras.layers.Example",
        rule=unchanged,
        parameters=(parameter("size", 2, valid=(2,), boundary=(1,), invalid=(0,)),),
        tensors=(Tensor(ranks=(3,), dtypes=("float32", "int32")),),
    )
    found = {triple[1:] for triple in edges(spec)}
    assert {("size", "1"), ("input", "nan"), ("shape", "batch_0"), ("dtype", "x0 int32")} <= found
    usual = {("size", "2"), ("size", "default"), ("size", "invalid:0"), ("input", "ordinary")}
    assert not found & (usual | {("dtype", "x0 float32"), ("shape", "odd")})


def test_the_palette_is_small_and_a_function_of_the_seed() -> None:
    one, same, other = Palette(7), Palette(7), Palette(8)
    for rank in range(1, 7):
        first = {one.shape(Draw(i), rank) for i in range(400)}
        assert first == {same.shape(Draw(i), rank) for i in range(400)}
        assert len(first) <= 5 * (rank + 2)
        assert any(0 in shape for shape in first)
        assert (3,) * rank in first
    assert [one.shape(Draw(i), 4) for i in range(9)] != [other.shape(Draw(i), 4) for i in range(9)]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((), set()),
        ((0, 4), {"batch_0", "even"}),
        ((1, 3, 5), {"batch_1", "odd", "non_square"}),
        ((2, 3, 3, 1), {"odd", "repeated", "dim_1", "non_square"}),
        ((2, 4, 4), {"even", "repeated"}),
        ((7,), {"odd"}),
    ],
)
def test_shape_classes(shape: tuple[int, ...], expected: set[str]) -> None:
    assert set(shape_classes(shape)) == expected


def test_tensors_of_one_kind_come_with_the_same_ordinary_values() -> None:
    spec = specs()["keras.ops.hypot"]
    calls = [instantiate(spec, Draw(seed), Palette(0)) for seed in range(100)]
    twins = [call for call in calls if call.twins]
    assert twins
    for call in twins:
        assert ("keras.ops.hypot", "input", "equal") in call.classes
        arrays = [*assemble([call], Draw(0), 0).case.input_arrays().values()]
        assert np.array_equal(arrays[0], arrays[1])
        assert np.isfinite(arrays[0].astype("float64")).all()


def test_padding_mirrors_more_than_the_edge_in_every_rank() -> None:
    spec = specs()["keras.ops.pad"]
    calls = [instantiate(spec, Draw(seed), Palette(0)) for seed in range(400)]
    met = {name for call in calls for _, kind, name in call.classes if kind == "relation"}
    for rank in range(1, 5):
        assert f"symmetric by several of rank {rank}" in met
