"""From samples to calls, on PyTorch itself."""

import numpy as np
import pytest
import torch

from assay_worker import calls, libraries
from assay_worker.catalogue import drawing
from assay_worker.catalogue._base import Sample
from assay_worker.catalogue.probing import DRAWS, LEAST_VALID, Prober, encoded
from assay_worker.catalogue.torch import TorchHarvest
from assay_worker.catalogue.trying import Invalid, Trying, told
from assay_worker.recipes import derive


@pytest.fixture(scope="module")
def harvest():
    return TorchHarvest(libraries.load("torch", "", "eager"))


@pytest.fixture
def probed(harvest):
    def probe(sample, *further):
        return Prober(harvest, sample.api).probed([sample, *further], 4)

    return probe


def one(found):
    (call,) = found["calls"]
    return call


def test_a_sample_is_told_as_plain_data(harvest):
    x = torch.ones(2, 3)
    sample = Sample("torch.sum", (x,), {"dim": 1, "dtype": torch.float32, "out": None})
    call, arrays = encoded(harvest, sample)
    assert call["arguments"] == {
        "0": {"$tensor": "x0"},
        "dim": 1,
        "dtype": {"$dtype": "main"},
        "out": None,
    }
    assert call["dtypes"] == ["float32"]
    np.testing.assert_array_equal(arrays["x0"], x.numpy())


def test_one_tensor_given_twice_is_one_input(harvest):
    x = torch.ones(2)
    call, _ = encoded(harvest, Sample("torch.add", (x, x)))
    assert len(call["inputs"]) == 1


@pytest.mark.parametrize(
    "sample",
    [
        Sample("torch.abs", (torch.ones(100, 100),)),
        Sample("torch.abs", (torch.eye(4).to_sparse_bsr((2, 2)),)),
        Sample("torch.nn.BCELoss", (torch.ones(2), torch.ones(2)), {}, ((torch.ones(2),), {})),
    ],
    ids=["large", "layout", "tensor of a constructor"],
)
def test_what_cannot_be_drawn_is_not_plain(harvest, sample):
    with pytest.raises(calls.NotPlain):
        encoded(harvest, sample)


def test_axes_that_change_together_share_a_symbol(probed):
    call = one(probed(Sample("torch.matmul", (torch.ones(3, 3), torch.ones(3, 3)))))
    (rows, inner), (again, columns) = (item["shape"] for item in call["inputs"])
    assert inner == again
    assert len({rows, inner, columns}) == 3
    assert call["sizes"][rows][0] == 3
    assert {1, 5, 17} <= set(call["sizes"][rows])


def test_numbers_that_follow_a_size_do(probed):
    call = one(probed(Sample("torch.reshape", (torch.ones(4, 3), (3, 4)))))
    rows, columns = call["inputs"][0]["shape"]
    assert call["arguments"]["1"] == [{"$size": columns}, {"$size": rows}]


def test_an_index_stays_within_its_bounds(probed):
    index = torch.tensor([0, 2, 4])
    call = one(probed(Sample("torch.index_select", (torch.ones(5, 2), 0, index))))
    bounds = call["inputs"][1]
    assert not bounds["free"]
    assert (bounds["low"], bounds["high"]) == (0.0, 4.0)
    sizes = call["sizes"].get(call["inputs"][0]["shape"][0], [5])
    assert min(sizes) >= 5


def test_values_that_raise_are_no_part_of_the_domain(probed):
    call = one(probed(Sample("torch.bernoulli", (torch.full((3,), 0.5),))))
    assert (call["inputs"][0]["low"], call["inputs"][0]["high"]) == (0.0, 1.0)


def test_empty_axes_are_drawn_only_where_something_comes_out(probed):
    assert 0 not in one(probed(Sample("torch.neg", (torch.ones(3),))))["sizes"]["n0"]
    assert 0 in one(probed(Sample("torch.sum", (torch.ones(3),))))["sizes"]["n0"]


def test_dtypes_are_those_that_work(probed):
    call = one(probed(Sample("torch.bitwise_and", (torch.tensor([1, 2]), torch.tensor([3, 4])))))
    assert call["dtypes"][0] == "int64"
    assert set(call["dtypes"]) == {"int64", "int32", "int16", "int8", "uint8", "bool"}


def test_special_values_of_which_nothing_is_left_are_left_out(probed):
    call = one(probed(Sample("torch.std", (torch.ones(17),))))
    assert "huge" in call["special"]
    assert "positive_infinity" not in call["special"]


