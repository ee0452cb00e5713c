"""Environments: pinned virtual environments in the user's cache, for any library version."""
