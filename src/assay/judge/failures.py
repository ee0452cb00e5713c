"""Oracles for arms that did not finish: crash, error on one arm only."""

from collections.abc import Sequence

import msgspec

from assay.ir import (
    LOSS,
    NO_ANSWER,
    OPTIMIZER,
    REFERENCE,
    Evidence,
    Failure,
    Observation,
    Stage,
    Trace,
    Verdict,
    plain_name,
)
from assay.judge._base import Observed, PartOracle
from assay.judge.compare import difference
from assay.judge.expected import Refusal, recognise
from assay.judge.identity import headline
from assay.judge.refusing import accident, refuses
from assay.judge.voting import Ballot, camps_of, vote

#: How an arm ends that gives neither a result nor an exception.
DEATHS = ("crash", "timeout", "memory")


def finished(trace: Trace) -> bool:
    """Did the arm run to its end?"""
    return trace.status == "ok"


def answered(observed: Observed) -> dict[str, Trace]:
    """The traces of arms that have an opinion; the reference may abstain."""
    return {
        target: trace
        for target, trace in observed.traces.items()
        if not (target == REFERENCE and trace.status != "ok")
    }


def _summary(trace: Trace) -> str:
    if trace.failure is None:
        return "works"
    if trace.status in DEATHS:
        return trace.failure.message
    return headline(trace.failure)


def _observations(
    observed: Observed, op: str, silent: Sequence[str] = (), stage: Stage = "forward"
) -> tuple[Observation, ...]:
    """What each arm showed; those that are ``silent`` on this stage neither work nor fail."""
    return tuple(
        Observation(
            target,
            observed.votes(target, op),
            f"{NO_ANSWER}: gives no {stage}"
            if target in silent and observed.native(target)
            else _summary(trace),
        )
        for target, trace in observed.traces.items()
    )


def _stage(stage: str) -> Stage:
    return stage if stage in ("build", "forward", "loss", "gradient", "update") else "forward"  # type: ignore[return-value]


def place_of(observed: Observed, trace: Trace) -> tuple[str, str, Stage]:
    """Node, op and stage at which an arm failed."""
    nodes = observed.case.graph.nodes
    failure = trace.failure
    name = failure.node if failure else ""
    stage = _stage(failure.stage if failure else "forward")
    for node in nodes:
        if node.id == name:
            return node.id, node.op, stage
    if stage == "loss" or name == "loss":
        loss = observed.case.loss
        return "loss", getattr(loss, "op", nodes[-1].op), stage
    if stage == "update" and observed.case.optimizer is not None:
        return OPTIMIZER, observed.case.optimizer.op, stage
    # A gradient call covers the whole graph; with one node it is that node.
    return (nodes[0].id, nodes[0].op, stage) if len(nodes) == 1 else ("", nodes[-1].op, stage)


def params_of(observed: Observed, node: str) -> dict[str, object]:
    """The parameters of the node of that name; none if there is no such node."""
    return next((n.params for n in observed.case.graph.nodes if n.id == node), {})


class CrashOracle(PartOracle):
    """A worker died, hung or ran out of memory while another arm lived."""

    name = "crash"

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """One verdict per way of dying and place."""
        traces = answered(observed)
        dead = {target: trace for target, trace in traces.items() if trace.status in DEATHS}
        if not dead or len(dead) == len(traces):
            return []
        alive = [target for target, trace in traces.items() if finished(trace)]
        groups: dict[tuple[str, str, str, Stage], list[str]] = {}
        for target, trace in dead.items():
            cause = trace.failure.exception if trace.failure else trace.status
            groups.setdefault((cause, *place_of(observed, trace)), []).append(target)
        return [
            Verdict(
                oracle=self.name,
                kind="crash",
                stage=stage,
                category="bug",
                op=op,
                node=node,
                params=params_of(observed, node),
                targets=tuple(traces),
                blamed=tuple(sorted(targets)),
                evidence=Evidence(
                    observations=_observations(
                        observed, op, _silent(observed, alive, stage), stage
                    ),
                    reason="a process must not die of its input",
                    message=cause,
                    stack=_stack(dead[targets[0]]),
                ),
            )
            for (cause, node, op, stage), targets in groups.items()
        ]


