"""What the words mean that Assay shows, in plain words, and how that is shown."""

from typing import Any, Literal

import msgspec
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.report.check_words import MEASURES, VERDICTS

KINDS: dict[str, str] = {
    "crash": (
        "The process of the library died (a signal such as SIGSEGV or SIGABRT, or an exit), "
        "instead of giving a result or raising an exception. A user loses their whole program, "
        "so a crash is a bug whatever the input was."
    ),
    "error": (
        "One target raised an exception where the others worked on the same case. If the "
        'message is a clear refusal ("not supported") the category is unsupported instead of bug.'
    ),
    "validation": (
        "An invalid parameter value was accepted by one target and refused "
        "by others, or accepted by all. Silently computing with a meaningless value hides "
        "mistakes in users' programs."
    ),
    "nan": (
        "One target gave NaN or infinity where the others gave ordinary numbers, or the other "
        "way round. NaN on all arms is agreement."
    ),
    "inconsistency": (
        "Targets gave different numbers for the same case, by more than rounding can explain. "
        "Each implementation has one vote, and the float64 reference is always asked; if that "
        "does not decide, nobody is blamed."
    ),
    "nondeterminism": (
        "The same target gave different numbers in two runs of the same case in the same "
        "process. Usual causes are uninitialised memory and races."
    ),
    "equivalence": (
        "Two programs that mean the same (a rewrite and its original) gave different results on "
        "the same target."
    ),
    "precision": (
        "An unstable formula: the result is further from the truth than rounding can explain where "
        "the function is well-conditioned, and right in a wider format or with moderate numbers. "
        "Causes are E[x²] − E[x]² for a variance, exp(x) − 1 near zero, squares that overflow. "
        "assay precision also tells of errors beyond 32 units in the last place."
    ),
    "regression": ("A newer version of a library disagrees with an older one that was right."),
}

CATEGORIES: dict[str, str] = {
    "bug": (
        "Confirmed on re-runs, not explained by rounding, and not known to be a legitimate "
        "difference. Only bugs make `assay hunt` exit with code 1."
    ),
    "undecided": (
        "These must agree and do not, by more than rounding explains, and nobody can tell who is "
        "wrong: there is no majority of independent implementations, and the reference has no "
        "opinion or stands alone. Listed after the bugs; it does not make `assay hunt` exit "
        "with code 1."
    ),
    "convention": (
        "Implementations legitimately differ: the subgradient of max at a tie, how NaN passes "
        "through a sort, the variant of bicubic interpolation. Stored and counted, not listed "
        "unless you ask (--all)."
    ),
    "rounding": (
        "The answer is inside of the admissible set: what the believed function gives for inputs "
        "within one unit in the last place, with what sums and elementary functions are granted "
        "on top. `assay show --why` prints it. Stored and counted, not listed unless you ask "
        "(--all)."
    ),
    "unsupported": (
        "A target clearly says that it cannot do this. That is an answer, not a bug. Stored and "
        "counted, not listed unless you ask (--all)."
    ),
    "flaky": (
        "It was seen once and could not be reproduced when it was run again. Stored with its "
        "case and seed; `assay replay` tries again."
    ),
}

#: Columns left of what is said of an entry: margin, the longest label, and a gap.
LABELS = 13


Group = Literal["kind", "category", "measure", "verdict", "entry"]
_TITLES: dict[Group, str] = {
    "kind": "finding kind",
    "category": "finding category",
    "measure": "measure of a check",
    "verdict": "word of a check",
    "entry": "entry that silences",
}


class Explanation(msgspec.Struct, frozen=True):
    """What a word means. For an entry, ``text`` is its reason and the rest is filled in.

    ``also`` are other names that it is found by.
    """

    name: str
    group: Group
    text: str
    also: tuple[str, ...] = ()
    silences: str = ""
    link: str = ""
    versions: dict[str, str] = {}

    def called(self, name: str) -> bool:
        """Is this a name of it? Spaces, hyphens and case do not matter."""
        return _letters(name) in map(_letters, (self.name, *self.also))

    def document(self) -> dict[str, Any]:
        """What ``--json`` shows of it."""
        document: dict[str, Any] = {"name": self.name, "is": self.group, "text": self.text}
        if self.also:
            document["also"] = list(self.also)
        if self.group == "entry":
            document |= {"silences": self.silences, "link": self.link, "versions": self.versions}
        return document


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter not in " -_|")


def words() -> list[Explanation]:
    """Everything that is explained but the entries that silence."""
    found = [Explanation(key, "kind", text) for key, text in KINDS.items()]
    found += [Explanation(key, "category", text) for key, text in CATEGORIES.items()]
    found += [Explanation(key, "measure", w.text, w.also) for key, w in MEASURES.items()]
    return found + [Explanation(key, "verdict", w.text, w.also) for key, w in VERDICTS.items()]


def layout(explanation: Explanation, first: bool = True) -> list[RenderableType]:
    """A title and a paragraph or, of an entry, what it says; an empty line before all but one."""
    entry = explanation.group == "entry"
    title = Text(explanation.name, style="bold")
    title.append(f"  {_TITLES[explanation.group]}", style="not bold dim")
    body: RenderableType = Text(explanation.text)
    if entry:
        body = Table.grid(padding=(0, 2))
        rows = {
            "silences": explanation.silences,
            "because": explanation.text,
            "see": explanation.link,
            "known for": ", ".join(
                f"{name} {specifier}" for name, specifier in explanation.versions.items()
            ),
        }
        for label, value in rows.items():
            body.add_row(Text(label, style="dim"), Text(value, overflow="fold"))
    return [*([] if first else [Text()]), title, Padding(body, (0, 0, 0, 2), expand=False)]
