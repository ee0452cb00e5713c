"""What is known of a model file before any library loads it."""

from typing import Literal

import msgspec

from assay.errors import AssayError

Format = Literal["keras", "onnx", "torch"]


class ModelError(AssayError):
    """The file is no model, is damaged, or would run code."""


class DataError(AssayError):
    """The data cannot be read, or does not fit the model."""


class ModelFile(msgspec.Struct, frozen=True):
    """A model file that is safe to load.

    ``ids`` says for an input that holds ids how many there are. ``architecture`` is
    the JSON of a model whose file has weights only.
    """

    path: str
    format: Format
    ids: dict[str, int] = {}
    architecture: str = ""
    trust: bool = False
