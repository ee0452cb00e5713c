"""What a rule says of a disagreement, and the names of the rules.

One principle: inside of the admissible set is rounding, another branch of it or nothing at all
is convention, outside is a bug. The other rules say when that question does not arise.
"""

from typing import Literal

import msgspec

from assay.ir import Admissible, Category, Kind

Rule = Literal[
    "inside",
    "branch",
    "undefined",
    "outside",
    "unstable",
    "overflow",
    "moderate",
    "entry",
    "undocumented",
    "shape",
    "refusal",
    "accepted",
    "votes",
    "again",
    "reference",
]

#: What each rule means, for ``assay show --why``.
RULES: dict[str, str] = {
    "inside": "the answer is inside of what rounding allows: rounding",
    "branch": "the answer is another branch at a tie or a kink: convention",
    "undefined": "the function has no value or no derivative there: convention",
    "outside": "the answer is outside of what rounding allows: bug",
    "unstable": (
        "the answer is outside of what rounding allows, and right in a wider format or with "
        "moderate numbers: an unstable formula, bug"
    ),
    "overflow": "no target holds the true result, or what it is summed from: rounding",
    "moderate": "it goes away with moderate numbers, and there is no truth to hold it against",
    "entry": "an entry of a data file covers it",
    "undocumented": "the documentation leaves the result open: convention, or a fair refusal",
    "shape": "the shapes differ, which rounding cannot explain: bug",
    "refusal": "the message says that it is not supported: unsupported",
    "accepted": "one accepts what others reject",
    "votes": "who disagrees with the majority of implementations",
    "again": "runs of the same case do not show it again: flaky",
    "reference": "only Assay's own reference dissents: presumed its defect",
}


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