def _stack(trace: Trace) -> str:
    return trace.failure.stack if trace.failure else ""


def raised(observed: Observed) -> tuple[list[str], list[str]]:
    """Targets that work and targets that raise (the dead belong to neither)."""
    traces = answered(observed)
    working = [target for target, trace in traces.items() if trace.status == "ok"]
    raising = [target for target, trace in traces.items() if trace.status == "error"]
    return working, raising


#: What an arm has that came as far as a stage; those before it every arm reaches that works.
_SIGNS: dict[Stage, str] = {"loss": "loss", "gradient": "gradient:", "update": "update:"}


def _reached(trace: Trace, stage: Stage) -> bool:
    """Did an arm that works go as far as this stage?"""
    sign = _SIGNS.get(stage)
    return sign is None or any(name.startswith(sign) for name in trace.arrays)


def _silent(observed: Observed, working: Sequence[str], stage: Stage) -> list[str]:
    """Who works and has no say in this stage, having no gradients, say.

    Nobody, if nobody else came as far: then they speak for those that will.
    """
    silent = [target for target in working if not _reached(observed.traces[target], stage)]
    return silent if len(silent) < len(working) else []


class ErrorOracle(PartOracle):
    """One arm raises where others work, on a case meant to be valid."""

    name = "error"

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """One verdict per op and stage at which arms raise; known refusals apart from the rest."""
        if observed.trial.intent != "valid":
            return []
        working, raising = raised(observed)
        if not any(target != REFERENCE for target in working):
            return []
        groups: dict[tuple[tuple[str, str, Stage], str], list[str]] = {}
        for target in raising:
            place = place_of(observed, observed.traces[target])
            if not _echo(observed, target, place[0], working):
                # Who refuses what it is known to refuse shares no blame with who fails.
                refusal = refusal_of(observed, place[1], [target])
                known = refusal.id if refusal else "refuses" * _refused(observed, [target])
                groups.setdefault((place, known), []).append(target)
        return [
            self._verdict(observed, place, working, targets)
            for (place, _), targets in groups.items()
        ]

    def _verdict(
        self,
        observed: Observed,
        place: tuple[str, str, Stage],
        working: list[str],
        raising: list[str],
    ) -> Verdict:
        node, op, stage = place
        silent = _silent(observed, working, stage)
        voters = [target for target in working if target not in silent]
        ballot = vote([voters, raising], op, observed.votes)
        refusal = refusal_of(observed, op, raising)
        blamed = blamed_only(ballot, raising)
        if refusal is not None and refusal.promised:
            return promised(self.name, observed, place, raising, working, refusal)
        known = refusal is not None or _refused(observed, raising)
        if ballot.blamed and not blamed and not known and _means_nothing(observed, raising, op):
            more = ", and so does the reference: it means nothing"
            found = accepted(self.name, observed, place, raising, voters, more)
            return msgspec.structs.replace(found, category="bug", blamed=ballot.blamed)
        astray = _astray(observed, node, op, voters) if blamed else ()
        sound = [target for target in voters if target not in astray]
        reason = vote([sound, raising], op, observed.votes).reason if astray else ballot.reason
        if refusal:
            reason = refusal.reason
        elif known:
            reason = f"{', '.join(raising)} says that it cannot do this"
        elif not blamed and all_accidents(observed, raising, op):
            blamed = tuple(raising)
            reason = "it fails inside of something that was not called, where others work"
        return Verdict(
            oracle=self.name,
            kind="error",
            stage=stage,
            # Where nobody can say that it should work, a refusal is in order.
            category="bug" if blamed and not known else "unsupported",
            op=op,
            node=node,
            params=params_of(observed, node),
            targets=tuple(observed.traces),
            blamed=blamed,
            evidence=Evidence(
                observations=_observations(observed, op, silent, stage),
                reason=reason,
                message=_summary(observed.traces[raising[0]]),
                stack=_stack(observed.traces[raising[0]]),
                believed=tuple(sound) if blamed and any(map(observed.native, silent)) else (),
                astray=astray,
            ),
            recognised=refusal.id if refusal else "",
        )


