"""Options that hold for all tests. Markers and timeouts are in pyproject.toml."""

from hypothesis import settings

# A machine that also runs workers has no steady clock: a slow example is no failure.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")
