"""From a finding to a script that a maintainer can run."""

from assay.reproduce.issue import issue
from assay.reproduce.question import CannotReproduce
from assay.reproduce.script import script
from assay.reproduce.sides import Sides, backend_of, sides_of
from assay.reproduce.title import title

__all__ = ["CannotReproduce", "Sides", "backend_of", "issue", "script", "sides_of", "title"]
