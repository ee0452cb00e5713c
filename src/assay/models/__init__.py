"""Model files and data sets: read on the host without running a byte of them."""

from assay.models._base import DataError, ModelError, ModelFile
from assay.models.data import Batch, Dataset, generated, in_memory, open_data
from assay.models.files import inspect, sha256_of

__all__ = [
    "Batch",
    "DataError",
    "Dataset",
    "ModelError",
    "ModelFile",
    "generated",
    "in_memory",
    "inspect",
    "open_data",
    "sha256_of",
]
