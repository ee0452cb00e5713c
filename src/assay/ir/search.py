"""Search: how a trial goes on if nothing shows on it, as plain data."""

from typing import Literal

import msgspec

#: What is changed: the inputs, the weights, or both at once.
Level = Literal["input", "weight", "both"]
#: What is looked for: targets that differ, or numbers that become NaN.
Goal = Literal["inconsistency", "nan"]


class Search(msgspec.Struct, frozen=True):
    """Further inputs and weights for the case of a trial: first drawn ones, then a search.

    ``logits`` is the tensor whose numbers are compared. ``instances`` inputs are drawn as the
    case's own, and looked at once. Then ``strategy`` proposes at most ``generations``
    populations: what is added to the numbers of the case, of inputs or weights as ``level`` says,
    which stay within ``bound`` and ``weight_bound``. ``parents``, ``crossover``, ``mutation`` and
    ``noise`` are settings of the genetic strategy (see ``assay.search.Breeding``). After
    ``failing`` individuals that showed a bug, it is enough. ``published``: an
    inconsistency is another label, and nothing else.
    """

    logits: str
    seed: int
    level: Level = "input"
    goal: Goal = "inconsistency"
    strategy: str = "genetic"
    instances: int = 0
    generations: int = 0
    population: int = 0
    parents: int = 0
    crossover: float = 0.5
    mutation: float = 0.5
    noise: float = 1.0
    bound: float = float("inf")
    weight_bound: float = float("inf")
    failing: int = 1
    published: bool = False
