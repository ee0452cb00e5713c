"""What a rule says of a disagreement, and the names of the rules.

One principle: inside of the admissible set is rounding, another branch of it or nothing at all
is convention, outside is a bug. The other rules say when that question does not arise.
"""

from typing import Literal

import msgspec

from assay.ir import Admissible, Category, Kind

#: ``assay.report.why`` says what each means.
Rule = Literal[
    "inside",
    "branch",
    "undefined",
    "outside",
    "unstable",
    "overflow",
    "moderate",
    "wider",
    "entry",
    "undocumented",
    "shape",
    "refusal",
    "accepted",
    "harmless",
    "votes",
    "proven",
    "again",
    "reference",
]


class Judgement(msgspec.Struct, frozen=True):
    """A category, the rule that decided it, and why, in a sentence with its numbers.

    ``kind`` and ``blamed`` are None where they stay as they were. ``entry`` is the id of the data
    file's entry that recognised it.
    """

    category: Category
    rule: Rule
    reason: str
    entry: str = ""
    admissible: Admissible | None = None
    kind: Kind | None = None
    blamed: tuple[str, ...] | None = None
