"""Verdict and finding: what an oracle says, and what became of it."""

from typing import Literal

import msgspec

from assay.ir.case import Case
from assay.ir.cause import Cause
from assay.ir.check import LayerSpec, LocalizationMap
from assay.ir.graph import Parameters
from assay.ir.platform import Platform, named
from assay.ir.trial import Agreement, Arm

Kind = Literal[
    "crash",
    "error",
    "validation",
    "nan",
    "inconsistency",
    "nondeterminism",
    "equivalence",
    "precision",
    "regression",
]
Stage = Literal["build", "forward", "loss", "gradient", "update"]
Category = Literal["bug", "undecided", "convention", "rounding", "unsupported", "flaky"]

KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
CATEGORIES: tuple[Category, ...] = Category.__args__  # type: ignore[attr-defined]


#: How the summary of an arm begins that has nothing to compare: neither right nor wrong.
NO_ANSWER = "no answer"


class Observation(msgspec.Struct, frozen=True):
    """What one arm showed, in words and one value a reader can check.

    ``value`` is the arm's element at the place where the arms differ most.
    """

    target: str
    implementation: str
    summary: str
    value: float | None = None


class Admissible(msgspec.Struct, frozen=True):
    """What the believed function may give at the disputed element, and how that was measured.

    ``centre`` is the believed value, ``lower`` and ``upper`` what rounding allows around it:
    ``ball`` (how far one unit in the last place of every input moves it, all signs at their
    worst: |J|·ulp(x)) times ``growth`` (g, for sums of ``terms`` numbers), plus ``units`` (k) of
    ``unit``, the spacing of numbers at the result. ``source`` was asked, ``family`` is the row of
    the table that g and k are from. ``nudged`` is what it gave there with its inputs moved,
    ``branches`` the slopes on either side of a kink. ``answer`` is the disputed value.
    """

    source: str
    family: str
    answer: float | None = None
    centre: float | None = None
    lower: float | None = None
    upper: float | None = None
    ball: float = 0.0
    terms: int = 1
    growth: float = 0.0
    units: float = 0.0
    unit: float = 0.0
    nudged: tuple[float, ...] = ()
    branches: tuple[float, ...] = ()
    where: str = ""
    position: tuple[int, ...] = ()


class Evidence(msgspec.Struct, frozen=True):
    """Who disagrees, by how much, and why somebody is blamed.

    ``where`` names the array (as in a trace) and ``position`` the element;
    ``tolerance`` is what rounding can explain at that place.
    """

    observations: tuple[Observation, ...]
    reason: str
    where: str = ""
    position: tuple[int, ...] = ()
    tolerance: float | None = None
    message: str = ""
    stack: str = ""
    confirmations: int = 0
    attempts: int = 0
    #: The last attempt was made in processes that had not hunted.
    anew: bool = False
    #: No implementation agrees with Assay's own reference.
    reference_alone: bool = False
    #: The targets whose answer is taken for the right one; not all others deviate alike.
    believed: tuple[str, ...] = ()
    #: The rule that decided the category; "" in records of before.
    rule: str = ""
    #: What was measured for it, where numbers differ.
    admissible: Admissible | None = None
    #: The kind that was seen, where a rule then gave it a kind that says why.
    symptom: Kind | None = None
    #: Who the votes blame, where a rule then blamed others.
    voted: tuple[str, ...] | None = None
    #: Targets that differ from the believed ones, too, each in another way: a finding of its own
    #: says whether they are wrong.
    astray: tuple[str, ...] = ()


class Verdict(msgspec.Struct, frozen=True):
    """A disagreement as an oracle saw it, not yet confirmed."""

    oracle: str
    kind: Kind
    stage: Stage
    category: Category
    op: str
    node: str
    params: Parameters
    targets: tuple[str, ...]
    blamed: tuple[str, ...]
    evidence: Evidence
    magnitude: float = 0.0
    responsible: tuple[str, ...] = ()
    #: Identifies the suppression entry that recognised it, if any.
    recognised: str = ""


