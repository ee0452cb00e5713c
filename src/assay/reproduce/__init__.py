"""From a finding to a script that a maintainer can run."""

from assay.reproduce.failures import as_recorded
from assay.reproduce.issue import issue
from assay.reproduce.model import ModelScript, model_script
from assay.reproduce.numpy_says import numpy_says
from assay.reproduce.program import CannotReproduce
from assay.reproduce.script import script
from assay.reproduce.short import short
from assay.reproduce.sides import Sides, sides_of
from assay.reproduce.speaking import Speaker, speaker_of
from assay.reproduce.suite import suite_script
from assay.reproduce.title import title

__all__ = [
    "CannotReproduce",
    "ModelScript",
    "Sides",
    "Speaker",
    "as_recorded",
    "issue",
    "model_script",
    "numpy_says",
    "script",
    "short",
    "sides_of",
    "speaker_of",
    "suite_script",
    "title",
]
