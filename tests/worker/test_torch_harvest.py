"""What PyTorch is said to have: names, sources, facts."""

import pytest

from assay_worker import libraries
from assay_worker.catalogue import torch_facts as facts
from assay_worker.catalogue.torch import TorchHarvest


@pytest.fixture(scope="module")
def harvest():
    found = TorchHarvest(libraries.load("torch", "", "eager"))
    found.prepare()
    return found


def test_names_are_public_paths_that_lead_somewhere(harvest):
    names = harvest.names()
    assert names == sorted(set(names))
    assert len(names) > 1000
    assert all(callable(harvest.adapter.resolve(name)) for name in names)
    for name in ("torch.fft.fft", "torch.nn.Conv2d", "torch.Tensor.add_", "torch.sspaddmm"):
        assert name in names


@pytest.mark.parametrize(
    "name", ["torch.save", "torch.manual_seed", "torch.Tensor.add", "torch.nn.Module", "torch.vmap"]
)
def test_what_is_no_function_of_tensors_has_no_entry(harvest, name):
    assert name not in harvest.names()


def test_facts_are_about_names_that_there_are(harvest):
    known = {name.rpartition(".")[2] for name in harvest.names()}
    assert not set(facts.UNDEFINED) - known
    assert not set(facts.STRUCTURES) - known
    assert all(any(name.startswith(start) for name in known) for start in facts.UNCHECKED)


def test_every_source_kind_gives_samples_of_what_it_is_named_after(harvest):
    sources = harvest.sources()
    assert {source.partition(":")[0] for source in sources} == {
        "operator",
        "module",
        "documentation",
    }
    for source in ("operator:torch.addmm", "module:torch.nn.GRU", "documentation:torch.addmm"):
        assert source in sources
        samples = harvest.collect(source)
        assert source.partition(":")[2] in {sample.api for sample in samples}


def test_samples_are_the_same_each_time(harvest):
    first, second = (harvest.collect("operator:torch.linalg.solve") for _ in range(2))
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert harvest.torch.equal(one.args[0], other.args[0])


def test_in_place_forms_and_aliases_have_the_samples_of_their_operator(harvest):
    for name in ("torch.Tensor.add_", "torch.absolute", "torch.special.expit"):
        assert harvest.collect("operator:" + name)[0].api == name


def test_what_is_undefined_says_why(harvest):
    assert harvest.undefined("torch.linalg.svd")
    assert harvest.undefined("torch.empty") == facts.UNINITIALISED
    assert not harvest.undefined("torch.add")
