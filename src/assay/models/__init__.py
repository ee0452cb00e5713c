"""Model files and data sets: read on the host without running a byte of them."""

from assay.models._base import DataError, ModelError, ModelFile
from assay.models.data import Batch, Dataset, generated, open_data
from assay.models.files import inspect

__all__ = [
    "Batch",
    "DataError",
    "Dataset",
    "ModelError",
    "ModelFile",
    "generated",
    "inspect",
    "open_data",
]
