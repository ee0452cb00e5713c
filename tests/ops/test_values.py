import numpy as np
import pytest

from assay.ops import REAL, Domain, Draw, specs
from assay.ops.values import ordinary, special, value_classes

FLOAT = value_classes(REAL, "float32")


def _exercised(array: np.ndarray, label: str) -> bool:
    tiny = np.finfo(array.dtype).tiny
    size = np.abs(array)
    tests = {
        "zero": (array == 0) & ~np.signbit(array),
        "negative_zero": (array == 0) & np.signbit(array),
        "one": array == 1,
        "subnormal": (size > 0) & (size < tiny),
        "tiny": (size >= tiny) & (size < 8 * tiny),
        "huge": np.isfinite(array) & (size > np.finfo(array.dtype).max / 8),
        "nan": np.isnan(array),
        "positive_infinity": array == np.inf,
        "negative_infinity": array == -np.inf,
        "large_mean": size > 4000,
        "wide": np.isfinite(array) & (size > 10),
    }
    if label == "tied":
        return len(np.unique(array)) < array.size
    return bool(tests[label].any())


def test_everythingial_recipe_holds_the_classes_it_claims() -> None:
    met = set()
    for seed in range(400):
        recipe, labels = special(Draw(seed), REAL, "float32", seed, 225)
        # Large enough that none of two classes is left out by chance.
        array = recipe.materialise((9, 25), "float32")
        for label in labels:
            assert _exercised(array, label), (label, recipe)
        met.update(labels)
    assert met == set(FLOAT)


@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8"])
def test_integers_stay_in_their_dtype_and_meet_their_extremes(dtype: str) -> None:
    info = np.iinfo(dtype)
    met = set()
    for seed in range(60):
        usual = ordinary(REAL, dtype, seed).materialise((50,), dtype)
        assert usual.dtype == dtype
        assert len(np.unique(usual)) > 3
        recipe, labels = special(Draw(seed), REAL, dtype, seed, 50)
        array = recipe.materialise((50,), dtype)
        if "integer_extreme" in labels:
            assert info.max in array or info.min in array
        met.update(labels)
    assert met == {"zero", "one", "integer_extreme"}


def test_ids_are_in_range_and_their_special_class_is_not() -> None:
    ids = Domain(0, 4, kind="ids")
    assert value_classes(ids, "int32") == ("out_of_range",)
    usual = ordinary(ids, "int32", 1).materialise((200,), "int32")
    assert set(usual.tolist()) == {0, 1, 2, 3, 4}
    recipe, labels = special(Draw(1), ids, "int32", 1, 200)
    array = recipe.materialise((200,), "int32")
    assert labels == ("out_of_range",)
    assert array.min() < 0
    assert array.max() > 4


@pytest.mark.parametrize("kind", ["one_hot", "probabilities", "signs"])
def test_labels_have_no_special_values(kind: str) -> None:
    domain = Domain(kind=kind, special=False)  # type: ignore[arg-type]
    assert value_classes(domain, "float32") == ()
    array = ordinary(domain, "float32", 3).materialise((4, 5), "float32")
    if kind == "signs":
        assert set(np.abs(array).ravel().tolist()) == {1.0}
    else:
        assert np.allclose(array.sum(axis=-1), 1.0)


def test_only_the_classes_that_a_domain_names_are_drawn() -> None:
    probability = Domain(0.0, 1.0, classes=("zero", "one", "tied"))
    met = set()
    for seed in range(100):
        recipe, labels = special(Draw(seed), probability, "float32", seed, 50)
        array = recipe.materialise((50,), "float32")
        assert ((array >= 0) & (array <= 1)).all()
        met.update(labels)
    assert met == {"zero", "one", "tied"}


@pytest.mark.parametrize(
    ("kind", "label", "values"),
    [("probabilities", "certain", {0, 1}), ("signs", "binary", {0, 1})],
)
def test_labels_and_predictions_have_a_special_form(
    kind: str, label: str, values: set[int]
) -> None:
    recipe, labels = special(Draw(0), Domain(kind=kind), "float32", 0, 50)  # type: ignore[arg-type]
    assert labels == (label,)
    assert set(recipe.materialise((10, 5), "float32").ravel().tolist()) == values


def test_binary_labels_may_be_floats() -> None:
    labels = Domain(0.0, 1.0, special=False, kind="ids")
    array = ordinary(labels, "float32", 0).materialise((50,), "float32")
    assert set(array.tolist()) == {0.0, 1.0}


def test_labels_are_a_distribution_along_the_axis_of_their_loss() -> None:
    spec = specs()["keras.losses.CategoricalCrossentropy"]
    shapes = ((2, 3, 4), (2, 3, 4))
    assert spec.domain(0, spec.complete({}), shapes).kind == "one_hot"
    along = spec.domain(0, spec.complete({"axis": 1}), shapes)
    labels = ordinary(along, "float32", 1).materialise(shapes[0], "float32")
    assert np.allclose(labels.sum(axis=1), 1.0)


def test_an_ordered_domain_ascends_and_has_ties() -> None:
    domain = Domain(kind="ordered")
    tied = False
    for dtype in ("float32", "int32"):
        for seed in range(60):
            recipe, labels = special(Draw(seed), domain, dtype, seed, 40)
            assert set(labels) <= set(value_classes(domain, dtype))
            for made in (ordinary(domain, dtype, seed), recipe):
                values = made.materialise((40,), dtype)
                assert (values[1:] >= values[:-1]).all()
                tied |= len(set(values.tolist())) < 40
    assert tied
