"""Keras 3."""
