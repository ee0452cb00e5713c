"""Model files and data sets: read on the host without running a byte of them."""

from assay.models._base import Batch, DataError, Dataset, ModelError, ModelFile, unfit
from assay.models.conversions import NONE, Conversions, parse_scale
from assay.models.data import in_memory, open_data, readable
from assay.models.files import inspect, sha256_of, size_of
from assay.models.generated import generated

__all__ = [
    "NONE",
    "Batch",
    "Conversions",
    "DataError",
    "Dataset",
    "ModelError",
    "ModelFile",
    "generated",
    "in_memory",
    "inspect",
    "open_data",
    "parse_scale",
    "readable",
    "sha256_of",
    "size_of",
    "unfit",
]
