"""Whole models: loaded from files, run on batches, and opened layer by layer.

A target that can do this has a class here with the contract of ``_base.Session``;
an adapter's ``session`` makes one from a request.
"""
