"""Assay: differential testing of deep-learning libraries."""

__version__ = "0.1.0"
