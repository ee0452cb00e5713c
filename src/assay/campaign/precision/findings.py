"""From suspects to findings: asked of all targets and the reference, explained, confirmed."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.campaign.events import Event, FindingRecorded, Notice
from assay.campaign.explain import Explained, explain, finding_of
from assay.campaign.faults import Faults
from assay.campaign.precision.suspects import Suspect
from assay.campaign.precision.whole_gradients import has_gradient
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.start import started
from assay.campaign.running.witnesses import wanted
from assay.campaign.triage.confirm import confirmed_anew, script_of, seen_afresh
from assay.execute import Limits
from assay.ir import Arm, Array, Finding, Trial, Verdict
from assay.judge import oracle
from assay.judge.proven import ProvenOracle
from assay.store import Store
from assay.targets import REFERENCE, Target

_ORACLE = "precision"
_GRADIENT = "gradient:input:"
_LIMITS = Limits(run_seconds=30.0, memory_bytes=4 << 30)


def findings(
    suspects: Sequence[Suspect],
    targets: Sequence[Target],
    store: Store,
    campaign: str,
    seed: int,
    first: int,
    statistics: Mapping[str, Any],
    tell: Callable[[Event], None],
    stop: threading.Event,
) -> Iterator[FindingRecorded]:
    """The findings of suspects, stored as trials from ``first`` on; bugs also run as scripts.

    Of one operator on one target, in one format, no further suspect is looked at after a bug.
    ``statistics`` are those that the campaign keeps.
    """
    faults = Faults(lambda line: tell(Notice(line)))
    everyone = (*targets, REFERENCE)
    kept: dict[str, tuple[Finding, dict[str, Array], bool]] = {}
    settled = set()
    with started(everyone, tell, wanted(everyone), _LIMITS) as (laboratory, _):
        for index, suspect in enumerate(suspects, first):
            if stop.is_set():
                return
            if suspect.key in settled:
                continue
            with faults.excused(f"the error of {suspect.job.operator.op} was not judged"):
                for finding, arrays in _explained(suspect, laboratory, campaign, seed, index):
                    pair = (finding, arrays)
                    if finding.category == "bug":
                        settled.add(suspect.key)
                    (new,) = store.record_trial(campaign, index, [pair], statistics, 0.0)
                    known = store.finding(finding.fingerprint)
                    kept.setdefault(known.fingerprint, (known, arrays, new))
    bugs = [(item, arrays) for item, arrays, new in kept.values() if new and item.category == "bug"]
    for again in confirmed_anew(bugs, everyone, faults, stop, _LIMITS) if bugs else ():
        _, arrays, new = kept[again.fingerprint]
        stored = store.replace_finding(again, script=script_of(again, arrays))
        kept[again.fingerprint] = stored, arrays, new
    for finding, _, new in kept.values():
        yield FindingRecorded(finding, new)


def _explained(
    suspect: Suspect, laboratory: Laboratory, campaign: str, seed: int, index: int
) -> Iterator[tuple[Finding, dict[str, Array]]]:
    """What a suspect amounts to: nothing, if it does not show beside others that are asked too."""
    arms = tuple(Arm(name) for name in laboratory.targets)
    trial = Trial(index, _ORACLE, (suspect.case,), arms)
    observed = laboratory.observe(trial)
    # As a witness's answers are compared with those of the target, they share its words.
    mine: list[Verdict] = []
    if suspect.units is not None:
        verdicts = ProvenOracle(suspect.units).judge(observed)
        mine = [item for item in verdicts if suspect.job.target.name in item.blamed]
    if not mine and suspect.large:
        verdicts = oracle(_ORACLE).judge(observed)
        names = (suspect.job.target.name,)
        mine = [item for item in verdicts if {*names} & {*item.blamed, *item.targets}]
    wanted_stage = suspect.job.stage
    if any(item.stage != wanted_stage for item in mine):
        # The result is wrong there already: a matter of the other stage.
        return
    for verdict in mine[:1]:
        explained = explain(observed, verdict, laboratory.observe, laboratory.run)
        if wanted_stage == "gradient" and not _has_gradient(suspect, explained):
            return
        explained = msgspec.structs.replace(explained, verdict=_named(explained.verdict))
        finding = finding_of(explained, trial, campaign, seed, laboratory.platforms, observed)
        if finding.category == "bug":
            finding = seen_afresh(finding, laboratory, _LIMITS.run_seconds)
        yield finding, explained.arrays


def _has_gradient(suspect: Suspect, explained: Explained) -> bool:
    """Is there one at the place, in the case that shows it? A smaller case may lie at a kink."""
    evidence = explained.verdict.evidence
    name = evidence.where.removeprefix(_GRADIENT)
    return has_gradient(explained.case, name, evidence.position, suspect.job.computes)


def _named(verdict: Verdict) -> Verdict:
    """A bug is one of precision, whatever kind of difference was seen."""
    if verdict.category != "bug" or verdict.kind != "inconsistency":
        return verdict
    evidence = msgspec.structs.replace(verdict.evidence, symptom=verdict.kind)
    return msgspec.structs.replace(verdict, kind="precision", evidence=evidence)
