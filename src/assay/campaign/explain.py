"""From verdict to finding: isolate the node, confirm, categorise, identify."""

from collections.abc import Mapping

import msgspec
import numpy as np

from assay.ir import (
    REFERENCE,
    STAGES,
    Array,
    Case,
    Finding,
    LossOp,
    Platform,
    Trial,
    Verdict,
    believed,
    normalised,
)
from assay.ir.check import LocalizationMap, layers_of
from assay.ir.transform import forward_only, moderated_case, unwrapped_case
from assay.judge import Observed, fingerprint, oracle, shown_again, symptom
from assay.judge._base import Observe, Run
from assay.judge.category import attempts_for, categorised
from assay.judge.compare import difference
from assay.judge.proven import proves
from assay.judge.rewriting import rewrites
from assay.libraries import Untold, settled, worded
from assay.localize import isolate, suspects
from assay.localize.growth import growth
from assay_worker.rules import rule as rule_of

_ID_LENGTH = 8
#: Oracles that compare the numbers of arms.
_NUMERIC = ("numeric", "threshold", "change-rate", "precision")


def _numeric(oracle: str) -> bool:
    return oracle in _NUMERIC or proves(oracle)


class Explained(msgspec.Struct, frozen=True):
    """A verdict as it stands after explanation, and the arrays that show it."""

    verdict: Verdict
    case: Case
    flaky: bool
    arrays: dict[str, Array]
    confirmations: int = 0


def explain(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run, asked_before: bool = False
) -> Explained:
    """Isolate, confirm and categorise, in a bounded number of runs.

    First on the arms that disagreed. What a vote could change is put to all arms of
    the trial then: those that compile are not asked about rounding and conventions, nor,
    if they were ``asked_before`` about the like, about anything but bugs.
    """
    trial = observed.trial
    few = trial.on(target for target in trial.targets if target in observed.traces)
    first = _explained(msgspec.structs.replace(observed, trial=few), verdict, observe, run)
    news = first.verdict.category == "bug" or not asked_before
    if few.targets != trial.targets and news and _open_to_votes(first.verdict):
        asked = trial if len(trial.cases) > 1 else trial.asking(first.case)
        everyone = observe(_repeated(asked, first.verdict))
        again = _unstable(first.verdict, everyone) or shown_again(first.verdict, everyone)
        if again is not None:
            # Whoever disagreed at first was confirmed already; this is the last time, on everyone.
            shown = min(first.confirmations + 1, attempts_for(again))
            last = None if again.oracle == "round-trip" else shown
            first = _explained(everyone, again, observe, run, last)
    return _in_their_words(observed, first, observe, run)


def _in_their_words(
    observed: Observed, explained: Explained, observe: Observe, run: Run
) -> Explained:
    """A bug in the words of the library that has it, if it shows there too.

    Its maintainers know nothing of the words that the case was drawn in, and one bug has one
    name from wherever it was met.
    """
    verdict, trial = explained.verdict, observed.trial
    if verdict.category != "bug" or len(trial.cases) > 1:
        return explained
    cases = []
    blamed = [observed.platforms[name] for name in verdict.blamed if name in observed.platforms]
    for library in sorted({platform.library for platform in blamed}):
        try:
            cases.append(worded(explained.case, library))
        except Untold:
            continue
    if not cases or explained.case in cases:
        return explained  # in their words already
    case = settled(cases[0])
    seen = observe(trial.asking(case))
    for other in oracle(verdict.oracle).judge(seen):
        if (other.kind, other.stage, other.blamed) == (
            symptom(verdict).kind,
            verdict.stage,
            symptom(verdict).blamed,
        ):
            theirs = _explained(seen, other, observe, run)
            if theirs.verdict.category == "bug" and theirs.verdict.blamed == verdict.blamed:
                return theirs
    return explained


def _open_to_votes(verdict: Verdict) -> bool:
    """Could another opinion change what this is, or who is blamed?"""
    undecided = verdict.evidence.reference_alone or not verdict.blamed
    return verdict.category == "bug" or (
        verdict.category in ("undecided", "convention", "unsupported")
        and undecided
        and not verdict.recognised
    )


def _explained(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run, shown: int | None = None
) -> Explained:
    """``shown``: how many re-runs have shown the verdict on this case, if this is the last one."""
    own, given = True, observed
    if len(observed.trial.cases) == 1:  # equivalent programs are taken as they are
        observed, verdict, own = _isolated(observed, verdict, observe)
        observed, verdict = _shortened(observed, verdict, observe)
        if not given.trial.round_trip:
            observed, verdict = _descended(observed, verdict, observe)
        observed, verdict = _clearer(observed, verdict, observe)
    if shown is None or observed.trial.cases != given.trial.cases:
        ran = observed is not given
        observed, verdict, confirmations = _confirmed(observed, verdict, observe, ran)
    else:
        confirmations = shown
    verdict = categorised(observed, verdict, observe, run, confirmations, own)
    flaky = confirmations < verdict.evidence.attempts
    arrays = arrays_of(observed, verdict)
    return Explained(verdict, observed.trial.cases[0], flaky, arrays, confirmations)


