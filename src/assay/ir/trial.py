"""Trial: arms that must agree, and what agreement is expected of which."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from assay.ir.case import Case
from assay.ir.search import Search

Intent = Literal["valid", "invalid"]
#: How arms that must agree are related: independent implementations of one program · equivalent
#: programs on one implementation · the same program run again · the same in a wider format · the
#: same on another version of a library.
Relation = Literal["peers", "equivalent", "again", "wider", "version"]

#: Assay's own float64 semantics, as a target: consulted whatever targets are asked for.
REFERENCE = "reference"
#: Variants that a worker makes of the run before: once more, or with objects that went through
#: their configuration or a file.
AGAIN = "again"
RoundTrip = Literal["", "config", "save"]
ROUND_TRIPS: tuple[RoundTrip, ...] = ("config", "save")
#: Before the name of a rule: the same by another program, which the worker makes of the first.
BY_RULE = "rewrite:"
#: Stands between the target and the variant in an arm's name; no target has it in its own.
SEPARATOR = "#"


class Arm(msgspec.Struct, frozen=True):
    """A named execution: a case of the trial (by position) on a target, in a variant.

    The variant is empty for the case as it is, ``again``, ``config``, ``save`` or
    ``rewrite:RULE`` for a run that follows it, and else says what was done to the case
    (``rule:NAME``, ``dtype:float64``): a target has one arm of a variant.
    """

    target: str
    case: int = 0
    variant: str = ""

    @property
    def name(self) -> str:
        """The key of its trace, arrays and verdicts; for the case as it is, the target's name."""
        return f"{self.target}{SEPARATOR}{self.variant}" if self.variant else self.target

    @property
    def follows(self) -> bool:
        """Is it a further run of what another arm executes?"""
        return self.variant == AGAIN or self.variant in ROUND_TRIPS or bool(self.rule)

    @property
    def rule(self) -> str:
        """The rule that its program is made by; "" if it is none."""
        return self.variant.removeprefix(BY_RULE) if self.variant.startswith(BY_RULE) else ""


class Agreement(msgspec.Struct, frozen=True):
    """Arms, by name, that must agree, and why.

    ``outputs`` are pairs (array of the first arm, array of the others) where they have
    different names; without any, arrays with one name correspond. ``referee`` is the target
    whose answer is the truth where others back it.
    """

    relation: Relation
    arms: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...] = ()
    referee: str = REFERENCE


