"""Exact JSON round trip of every record, and content hashes."""

import base64
import math
from typing import Any, TypeVar, get_origin

import msgspec
import numpy as np

from assay_worker.canonical import content_hash as _content_hash

Record = TypeVar("Record")


def _encode(value: Any) -> Any:
    """Plain data for ``value``: arrays as base64, non-finite floats tagged."""
    if isinstance(value, np.ndarray):
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"$ndarray": [value.dtype.str, list(value.shape), data]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    if isinstance(value, dict):
        return {key: _encode(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encode(item) for item in value]
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"$ndarray"}:
            dtype, shape, data = value["$ndarray"]
            return np.frombuffer(base64.b64decode(data), dtype=dtype).reshape(shape).copy()
        if value.keys() == {"$float"}:
            return float(value["$float"])
        return {key: _decode(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_decode(item) for item in value]
    return value


def _keep(value: Any) -> Any:
    """msgspec meets an array: give it plain data, because it asks again about what it gets."""
    if isinstance(value, np.ndarray):
        return _encode(value)
    raise NotImplementedError(f"cannot serialise {type(value).__name__}")


def _construct(kind: type, value: Any) -> Any:
    if np.ndarray in (kind, get_origin(kind)) and isinstance(value, np.ndarray):
        return value
    raise NotImplementedError(f"cannot read a {kind.__name__} from {type(value).__name__}")


def to_plain(record: Any) -> Any:
    """Plain JSON data for a record."""
    return _encode(msgspec.to_builtins(record, enc_hook=_keep))


def from_plain(data: Any, kind: type[Record]) -> Record:
    """The record of that kind in plain JSON data; ``msgspec.ValidationError`` if it is none."""
    return msgspec.convert(_decode(data), kind, dec_hook=_construct)


def to_json(record: Any) -> str:
    """JSON text for a record."""
    return msgspec.json.encode(to_plain(record)).decode("utf-8")


def from_json(text: str | bytes, kind: type[Record]) -> Record:
    """The record of that kind in JSON text."""
    return from_plain(msgspec.json.decode(text), kind)


def content_hash(record: Any) -> str:
    """Hex SHA-256 of a record's content; equal in every process and Python version."""
    digest: str = _content_hash(to_plain(record))
    return digest
