"""Oracles for arms that did not finish: crash, error on one arm only, validation."""

import re
from collections.abc import Sequence

import msgspec
import numpy as np

from assay.ir import (
    LOSS,
    NO_ANSWER,
    OPTIMIZER,
    REFERENCE,
    Array,
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
from assay.judge.numpy_vote import numpy_answer, numpy_refuses
from assay.judge.refusing import accident, refuses
from assay.judge.voting import Ballot, camps_of, vote

#: How an arm ends that gives neither a result nor an exception.
DEATHS = ("crash", "timeout", "memory")
_DEVICES = re.compile(r"\{\{.*?\}\}")
#: Shorter words (size, axis, num) are in many messages.
_SHORT = 4
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


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


def _raised(observed: Observed) -> tuple[list[str], list[str]]:
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
        working, raising = _raised(observed)
        if not any(target != REFERENCE for target in working):
            return []
        groups: dict[tuple[tuple[str, str, Stage], str], list[str]] = {}
        for target in raising:
            place = place_of(observed, observed.traces[target])
            if not _echo(observed, target, place[0], working):
                # Who refuses what it is known to refuse shares no blame with who fails.
                refusal = _refusal(observed, place[1], [target])
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
        refusal = _refusal(observed, op, raising)
        blamed = _blamed_only(ballot, raising)
        if refusal is not None and refusal.promised:
            return _promised(self.name, observed, place, raising, working, refusal)
        known = refusal is not None or _refused(observed, raising)
        astray = _astray(observed, node, op, voters) if blamed else ()
        sound = [target for target in voters if target not in astray]
        reason = vote([sound, raising], op, observed.votes).reason if astray else ballot.reason
        if refusal:
            reason = refusal.reason
        elif known:
            reason = f"{', '.join(raising)} says that it cannot do this"
        elif not blamed and _all_accidents(observed, raising, op):
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


def _refusal(observed: Observed, op: str, raising: list[str]) -> Refusal | None:
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


def _failures(observed: Observed, raising: Sequence[str]) -> list[Failure]:
    found = [observed.traces[target].failure for target in raising]
    return [failure for failure in found if failure is not None]


def _refused(observed: Observed, raising: Sequence[str]) -> bool:
    """Do all of them say that they cannot do this?"""
    return all(map(refuses, _failures(observed, raising)))


def _all_accidents(observed: Observed, raising: Sequence[str], op: str) -> bool:
    return all(accident(failure, op) for failure in _failures(observed, raising))


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


def _blamed_only(ballot: Ballot, suspects: list[str]) -> tuple[str, ...]:
    """Who lost the vote, if that is one of the suspects; else nobody.

    Who works where others raise is not to blame, nor who refuses what we call invalid.
    """
    return ballot.blamed if set(ballot.blamed) <= set(suspects) else ()


def _speaks_of(observed: Observed, target: str, parameter: str) -> bool:
    """Does the message of a rejection name the parameter, or the value it refuses?"""
    failure = observed.traces[target].failure
    if failure is None or not parameter:
        return failure is not None
    given = [
        repr(value[parameter])
        for node in observed.case.graph.nodes
        for value in (node.params, node.arguments)
        if parameter in value
    ]
    # What a library adds to any message names devices and other arguments.
    said = _DEVICES.sub("", failure.message.partition("Arguments received by")[0])
    words = said.replace("(", "[").replace(")", "]")
    named = parameter in words or _mentions(words, parameter)
    return named or any(_quotes(words, value.strip("[]'")) for value in given)


def _mentions(words: str, parameter: str) -> bool:
    """Is the last word of the parameter's name in the message, if it is a telling one?"""
    noun = parameter.rpartition("_")[2]
    return len(noun) > _SHORT and re.search(rf"\b{noun}\b", words) is not None


def _quotes(words: str, value: str) -> bool:
    """Is the value in the message? A number as such, not as a part of a shape or another."""
    if not _NUMBER.fullmatch(value):
        return value in words
    return re.search(rf"(?<![\w.,\[-]){re.escape(value)}(?![\w,\]]|\.\d)", words) is not None


class ValidationOracle(PartOracle):
    """A deliberately invalid value that one target rejects and another accepts."""

    name = "validation"

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """At most one verdict: it is about one parameter of one node."""
        if observed.trial.intent != "invalid":
            return []
        accepting, rejecting = _raised(observed)
        accepting = [target for target in accepting if target != REFERENCE]
        if not accepting or not rejecting:
            return []
        place = place_of(observed, observed.traces[rejecting[0]])
        op = place[1]
        refusal = _refusal(observed, op, rejecting)
        if refusal is not None and refusal.promised:
            return [_promised(self.name, observed, place, rejecting, accepting, refusal)]
        blamed = _blamed_only(vote([rejecting, accepting], op, observed.votes), accepting)
        libraries = [target for target in rejecting if target != REFERENCE]
        parameter = observed.trial.spoilt
        clear = any(_speaks_of(observed, target, parameter) for target in libraries)
        more = ""
        if blamed and numpy_answer(observed.case) is not None:
            blamed, more = (), ", and NumPy, whose semantics are promised, accepts it, too"
        elif clear and not blamed:
            if _at_odds(observed, accepting):
                more = ", and those that accept it make different things of it"
            elif not refusal and numpy_refuses(observed.case):
                more = ", and NumPy, whose semantics are promised, rejects it, too"
            blamed = tuple(sorted(accepting)) if more else ()
        found = _accepted(self.name, observed, place, rejecting, accepting, more)
        return [
            msgspec.structs.replace(
                found,
                # An error that happens to come of it is no check that others lack, and one
                # that most do without is a strict one.
                category="bug" if clear and blamed and not refusal else "unsupported",
                blamed=blamed,
                recognised=refusal.id if refusal else "",
            )
        ]


def _promised(
    oracle: str,
    observed: Observed,
    place: tuple[str, str, Stage],
    rejecting: list[str],
    working: list[str],
    refusal: Refusal,
) -> Verdict:
    """What somebody accepts though a refusal is promised: their bug."""
    accepting = sorted(target for target in working if target != REFERENCE)
    found = _accepted(oracle, observed, place, rejecting, accepting, f": {refusal.reason}")
    return msgspec.structs.replace(found, category="bug", blamed=tuple(accepting))


def _accepted(
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


def _at_odds(observed: Observed, accepting: Sequence[str]) -> bool:
    """Do some give NaN where others give a number, or another shape? Then it means nothing.

    Other numbers say nothing: those of random ops are never the same.
    """
    outputs = [observed.traces[target].outputs() for target in accepting]
    first, *others = [{name: _kinds(array) for name, array in given.items()} for given in outputs]
    return any(first != other for other in others)


def _kinds(array: Array) -> tuple[tuple[int, ...], bytes]:
    """The shape, and which elements are no numbers."""
    missing = np.isnan(array) if array.dtype.kind in "fc" else np.zeros(array.shape, bool)
    return array.shape, missing.tobytes()