class Trial(msgspec.Struct, frozen=True):
    """Arms, and the agreements expected of them.

    Without agreements in the call, the usual ones hold: arms that run one case as it is are
    peers, and a further run agrees with the run before. ``intent`` says whether the source
    meant the case to be valid; for an invalid one ``spoilt`` names the parameter that was
    given a value outside its documented range. ``classes`` are the (op, parameter, value
    class) triples the trial exercises. ``draws``: so often its inputs are drawn, and the first
    draw on which the arms may differ is the one that is judged (``drawn``). With a ``tolerance``,
    absolute and relative, those do that are farther apart; else it is the worker's to say.
    ``search``: how it goes on if nothing shows.
    """

    index: int
    source: str
    cases: tuple[Case, ...]
    arms: tuple[Arm, ...]
    agreements: tuple[Agreement, ...] = ()
    intent: Intent = "valid"
    spoilt: str = ""
    classes: tuple[tuple[str, str, str], ...] = ()
    draws: int = 1
    tolerance: tuple[float, float] | None = None
    search: Search | None = None

    def __post_init__(self) -> None:
        if not self.agreements:
            msgspec.structs.force_setattr(self, "agreements", usual_agreements(self.arms))

    @property
    def case(self) -> Case:
        """The only case of a trial whose arms differ in their target."""
        (case,) = self.cases
        return case

    @property
    def targets(self) -> tuple[str, ...]:
        """Every target that has an arm."""
        return tuple(dict.fromkeys(arm.target for arm in self.arms))

    @property
    def round_trip(self) -> RoundTrip:
        """The round trip that its objects make, if they do."""
        made = {arm.variant for arm in self.arms}
        return next((way for way in ROUND_TRIPS if way in made), "")

    @property
    def rule(self) -> str:
        """The rule that one of its arms is made by, if one is."""
        return next((arm.rule for arm in self.arms if arm.rule), "")

    def drawn(self, draw: int) -> "Trial":
        """With that draw of its inputs, and no other."""
        cases = tuple(case.drawn(draw) for case in self.cases)
        return msgspec.structs.replace(self, cases=cases, draws=1)

    def asking(self, case: Case) -> "Trial":
        """The same arms on another case, in place of the only one."""
        (_,) = self.cases
        return msgspec.structs.replace(self, cases=(case,))

    def on(self, targets: Iterable[str]) -> "Trial":
        """Only the arms of these targets, and what is expected of them."""
        wanted = set(targets)
        arms = tuple(arm for arm in self.arms if arm.target in wanted)
        return self._with(arms, _among(self.agreements, {arm.name for arm in arms}))

    def plain(self) -> "Trial":
        """Without further runs."""
        arms = tuple(arm for arm in self.arms if not arm.follows)
        return self._with(arms, _among(self.agreements, {arm.name for arm in arms}))

    def again(self) -> "Trial":
        """With a second run of every arm but the reference's, which has no memory to differ by."""
        return self._followed(AGAIN, "again")

    def through(self, round_trip: str) -> "Trial":
        """With a run after a round trip of every arm but the reference's."""
        if round_trip not in ROUND_TRIPS:
            raise ValueError(f"expected one of {ROUND_TRIPS}; received {round_trip!r}")
        return self._followed(round_trip, "equivalent")

    def by_rule(self, rule: str) -> "Trial":
        """With a run of every arm but the reference's by a rule's program."""
        return self._followed(f"{BY_RULE}{rule}", "equivalent")

    def joined(self, targets: Sequence[str]) -> "Trial":
        """With further targets, asked and held to what the first target is."""
        model = next((arm.target for arm in self.arms if arm.target != REFERENCE), "")
        pattern = [arm for arm in self.arms if arm.target == model]
        new = {
            target: {arm.name: Arm(target, arm.case, arm.variant) for arm in pattern}
            for target in targets
            if target not in self.targets
        }
        agreements: list[Agreement] = []
        for item in self.agreements:
            own = [name for name in item.arms if any(arm.name == name for arm in pattern)]
            if item.relation == "peers" and own:
                more = tuple(arms[name].name for arms in new.values() for name in own)
                item = msgspec.structs.replace(item, arms=(*item.arms, *more))
            agreements.append(item)
            if item.relation != "peers" and len(own) == len(item.arms):
                agreements += [
                    msgspec.structs.replace(item, arms=tuple(arms[name].name for name in own))
                    for arms in new.values()
                ]
        added = tuple(arm for arms in new.values() for arm in arms.values())
        return self._with((*self.arms, *added), tuple(agreements))

    def _followed(self, variant: str, relation: Relation) -> "Trial":
        names = {arm.name for arm in self.arms}
        pairs = [
            (arm, Arm(arm.target, arm.case, variant))
            for arm in self.arms
            if not arm.variant and arm.target != REFERENCE
        ]
        pairs = [(first, second) for first, second in pairs if second.name not in names]
        more = tuple(Agreement(relation, (first.name, second.name)) for first, second in pairs)
        arms = (*self.arms, *(second for _, second in pairs))
        return self._with(arms, (*self.agreements, *more))

    def _with(self, arms: tuple[Arm, ...], agreements: tuple[Agreement, ...]) -> "Trial":
        return msgspec.structs.replace(self, arms=arms, agreements=agreements)


def usual_agreements(arms: Sequence[Arm]) -> tuple[Agreement, ...]:
    """What is expected of arms of which nothing else is said."""
    groups: dict[tuple[int, str], list[str]] = {}
    pairs = []
    names = {arm.name for arm in arms}
    for arm in arms:
        if not arm.follows:
            groups.setdefault((arm.case, arm.variant), []).append(arm.name)
        elif arm.target in names:
            relation: Relation = "again" if arm.variant == AGAIN else "equivalent"
            pairs.append(Agreement(relation, (arm.target, arm.name)))
    return (*(Agreement("peers", tuple(group)) for group in groups.values()), *pairs)


def _among(agreements: Iterable[Agreement], names: set[str]) -> tuple[Agreement, ...]:
    """What is left of agreements when only these arms are there."""
    found = []
    for item in agreements:
        arms = tuple(name for name in item.arms if name in names)
        if arms == item.arms or (arms and item.relation == "peers"):
            found.append(msgspec.structs.replace(item, arms=arms))
    return tuple(found)
