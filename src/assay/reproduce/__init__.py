"""From a finding to a script that a maintainer can run."""

from assay.reproduce.issue import issue
from assay.reproduce.model import ModelScript, model_script
from assay.reproduce.program import CannotReproduce
from assay.reproduce.script import script
from assay.reproduce.sides import Sides, backend_of, sides_of
from assay.reproduce.title import title

__all__ = [
    "CannotReproduce",
    "ModelScript",
    "Sides",
    "backend_of",
    "issue",
    "model_script",
    "script",
    "sides_of",
    "title",
]
