"""Who is called for targets that are too few to judge each other."""

import pytest

from assay.campaign.running.witnesses import wanted
from assay.targets import REFERENCE, Target


@pytest.mark.parametrize(
    ("targets", "called"),
    [
        ([Target("mine", "keras", "torch")], ["keras-tensorflow"]),
        ([Target("mine", "keras", "jax")], ["keras-torch"]),
        ([Target("mine", "keras", "torch"), Target("other", "keras", "jax")], []),
        ([Target("a", "keras", "torch"), Target("b", "keras", "torch")], ["keras-tensorflow"]),
        # A name that a user gave to something else cannot be called.
        ([Target("keras-tensorflow", "keras", "torch")], ["keras-jax"]),
        # Losses are words of PyTorch alone: somebody else must know what they mean.
        ([Target("torch", "torch"), Target("jax", "jax")], ["keras-tensorflow"]),
        ([Target("torch", "torch"), Target("jax", "jax"), Target("k", "keras", "torch")], []),
    ],
)
def test_witnesses_are_independent_and_have_names_of_their_own(
    targets: list[Target], called: list[str]
) -> None:
    assert [target.name for target in wanted([*targets, REFERENCE])] == called
