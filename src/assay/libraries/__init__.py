"""Libraries: their words, targets and scripts, as values. None is imported here."""

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries._registry import (
    SHARED,
    everything,
    family_of,
    libraries,
    meaning,
    vocabulary,
    words,
)
from assay.libraries.shaping import padding, pairs_as_given, transposing
from assay.libraries.translating import root_of, settled, translated, worded
from assay.libraries.vocabulary import Entry, Vocabulary
from assay.libraries.windows import Layout, Pads, convolution, pooling
from assay.libraries.word import WHOLE, Untold, Word, Writer, owner, rows, word

__all__ = [
    "SHARED",
    "WHOLE",
    "Dialect",
    "Entry",
    "Layout",
    "Library",
    "Offered",
    "Pads",
    "Untold",
    "Vocabulary",
    "Word",
    "Writer",
    "convolution",
    "everything",
    "family_of",
    "libraries",
    "meaning",
    "owner",
    "padding",
    "pairs_as_given",
    "pooling",
    "root_of",
    "rows",
    "settled",
    "translated",
    "transposing",
    "vocabulary",
    "word",
    "worded",
    "words",
]
