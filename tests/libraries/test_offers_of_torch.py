"""Functions in C++ have no signature in Python; PyTorch's schemas tell their parameters."""

from assay.campaign.hunt.vocabulary import snapshot
from assay.campaign.running.offers import offers_of
from assay.libraries import vocabulary
from assay.targets import builtin_targets


def test_no_word_of_the_installed_version_lacks_a_parameter() -> None:
    words = vocabulary(["torch"])
    told = snapshot(words, builtin_targets()["torch"])
    signatures = {name: op["signature"] for name, op in told.ops.items()}
    offers = offers_of(sorted(words), signatures, told.versions)
    assert not offers.absent
    assert offers.parameters["torch.linalg.cholesky"] == {"self", "upper", "out"}
    for name, parameters in offers.parameters.items():
        assert parameters >= {item.name for item in words[name].parameters}, name
    unknown = set(words) - set(offers.parameters)
    assert unknown == {
        "torch.nn.functional.max_pool2d",
        "torch.nn.Sigmoid",
        "torch.nn.Softsign",
        "torch.nn.Tanh",
    }
