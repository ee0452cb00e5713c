"""Whole models on several targets: how far they are apart, and what that means."""
