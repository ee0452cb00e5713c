"""Canonical JSON and content hashes: equal in every process and Python version."""

import hashlib
import json


def canonical_json(value):
    """The one JSON text of ``value`` (plain data only): sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def content_hash(value):
    """Hex SHA-256 of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()