def test_nan_that_passes_through_is_valid_also_where_it_is_all_that_comes_out(probed):
    for shape in ((), (5,)):
        sample = Sample("torch.maximum", (torch.ones(shape), torch.ones(())))
        assert "nan" in one(probed(sample))["special"]


def test_samples_that_differ_most_come_first(probed):
    x = torch.ones(3, 4)
    same = [Sample("torch.sum", (x + n,)) for n in range(6)]
    found = probed(*same, Sample("torch.sum", (x, 1)), Sample("torch.sum", (torch.ones(3),)))
    told_ones = [(call["arguments"], call["inputs"][0]["shape"]) for call in found["calls"]]
    assert len(told_ones) == 3  # equal ones once
    assert any("1" in arguments for arguments, _ in told_ones)


def test_the_measured_draws_are_those_of_hunts(harvest, probed):
    call = one(probed(Sample("torch.gather", (torch.ones(4, 5), 1, torch.tensor([[0, 4]])))))
    trying = Trying(harvest, "torch.gather")
    valid = [
        trying.works(call, drawing.chosen(call, derive(number, "valid"))) for number in range(DRAWS)
    ]
    assert sum(valid) / DRAWS == call["valid"] >= LEAST_VALID


def test_calls_that_are_random_by_an_argument_are_left_out(probed):
    x = torch.ones(4, 5)
    drops = Sample("torch.nn.functional.dropout", (x,), {"p": 0.5})
    keeps = Sample("torch.nn.functional.dropout", (x,), {"p": 0.5, "training": False})
    both, alone = probed(drops, keeps), probed(drops)
    assert [call["arguments"].get("training") for call in both["calls"]] == [False]
    assert not both["undefined"]
    assert len(alone["calls"]) == 1
    assert alone["undefined"]


def test_nothing_is_decided_by_memory_that_nobody_wrote_to(harvest):
    trying = Trying(harvest, "torch.empty_like")
    call, _ = encoded(harvest, Sample("torch.empty_like", (torch.ones(50),)))
    (array,) = trying.run(call, drawing.sample(call))
    assert not array.any()
    recorded = harvest.collect("documentation:torch.Tensor.random_")
    recorded += harvest.collect("documentation:torch.empty")
    again = harvest.collect("documentation:torch.Tensor.random_")
    again += harvest.collect("documentation:torch.empty")
    assert recorded
    for one_sample, other in zip(recorded, again, strict=False):
        for value, same in zip(one_sample.args, other.args, strict=False):
            if isinstance(value, torch.Tensor):
                torch.testing.assert_close(value, same, equal_nan=True, rtol=0, atol=0)
    assert not torch.are_deterministic_algorithms_enabled()


def test_sparse_tensors_are_made_of_dense_ones(probed):
    call = one(probed(Sample("torch.mm", (torch.eye(3).to_sparse(), torch.ones(3, 2)))))
    assert call["arguments"]["0"] == {"$made": ["torch.Tensor.to_sparse", {"$tensor": "x0"}]}
    assert call["inputs"][0]["shape"][1] == call["inputs"][1]["shape"][0]
    assert call["valid"] >= LEAST_VALID


def test_a_step_to_avoid_is_left_out(harvest):
    samples = [Sample("torch.neg", (torch.ones(3),))]
    careful = Prober(harvest, "torch.neg", ("special", "sizes", "dtypes"))
    call = one(careful.probed(samples, 4))
    assert call["special"] == []
    assert call["sizes"] == {}
    assert call["dtypes"] == ["float32"]
    none = Prober(harvest, "torch.neg", ("sample 0",)).probed(samples, 4)
    assert not none["calls"]
    assert none["problem"]


def test_bfloat16_is_given_as_such(harvest):
    call, _ = encoded(harvest, Sample("torch.Tensor.to", (torch.ones(2), torch.float32)))
    call = dict(call, arguments={"0": {"$tensor": "x0"}}, dtypes=["float32", "bfloat16"])
    call["inputs"][0]["free"] = True
    choice = drawing.sample(call)
    choice.dtype = "bfloat16"
    narrow = Trying(harvest, "torch.clone").run(call, choice)[0]
    choice.dtype = "float32"
    exact = Trying(harvest, "torch.clone").run(call, choice)[0]
    assert narrow.dtype == exact.dtype
    np.testing.assert_array_equal(narrow, torch.tensor(exact).bfloat16().float().numpy())
    assert (narrow != exact).any()


def test_an_error_is_told_alike_in_every_process():
    assert told(ValueError("at 0x7f00\n  again")) == "ValueError: at 0x… again"
    assert told(Invalid("gives only NaN")) == "gives only NaN"
    assert told(TypeError("an object at 0x7f001200")) == told(TypeError("an object at 0x11"))
