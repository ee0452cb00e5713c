"""Options that hold for all tests. Markers and timeouts are in pyproject.toml."""

import os

from hypothesis import settings

# For tests that call TensorFlow themselves: what targets pin, on any CPU.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

# A machine that also runs workers has no steady clock: a slow example is no failure.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")