def _isolated(
    observed: Observed, verdict: Verdict, observe: Observe
) -> tuple[Observed, Verdict, bool]:
    """The node alone, if it shows the disagreement alone; else everything as it was.

    A failing gradient call names no node: then each is tried, from the loss back.
    False at the end if different numbers are not the node's own: alone, on the
    same inputs, it gives the same ones.
    """
    if len(observed.case.graph.nodes) == 1 and not isinstance(observed.case.loss, LossOp):
        return observed, verdict, True
    own = True
    for node in suspects(observed.case, verdict):
        suspect = msgspec.structs.replace(verdict, node=node.id, op=node.op, params=node.params)
        if verdict.stage in ("loss", "update"):  # which is what the loss or optimizer alone gives
            suspect = msgspec.structs.replace(suspect, stage="forward")
        alone = isolate(observed.case, suspect, observed.peers().traces)
        if alone is None:
            continue
        seen = observe(_repeated(observed.trial.asking(alone), suspect))
        again = shown_again(suspect, seen)
        if again is not None:
            return seen, again, True
        # Different numbers, and a failing gradient that names no node, may come from elsewhere.
        own = (
            not _numeric(verdict.oracle)
            and verdict.oracle != "nondeterminism"
            and verdict.node != ""
        )
    return observed, verdict, own


def _shortened(observed: Observed, verdict: Verdict, observe: Observe) -> tuple[Observed, Verdict]:
    """No further than the results, where those differ: what compiles each op takes most of its
    time for gradients, and the reference differentiates numerically."""
    case = observed.case
    last = STAGES.index("forward")
    if STAGES.index(verdict.stage) > last or STAGES.index(case.stage) <= last:
        return observed, verdict
    seen = observe(_repeated(observed.trial.asking(forward_only(case)), verdict))
    again = shown_again(verdict, seen)
    # What raises may do so for being differentiated.
    return (seen, again) if again is not None and _alike(verdict, again) else (observed, verdict)


def _alike(first: Verdict, second: Verdict) -> bool:
    """Are two verdicts of one symptom the same in what a case may not change?"""
    return all(
        getattr(first, name) == getattr(second, name) for name in ("blamed", "category")
    ) and normalised(first.evidence.message) == normalised(second.evidence.message)


def _descended(observed: Observed, verdict: Verdict, observe: Observe) -> tuple[Observed, Verdict]:
    """The layer inside of a wrapper, if it shows the same alone."""
    inner = unwrapped_case(observed.case) if observed.trial.intent == "valid" else None
    if inner is None:
        return observed, verdict
    node = inner.graph.nodes[0]
    seen = observe(_repeated(observed.trial.asking(inner), verdict))
    suspect = msgspec.structs.replace(verdict, op=node.op, params=node.params)
    again = shown_again(suspect, seen)
    if again is None or again.blamed != verdict.blamed:
        return observed, verdict
    return seen, again


def _clearer(observed: Observed, verdict: Verdict, observe: Observe) -> tuple[Observed, Verdict]:
    """The same with moderate numbers, if only those tell who is wrong."""
    moderate = moderated_case(observed.case)
    if moderate is None or verdict.blamed or verdict.kind not in ("nan", "inconsistency"):
        return observed, verdict
    seen = observe(_repeated(observed.trial.asking(moderate), verdict))
    again = shown_again(verdict, seen)
    if again is None or not again.blamed:
        return observed, verdict
    # What is wrong with results is no matter of ties.
    other_slope = again.stage == "gradient" and not _apart_there(verdict, seen)
    return (observed, verdict) if other_slope else (seen, again)


def _apart_there(verdict: Verdict, seen: Observed) -> bool:
    """Do they still disagree on that element of a gradient? Another one may be a tie besides."""
    where, position = verdict.evidence.where, verdict.evidence.position
    if verdict.stage != "gradient" or verdict.kind != "inconsistency":
        return True
    given = [
        np.asarray(seen.traces[name].arrays[where][position])
        for name in verdict.targets
        if name != REFERENCE and name in seen.traces and where in seen.traces[name].arrays
    ]
    return any(difference(given[0], other) is not None for other in given[1:])


def _confirmed(
    observed: Observed, verdict: Verdict, observe: Observe, ran: bool
) -> tuple[Observed, Verdict, int]:
    """The verdict as re-runs show it, and how many of them do.

    ``ran``: what was observed is a re-run itself, the first, if it was asked as they all are.
    """
    attempts = attempts_for(verdict)
    trial = _repeated(observed.trial, verdict)
    ran = ran and trial.arms == observed.trial.arms
    if ran:
        verdict = _unstable(verdict, observed) or verdict
    if verdict.oracle == "round-trip":
        repeated = observed.trial.plain().again()
        seen = observe(repeated)
        verdict = _unstable(verdict, seen) or verdict
        if verdict.oracle == "nondeterminism":
            observed, trial, ran = seen, repeated, False
    confirmations = 1 if ran else 0
    done = confirmations
    while done < attempts:
        seen = observe(trial)
        done += 1
        again = _unstable(verdict, seen) or shown_again(verdict, seen)
        if again is not None:
            confirmations += 1
            observed, verdict = seen, again
        elif ran:  # what may not have been there is confirmed by others alone
            confirmations, done, ran = confirmations - 1, done - 1, False
    return observed, verdict, confirmations


