"""How much rounding is granted to an op: g and k, by family, from one table."""

import fnmatch
import math
import tomllib
from functools import cache
from importlib import resources

import msgspec

from assay.libraries import meaning

_FILE = "allowances.toml"


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ops that round alike. ``op`` holds shell patterns; the rest is described in the file."""

    name: str
    op: tuple[str, ...]
    base: float
    root: float
    units: float
    spreads: bool = False
    #: Where the exact result is known: how many units in the last place are granted besides what
    #: rounding of the inputs explains; None if nobody is held to that.
    proven: float | None = None
    #: How many units in the last place of the largest input are granted besides.
    of_input: float = 0.0
    #: So many times the smallest normal number nobody is held to the last place.
    beside: float = 16.0
    #: Those of them that make no products, in which a small number could be lost.
    without_products: tuple[str, ...] = ()

    def growth(self, terms: int) -> float:
        """g(n): how many times the ball is granted to a sum of so many terms."""
        return self.base + self.root * math.sqrt(terms)

    @property
    def exact(self) -> bool:
        """Does it compute nothing, so that nothing is rounded?"""
        return not (self.base or self.root or self.units)


@cache
def families() -> tuple[Family, ...]:
    """Every row of the table, in its order."""
    text = resources.files("assay.judge").joinpath(_FILE).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["family"], tuple[Family, ...])


@cache
def family_of(op: str) -> Family:
    """The row for an op, by what it means in the words of Keras."""
    means = meaning(op)
    return next(
        family
        for family in families()
        if any(fnmatch.fnmatchcase(means, pattern) for pattern in family.op)
    )


def multiplies(op: str) -> bool:
    """May it make products of what goes in, in which a small number is lost?"""
    family, means = family_of(op), meaning(op)
    whole = any(fnmatch.fnmatchcase(means, pattern) for pattern in family.without_products)
    return not family.exact and not whole
