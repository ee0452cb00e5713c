"""Hunts for faults of rules: the trials of ``rewrite`` on some pairs of an API and a rule only."""

import json
import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from assay.campaign.catalogues import catalogue_of
from assay.campaign.events import CampaignFinished, Summary, TrialFinished
from assay.campaign.hunt.hunting import hunt
from assay.campaign.hunt.options import HuntOptions
from assay.catalogue.chosen import Chosen
from assay.ir import Finding
from assay.libraries import vocabulary
from assay.ops import OpSpec
from assay.sources import create
from assay.sources._base import catalogued_source
from assay.sources.rewrite import Rewrite
from assay.targets import Target, builtin_targets
from assay_worker.catalogue import HARVESTS
from seeded.rule_draw import RuleFault

#: Which target a library is tested by. Keras on TensorFlow: it compiles, and is cheap.
TARGETS = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "jax": "jax",
    "keras": "keras-tensorflow",
}
#: An API, and the name of a rule.
Pair = tuple[str, str]
_PRELUDE = Path(__file__).parent / "rule_inject.py"
_TECHNIQUE = "some-pairs"
_wanted: set[Pair] = set()


@catalogued_source(_TECHNIQUE)
class SomePairs(Rewrite):
    """As ``rewrite``, of the pairs that the bench asks for."""

    def __init__(
        self,
        seed: int,
        targets: tuple[str, ...],
        vocabulary: Mapping[str, OpSpec],
        chosen: Chosen,
    ) -> None:
        super().__init__(seed, targets, vocabulary, chosen)
        self.pairs = [pair for pair in self.pairs if (pair.api, pair.rule.name) in _wanted]


class Hunted(msgspec.Struct, frozen=True):
    """What a hunt found, and which faults changed an answer: (rule, API, API that was asked)."""

    summary: Summary
    fired: frozenset[tuple[str, str, str]]
    #: For each trial: the classes that it was drawn of.
    special: frozenset[int]

    @property
    def bugs(self) -> tuple[Finding, ...]:
        """What it calls bugs."""
        return tuple(item for item in self.summary.findings if item.category == "bug")


class Bench:
    """One library: its catalogue, its pairs, hunts on it with faults and without."""

    def __init__(
        self, library: str, seed: int, rounds: int, directory: Path, catalogued: bool = True
    ) -> None:
        self.library, self.seed, self.rounds = library, seed, rounds
        self.directory = directory
        self.target: Target = builtin_targets()[TARGETS[library]]
        self.words = vocabulary((self.target.library,))
        catalogued = catalogued and self.target.library in HARVESTS
        self.snapshot = catalogue_of(self.target) if catalogued else None
        self._hunts = 0

    def pairs(self, rules: Sequence[str]) -> dict[str, set[str]]:
        """The APIs that each rule applies to."""
        source = Rewrite(0, (self.target.name,), self.words, self._chosen(self.target, rules))
        found: dict[str, set[str]] = {name: set() for name in rules}
        for pair in source.pairs:
            found[pair.rule.name].add(pair.api)
        return found

    def _chosen(
        self, target: Target, rules: Sequence[str], apis: Collection[str] | None = None
    ) -> Chosen:
        snapshots = {}
        if self.snapshot is not None:
            entries = tuple(
                entry for entry in self.snapshot.entries if apis is None or entry.api in apis
            )
            snapshots[target.name] = msgspec.structs.replace(self.snapshot, entries=entries)
        return Chosen(
            libraries={target.name: self.target.library}, snapshots=snapshots, rules=tuple(rules)
        )

    def hunt(self, faults: Sequence[RuleFault], pairs: Collection[Pair]) -> Hunted:
        """A hunt with all these faults, or none, on these pairs: as many rounds of them."""
        self._hunts += 1
        _wanted.clear()
        _wanted.update(pairs)
        # One name for both, since what is drawn depends on it.
        name = f"{self.target.name}-seeded"
        log = self.directory / f"{self.library}{self._hunts}.fired"
        log.touch()
        target = msgspec.structs.replace(self.target, name=name)
        if faults:
            table = log.with_suffix(".json")
            table.write_bytes(msgspec.json.encode(list(faults)))
            env = {**target.env, "ASSAY_FAULTS": str(table), "ASSAY_FAULTS_FIRED": str(log)}
            target = msgspec.structs.replace(target, prelude=str(_PRELUDE), env=env)
        chosen = self._chosen(target, sorted({rule for _, rule in pairs}), {a for a, _ in pairs})
        cases = len(set(pairs)) * self.rounds
        options = HuntOptions(
            techniques=(_TECHNIQUE,),
            targets=(target,),
            ops=tuple(sorted({api for api, _ in pairs})) if self.snapshot is None else (),
            chosen=chosen,
            seed=self.seed,
            cases=cases,
            witnesses=False,
            store=str(log.with_suffix(".db")),
        )
        summary = _hunted(options, cases)
        fired = frozenset(tuple(json.loads(line)) for line in log.read_text().splitlines())
        return Hunted(summary, fired, self._special(options, cases))

    def _special(self, options: HuntOptions, cases: int) -> frozenset[int]:
        """The trials that draw other than ordinary values."""
        names = tuple(target.name for target in options.targets)
        source = create(_TECHNIQUE, options.seed, names, self.words, options.chosen)
        ordinary = ("ordinary",)
        return frozenset(
            index
            for index in range(cases)
            for _, aspect, name in source.ask(index).classes
            if aspect == "special" or (aspect == "input" and name not in ordinary)
        )


def _hunted(options: HuntOptions, cases: int) -> Summary:
    """The hunt up to its last trial. Scripts of what it found, and reductions, are left out."""
    stop = threading.Event()
    judged = 0
    for event in hunt(options, stop):
        if isinstance(event, TrialFinished):
            judged += 1
            if judged == cases:
                stop.set()
        if isinstance(event, CampaignFinished):
            return event.summary
    raise AssertionError("a hunt ends with CampaignFinished")