def _repeated(trial: Trial, verdict: Verdict) -> Trial:
    """The trial as a re-run asks it.

    Where numbers differ every arm runs twice: what differs between two runs of one
    target is no disagreement between targets or after a round trip, but nondeterminism.
    """
    if _numeric(verdict.oracle) or verdict.oracle == "nondeterminism":
        return trial.plain().again()
    if rewrites(verdict.oracle):
        return trial if _of_random(trial) else trial.again()
    return trial if verdict.oracle == "round-trip" else trial.plain()


def _of_random(trial: Trial) -> bool:
    """Is it about a rule that compares what random results have in common, whatever they are?"""
    return bool(trial.rule) and rule_of(trial.rule).undefined


def _unstable(verdict: Verdict, observed: Observed) -> Verdict | None:
    """What a blamed target's own two runs disagree on, in place of a numeric verdict."""
    others = ("nondeterminism", "round-trip")
    known = _numeric(verdict.oracle) or verdict.oracle in others
    if not known and not rewrites(verdict.oracle):
        return None
    if _of_random(observed.trial):
        return None
    for other in oracle("nondeterminism").judge(observed):
        blamed = verdict.blamed or other.blamed
        if other.op == verdict.op and set(other.blamed) <= set(blamed):
            return other
    return None


def arrays_of(observed: Observed, verdict: Verdict) -> dict[str, Array]:
    """The inputs, and what each arm gave where they differ."""
    case = observed.trial.cases[0]
    arrays = {f"input:{name}": array for name, array in case.input_arrays().items()}
    for arm in observed.trial.plain().arms:
        if arm.name not in observed.traces:
            continue
        for name, array in observed.traces[arm.name].arrays.items():
            if name == verdict.evidence.where or name.startswith("output:"):
                arrays[f"{arm.name}/{name}"] = array
    return arrays


def finding_of(
    explained: Explained,
    original: Trial,
    campaign: str,
    seed: int,
    platforms: Mapping[str, Platform],
    observed: Observed,
) -> Finding:
    """The finding that an explained verdict amounts to."""
    verdict = explained.verdict
    identity = fingerprint(verdict, _accused(observed, verdict))
    # Also of those who have no answer: a script may be asked what they show.
    seen = (*verdict.targets, *(item.target for item in verdict.evidence.observations))
    own = {name: platforms[name] for name in seen if name in platforms}
    return Finding(
        id=identity[:_ID_LENGTH],
        fingerprint=identity,
        kind=verdict.kind,
        category=verdict.category,
        stage=verdict.stage,
        op=verdict.op,
        params=verdict.params,
        responsible=verdict.responsible,
        node=verdict.node,
        targets=verdict.targets,
        blamed=verdict.blamed,
        evidence=verdict.evidence,
        magnitude=verdict.magnitude,
        oracle=verdict.oracle,
        case=explained.case,
        original=original.cases[0],
        intent=original.intent,
        spoilt=original.spoilt,
        round_trip=original.round_trip if verdict.oracle == "round-trip" else "",
        versions={name: own[name].versions for name in verdict.targets if name in own},
        platforms=own,
        campaign=campaign,
        trial=original.index,
        seed=seed,
        flaky=explained.flaky,
        recognised=verdict.recognised,
        rule=original.rule if rewrites(verdict.oracle) else "",
        others=original.cases[1:],
        arms=original.arms if original.cases[1:] else (),
        agreements=original.agreements if original.cases[1:] else (),
        localization=_localization(observed.peers(), verdict)
        if observed.trial.cases == original.cases and len(original.cases) == 1
        else None,
    )


def _accused(observed: Observed, verdict: Verdict) -> frozenset[str]:
    """The implementations that are blamed; one with other kernels by itself, if it is alone."""
    platforms = {name: observed.platforms.get(name) for name in verdict.blamed}
    others = {name: item for name, item in platforms.items() if item is not None and item.base}
    usual = observed.implementations(set(verdict.blamed) - set(others), verdict.op)
    return usual | {
        item.identity
        for name, item in others.items()
        if not usual & {observed.votes(name, verdict.op), item.backend or item.library}
    }


def _localization(observed: Observed, verdict: Verdict) -> LocalizationMap | None:
    """How the deviation grows along the model, from a believed target to a blamed one.

    None for a single call, and for what is not the fault of one of the model's nodes.
    """
    layers = layers_of(observed.case.graph)
    if len(layers) == 1 or verdict.node not in {layer.name for layer in layers}:
        return None
    known = [target for target in verdict.targets if target in observed.traces]
    blamed = [target for target in known if target in verdict.blamed]
    others = [target for target in known if target in believed(verdict) and target not in blamed]
    if not blamed or not others:
        return None
    pair = (others[0], blamed[0])
    first, second = (observed.traces[target].outputs() for target in pair)
    return LocalizationMap(pair, 0, verdict.node, growth(layers, first, second))
