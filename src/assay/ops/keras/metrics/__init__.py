"""Specs of ``keras.metrics``: the result after one update of fresh state."""

from assay.ops.keras.metrics import confusion, scores

SPECS = (*scores.SPECS, *confusion.SPECS)
