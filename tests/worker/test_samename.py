"""What NumPy is asked: the function of the public name, and NaN of extremes."""

import numpy as np
import pytest

from assay_worker.rules import rule
from assay_worker.rules._base import Facts
from assay_worker.rules.samename import torch_numpy

torch = pytest.importorskip("torch")
INPUTS = [{"name": name, "shape": [2], "dtype": "float32"} for name in ("x", "y")]


def test_a_function_goes_by_its_public_name() -> None:
    x, y = torch.tensor([1.0, float("nan")]), torch.tensor([2.0, 3.0])
    wrong = torch_numpy(torch.fmax, "maximum")(x, y)  # torch.fmax in place of torch.maximum
    np.testing.assert_array_equal(wrong, [2.0, np.nan])
    np.testing.assert_array_equal(torch_numpy(torch.maximum, "maximum")(x, y), torch.maximum(x, y))


@pytest.mark.parametrize(
    ("api", "held"), [("torch.maximum", {"nan"}), ("jax.numpy.fmin", {"nan"}), ("torch.exp", set())]
)
def test_of_special_values_it_holds_for_nan_of_extremes(api: str, held: set[str]) -> None:
    facts = Facts(api.partition(".")[0], api, {}, {}, INPUTS)
    names = ("nan", "positive_infinity", "huge")
    assert {name for name in names if rule("samename").holds_for(name, facts)} == held
