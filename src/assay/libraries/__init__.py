"""Libraries: their words, targets and scripts, as values. None is imported here."""

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries._registry import SHARED, every_spec, libraries, meaning, vocabulary, words
from assay.libraries.translating import root_of, settled, translated, worded
from assay.libraries.word import Untold, Word, Writer, owner, word

__all__ = [
    "SHARED",
    "Dialect",
    "Library",
    "Offered",
    "Untold",
    "Word",
    "Writer",
    "every_spec",
    "libraries",
    "meaning",
    "owner",
    "root_of",
    "settled",
    "translated",
    "vocabulary",
    "word",
    "worded",
    "words",
]
