"""A hunt: trials from sources, judged, explained and stored."""