class Reduction(msgspec.Struct, frozen=True):
    """How the case of a finding became small.

    ``calls`` is how often an oracle was asked, ``steps`` how many simplifications it
    confirmed, ``exhausted`` whether the budget ended it. ``irrelevant`` are parameters
    of which other values show the finding too, ``partial`` those of which some do and some
    do not; ``together``: the responsible parameters matter only in combination.
    """

    calls: int
    steps: int
    exhausted: bool = False
    irrelevant: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    together: bool = False


class ScriptRun(msgspec.Struct, frozen=True):
    """What a finding's script said when it was run in fresh interpreters.

    ``reason`` is why it does not show the finding, "" if it does: 0 on every blamed
    backend, 1 on one that is believed. ``thorough``: the short script did not do.
    """

    reason: str = ""
    thorough: bool = False


class Finding(msgspec.Struct, frozen=True):
    """A verdict that was confirmed, localized, reduced, categorised and fingerprinted.

    ``case`` is the reduced case, ``original`` the case of the trial that showed
    it first. ``count`` is how many trials showed it.
    """

    id: str
    fingerprint: str
    kind: Kind
    category: Category
    stage: Stage
    op: str
    params: Parameters
    responsible: tuple[str, ...]
    node: str
    targets: tuple[str, ...]
    blamed: tuple[str, ...]
    evidence: Evidence
    magnitude: float
    oracle: str
    case: Case
    original: Case
    intent: str
    #: The parameter that was given a value outside its documented range; "" if none was.
    spoilt: str = msgspec.field(name="suspect_parameter")
    versions: dict[str, dict[str, str]]
    campaign: str
    trial: int
    seed: int
    count: int = 1
    flaky: bool = False
    recognised: str = ""
    #: The path of a script that showed it, once one did.
    reproducer: str | None = None
    #: How the trial ran each arm again, for ``equivalence`` (see ``Trial``).
    round_trip: Literal["", "config", "save"] = ""
    #: The rule whose program differs from the plain call (see ``assay_worker.rules``).
    rule: str = ""
    #: Of equivalent programs: the other cases, who runs which, and what must agree.
    others: tuple[Case, ...] = ()
    arms: tuple[Arm, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    #: None until the case was reduced.
    reduction: Reduction | None = None
    #: None until the script was run.
    script: ScriptRun | None = None
    #: Where in the original model the blamed target leaves one that is believed.
    localization: LocalizationMap | None = None
    #: What each target is made of; empty in records of before. See ``platform_of``.
    platforms: dict[str, Platform] = {}
    #: The layers that it speaks of, where the original case is a whole model.
    layers: tuple[LayerSpec, ...] = ()
    #: Where inside of the library it comes from; None if nobody looked. See ``cause_of``.
    cause: Cause | None = None


def disputed_shapes(finding: Finding) -> tuple[str, str] | None:
    """The shape that a blamed target gives, and the one that is believed, if those differ.

    What votes said of shapes is the wrong way round where a rule blamed others than they.
    """
    told = {item.target: item.summary for item in finding.evidence.observations}
    wrong = [told[name] for name in finding.blamed if name in told]
    right = [told[name] for name in finding.evidence.believed if name in told]
    sides = [(ours, theirs) for ours in wrong for theirs in right if ours != theirs]
    for ours, theirs in sides:
        if ours.startswith("shape ") and theirs.startswith("shape "):
            return ours.removeprefix("shape "), theirs.removeprefix("shape ")
    return None


def believed(item: Verdict | Finding) -> tuple[str, ...]:
    """The targets whose answer is taken for the right one: all that do not differ, by default."""
    others = (*item.blamed, *item.evidence.astray)
    return item.evidence.believed or tuple(name for name in item.targets if name not in others)


def platform_of(finding: Finding, target: str) -> Platform:
    """What a target of the finding is made of; by its name, where that is all that was recorded."""
    known = finding.platforms.get(target)
    if known is not None:
        return known
    return msgspec.structs.replace(named(target), versions=finding.versions.get(target, {}))


def blamed_platforms(finding: Finding) -> tuple[str, ...]:
    """Who is blamed, whatever the targets were called: each platform's identity once, sorted."""
    return tuple(sorted({platform_of(finding, name).identity for name in finding.blamed}))
