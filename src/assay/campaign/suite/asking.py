"""Cases of a suite on targets: many a request; who dies or hangs costs the case it is at."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from assay.execute import (
    Answer,
    Death,
    Limits,
    StartFailure,
    Supervisor,
    TargetLost,
    internal_error,
)
from assay.ir import Failure, from_plain
from assay.ir.suite import SuiteCase, Value, values_of

LIMITS = Limits(run_seconds=30.0, memory_bytes=4 << 30)
#: Cases a request: a process that dies is told at which it was, and the others are asked again.
_BATCH = 24
#: So often a case may end a process before that is what it does.
_DEATHS = 2


class Answered(msgspec.Struct, frozen=True):
    """What a target gave for a case: outputs, or why there are none.

    ``copies``: outputs for each copy whose inputs were moved. ``ended``: its process died, by
    a signal or otherwise ("crash"), or did not answer in time ("hang"). ``fault``: Assay itself
    failed.
    """

    outputs: tuple[Value, ...] | None = None
    failure: Failure | None = None
    copies: tuple[tuple[Value, ...], ...] = ()
    ended: Literal["", "crash", "hang"] = ""
    fault: str = ""


class _Batch(msgspec.Struct, frozen=True):
    """Cases, by name, that one request is about, and how often the only one killed."""

    target: str
    names: tuple[str, ...]
    deaths: int = 0


#: Hears how many answers there are.
OnAnswer = Callable[[int], None]


def answers(
    supervisor: Supervisor,
    wanted: Sequence[tuple[str, Sequence[SuiteCase]]],
    copies: int = 0,
    precise: bool = False,
    on_answer: OnAnswer = lambda count: None,
) -> dict[tuple[str, str], Answered]:
    """What each target gives for its cases, by target and name of the case.

    Targets work at the same time. ``TargetLost`` if one cannot be started any more. With
    ``copies``, so many of each case with moved inputs are run instead (``precise``: as float64,
    moved by next to nothing).
    """
    cases = {case.name: case for _, several in wanted for case in several}
    found: dict[tuple[str, str], Answered] = {}
    open_batches = 0

    def ask(batch: _Batch) -> None:
        nonlocal open_batches
        open_batches += 1
        asked = [cases[name] for name in batch.names]
        supervisor.submit(batch, batch.target, _request(asked, copies, precise))

    for target, several in wanted:
        for names in _parts([case.name for case in several]):
            ask(_Batch(target, names))
    while open_batches:
        for batch, answer in supervisor.completed(1.0):
            assert isinstance(batch, _Batch)
            open_batches -= 1
            for name, given in _given(batch, answer):
                found[batch.target, name] = given
            for again in _again(batch, answer):
                ask(again)
            on_answer(len(found))
    return found


def _parts(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(names), _BATCH):
        yield tuple(names[start : start + _BATCH])


def _request(cases: Sequence[SuiteCase], copies: int, precise: bool) -> dict[str, Any]:
    plain = [
        {
            "name": case.name,
            "model": case.model,
            "names": {"inputs": list(case.names.inputs), "outputs": list(case.names.outputs)},
            "inputs": [{"form": value.form, "bytes": value.bytes} for value in case.inputs],
        }
        for case in cases
    ]
    told = {"cases": plain, "copies": copies, "precise": precise}
    return {"do": "suite", "step": "run", **told}


def _given(batch: _Batch, answer: Answer) -> Iterator[tuple[str, Answered]]:
    """The answers in an answer, and that of a case that killed for the last time."""
    if isinstance(answer, StartFailure):
        raise TargetLost(f"{batch.target}: {answer.message}")
    if isinstance(answer, Death):
        if len(batch.names) == 1 and batch.deaths + 1 >= _DEATHS:
            yield batch.names[0], _ended(answer)
        return
    if "internal" in answer:
        raise internal_error(batch.target, answer["internal"])
    for item in answer["answers"]:
        yield item["name"], _answered(item)


def _answered(item: dict[str, Any]) -> Answered:
    if "fault" in item:
        return Answered(fault=f"{item['fault']['exception']}: {item['fault']['message']}")
    if "failure" in item:
        told = item["failure"]
        failure = Failure(told["stage"], told["exception"], told["message"], "", told["stack"])
        return Answered(failure=failure)
    copies = tuple(values_of(copy) for copy in item.get("copies", ()))
    return Answered(values_of(item["outputs"]) if "outputs" in item else None, None, copies)


def _ended(death: Death) -> Answered:
    signal = death.cause if death.cause.startswith("SIG") else ""
    hung = death.cause == "timeout"
    said = f"no answer in {LIMITS.run_seconds:g} s" if hung else f"the process died: {death.cause}"
    failure = Failure(death.stage or "build", death.cause, said, "", death.log, signal)
    return Answered(failure=failure, ended="hang" if hung else "crash")


def _again(batch: _Batch, answer: Answer) -> tuple[_Batch, ...]:
    """What is to be asked again after a death: the case it was at alone, and the others."""
    if not isinstance(answer, Death):
        return ()
    if len(batch.names) == 1:
        deaths = batch.deaths + 1
        return () if deaths >= _DEATHS else (_Batch(batch.target, batch.names, deaths),)
    if answer.node in batch.names:
        others = tuple(name for name in batch.names if name != answer.node)
        return _Batch(batch.target, (answer.node,), 1), _Batch(batch.target, others)
    return tuple(_Batch(batch.target, (name,)) for name in batch.names)


def harvest(supervisor: Supervisor, target: str, ops: Sequence[str]) -> tuple[SuiteCase, ...]:
    """The suite's cases of these operators, from a target's worker."""
    told = _step(supervisor, target, {"step": "cases", "ops": list(ops)})
    return tuple(from_plain(item, SuiteCase) for item in told["cases"])


class Contents(msgspec.Struct, frozen=True):
    """What a suite has: how many cases each op, and which version it is."""

    ops: dict[str, int]
    version: str
    opset: int


def contents(supervisor: Supervisor, target: str) -> Contents:
    """What there is to harvest."""
    told = _step(supervisor, target, {"step": "list"})
    return Contents(told["ops"], told["version"], told["opset"])


def _step(supervisor: Supervisor, target: str, request: dict[str, Any]) -> dict[str, Any]:
    answer = supervisor.ask(target, {"do": "suite", **request}, seconds=300.0)
    if isinstance(answer, (Death, StartFailure)):
        said = answer.cause if isinstance(answer, Death) else answer.message
        raise TargetLost(f"{target}: it could not read the suite: {said}")
    if "internal" in answer:
        raise internal_error(target, answer["internal"])
    return answer