def _astray(observed: Observed, node: str, op: str, working: Sequence[str]) -> tuple[str, ...]:
    """Who works and is wrong all the same: outvoted by the others that work."""
    name = f"output:{node}"
    given = [(t, observed.traces[t].arrays) for t in working]
    answers = [(target, arrays[name]) for target, arrays in given if name in arrays]
    camps = camps_of(answers, lambda one, other: difference(one, other) is None)
    return vote(camps, op, observed.votes).blamed if len(camps) > 1 else ()


def refusal_of(observed: Observed, op: str, raising: list[str]) -> Refusal | None:
    """The one entry that covers what each of these targets raised, if there is one."""
    outside = observed.ids_out_of_range(op)
    found: dict[str, Refusal] = {}
    for target in raising:
        failure = observed.traces[target].failure
        entry = failure and recognise(observed.platforms.get(target), op, failure, outside)
        if not entry:
            return None
        found[entry.id] = entry
    return next(iter(found.values())) if len(found) == 1 else None


def failures_of(observed: Observed, raising: Sequence[str]) -> list[Failure]:
    """What these targets raised."""
    found = [observed.traces[target].failure for target in raising]
    return [failure for failure in found if failure is not None]


def _refused(observed: Observed, raising: Sequence[str]) -> bool:
    """Do all of them say that they cannot do this?"""
    return all(map(refuses, failures_of(observed, raising)))


def _means_nothing(observed: Observed, raising: Sequence[str], op: str) -> bool:
    """Does the reference refuse the call, too, and nobody fail of it by accident?"""
    reference = observed.traces.get(REFERENCE)
    failure = reference.failure if reference is not None else None
    refused = failure is not None and failure.exception.rpartition(".")[2] == "ValueError"
    return refused and not any(accident(item, op) for item in failures_of(observed, raising))


def all_accidents(observed: Observed, raising: Sequence[str], op: str) -> bool:
    """Did all of them fail of something that was not asked for?"""
    return all(accident(failure, op) for failure in failures_of(observed, raising))


def _echo(observed: Observed, raising: str, node: str, working: list[str]) -> bool:
    """Had the arm gone astray before it raised? Then the earlier difference is the finding."""
    mine = observed.traces[raising].arrays
    graph = observed.case.graph
    tensors = [tensor for item in graph.nodes if item.id == node for tensor in item.tensors()]
    if node == LOSS:
        tensors = [plain_name(tensor) for tensor in graph.outputs]
    for name in (f"output:{tensor}" for tensor in tensors):
        others = [observed.traces[t].arrays for t in working if t != REFERENCE]
        if (
            name in mine
            and others
            and all(
                name in other and difference(mine[name], other[name]) is not None
                for other in others
            )
        ):
            return True
    return False


def blamed_only(ballot: Ballot, suspects: list[str]) -> tuple[str, ...]:
    """Who lost the vote, if that is one of the suspects; else nobody.

    Who works where others raise is not to blame, nor who refuses what we call invalid.
    """
    return ballot.blamed if set(ballot.blamed) <= set(suspects) else ()


def promised(
    oracle: str,
    observed: Observed,
    place: tuple[str, str, Stage],
    rejecting: list[str],
    working: list[str],
    refusal: Refusal,
) -> Verdict:
    """What somebody accepts though a refusal is promised: their bug."""
    accepting = sorted(target for target in working if target != REFERENCE)
    found = accepted(oracle, observed, place, rejecting, accepting, f": {refusal.reason}")
    return msgspec.structs.replace(found, category="bug", blamed=tuple(accepting))


def accepted(
    oracle: str,
    observed: Observed,
    place: tuple[str, str, Stage],
    rejecting: list[str],
    accepting: list[str],
    more: str,
) -> Verdict:
    """That some accept what others reject; ``more`` ends the sentence. Nobody is blamed yet."""
    node, op, _ = place
    parameter = observed.trial.spoilt
    reason = f"{', '.join(accepting)} accepts what {', '.join(rejecting)} rejects{more}"
    return Verdict(
        oracle=oracle,
        kind="validation",
        stage="build",
        category="unsupported",
        op=op,
        node=node,
        params=params_of(observed, node),
        targets=tuple(observed.traces),
        blamed=(),
        responsible=(parameter,) if parameter else (),
        evidence=Evidence(
            observations=_observations(observed, op),
            reason=reason,
            message=_summary(observed.traces[rejecting[0]]),
        ),
    )
