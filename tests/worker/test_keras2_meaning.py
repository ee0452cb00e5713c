"""What the words of Keras 3 mean in Keras 2, on stand-ins for its layers."""

from typing import Any

import pytest

from assay_worker.libraries._base import NotOffered
from assay_worker.libraries.keras2.meaning import parameters_of, translated


class Gru:
    """With the defaults of Keras 2.2."""

    def __init__(
        self,
        units: int,
        recurrent_activation: str = "hard_sigmoid",
        reset_after: bool = False,
        **more: Any,
    ) -> None: ...


class Leaky:
    def __init__(self, alpha: float = 0.3, **more: Any) -> None: ...


class Loss:
    def __init__(self, reduction: str = "sum_over_batch_size", name: str = "") -> None: ...


def test_defaults_that_differ_are_said_aloud() -> None:
    said = translated("keras.layers.GRU", Gru, {"units": 3})
    assert said == {"units": 3, "recurrent_activation": "sigmoid", "reset_after": True}
    given = translated("keras.layers.GRU", Gru, {"units": 3, "reset_after": False})
    assert given["reset_after"] is False


def test_a_renamed_parameter_is_offered_under_the_name_of_the_vocabulary() -> None:
    assert parameters_of("keras.layers.LeakyReLU", Leaky) == ["negative_slope"]
    assert translated("keras.layers.LeakyReLU", Leaky, {"negative_slope": 0.1}) == {"alpha": 0.1}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (None, "none"),
        ("mean", "sum_over_batch_size"),
        ("mean_with_sample_weight", "sum_over_batch_size"),
        ("sum", "sum"),
        ("average", "average"),
    ],
)
def test_reductions_have_other_names(given: str | None, meant: str) -> None:
    assert translated("keras.losses.Poisson", Loss, {"reduction": given}) == {"reduction": meant}


@pytest.mark.parametrize("params", [{"recurrent_activation": "hard_sigmoid"}, {"groups": 2}])
def test_what_means_something_else_is_refused(params: dict[str, Any]) -> None:
    with pytest.raises(NotOffered):
        translated("keras.layers.GRU", Gru, {"units": 3, **params})


def test_what_a_missing_parameter_does_anyway_is_left_out() -> None:
    assert "groups" not in translated("keras.layers.GRU", Gru, {"units": 3, "groups": 1})


@pytest.mark.parametrize("reduction", ["sum", "none", None])
def test_huber_is_refused_where_it_has_another_shape(reduction: str | None) -> None:
    with pytest.raises(NotOffered, match="one value per element"):
        translated("keras.losses.Huber", Loss, {"reduction": reduction})
    assert translated("keras.losses.Huber", Loss, {}) == {}
