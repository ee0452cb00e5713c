"""Findings and campaigns on disk: a database, and array artefacts beside it."""

from assay.store.opening import open_store
from assay.store.records import Campaign, Occurrence
from assay.store.store import Store

__all__ = ["Campaign", "Occurrence", "Store", "open_store"]
