"""The names of the zoo, and what a worker can build."""

from assay.models.zoo import ZOO
from assay_worker.models.zoo import ARCHITECTURES


def test_every_name_of_the_zoo_can_be_built() -> None:
    assert sorted(ARCHITECTURES) == list(ZOO)
