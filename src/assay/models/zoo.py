"""Names of the zoo; what they stand for is built in a worker (``assay_worker.models.zoo``)."""

from pathlib import Path

from assay.config import cache_directory
from assay.models._base import ModelError
from assay.suggest import unknown

ZOO = (
    "densenet121",
    "gru",
    "inceptionresnetv2",
    "inceptionv3",
    "lenet1",
    "lenet4",
    "lenet5",
    "lstm",
    "mobilenet",
    "mobilenetv2",
    "nasnetlarge",
    "nasnetmobile",
    "resnet20",
    "resnet50",
    "steering",
    "transformer",
    "vgg16",
    "xception",
)
#: Counts up when a seed stands for other weights.
_EDITION = 2


def zoo_path(name: str, seed: int) -> Path:
    """Where the zoo's model of that name and seed is kept; ``ModelError`` if there is none."""
    if name not in ZOO:
        raise ModelError(unknown("model of the zoo", name, ZOO))
    return Path(cache_directory()) / "zoo" / f"{name}-{seed}-{_EDITION}.keras"
