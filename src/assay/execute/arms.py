"""From arms to requests, and from answers to traces."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.execute.supervisor import Answer
from assay.execute.worker import Death, StartFailure
from assay.ir import STAGES, Arm, Array, Case, Failure, Status, Trace
from assay.libraries import owner

_MEMORY = "ran out of memory"


class InternalWorkerError(Exception):
    """Our own worker code failed: never a library's fault, never caught as one."""


def internal_error(target: str, problem: Mapping[str, str]) -> InternalWorkerError:
    """What to raise for a problem that a worker reports of itself."""
    told = f"{target}: {problem['exception']}: {problem['message']}\n{problem['stack']}"
    return InternalWorkerError(told)


class TargetLost(Exception):
    """The target can no longer be started; the arm has no trace."""


def request_for(case: Case, stage: str = "", variants: Sequence[str] = ()) -> dict[str, Any]:
    """What a worker is sent to execute a case, up to ``stage`` if that comes earlier.

    ``variants`` are further runs of it, as ``Arm`` names them.
    """
    if stage and STAGES.index(stage) < STAGES.index(case.stage):
        case = msgspec.structs.replace(case, stage=stage)
    return {"do": "execute", "case": _plain(case), "variants": list(variants)}


def request_for_sweep(
    case: Case, rule: str, draws: int, tolerance: tuple[float, float] | None = None
) -> dict[str, Any]:
    """What a worker is sent to run a case by a rule's program too, on so many draws."""
    case = msgspec.structs.replace(case, stage="forward")
    asked = {"do": "sweep", "case": _plain(case), "rule": rule, "draws": draws}
    return {**asked, "tolerance": tolerance}


def request_for_individuals(
    case: Case, wanted: str, step: str, more: Mapping[str, Any]
) -> dict[str, Any]:
    """What a worker is sent to run many individuals of a case; see ``assay_worker.individuals``."""
    case = msgspec.structs.replace(case, stage="forward", loss=None, optimizer=None)
    return {"do": "individuals", "step": step, "case": _plain(case), "wanted": wanted, **more}


def request_for_all(cases: Sequence[Case], stage: str = "") -> dict[str, Any]:
    """What a worker is sent to execute cases that differ in their inputs only."""
    return {**request_for(cases[0], stage=stage), "input_sets": [_plain(c.inputs) for c in cases]}


def _plain(value: Any) -> Any:
    """Records as dicts; arrays stay arrays, for the protocol to carry."""
    if isinstance(value, msgspec.Struct):
        fields = {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
        if value.__struct_config__.tag is not None:
            fields[str(value.__struct_config__.tag_field)] = value.__struct_config__.tag
        return fields
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def traces_of(target: str, answer: Answer) -> tuple[Trace, ...]:
    """The traces in an answer, one per input set, further runs left aside.

    None of what the library does not have.
    """
    arm = Arm(target)
    return tuple(traces[arm.name] for traces in _by_arm(arm, answer) if traces)


def traces_of_arms(arm: Arm, answer: Answer) -> dict[str, Trace]:
    """The traces of an arm and of the further runs of it, by the arms' names.

    A further run that did not take place has none, nor has anything that the library does
    not have: it is as if the target had not been asked.
    """
    (traces,) = _by_arm(arm, answer)
    return traces


def _by_arm(arm: Arm, answer: Answer) -> tuple[dict[str, Trace], ...]:
    if isinstance(answer, StartFailure):
        raise TargetLost(answer.message)
    if isinstance(answer, Death):
        return ({arm.name: _death_trace(arm.name, answer)},)
    if "internal" in answer:
        raise internal_error(arm.target, answer["internal"])
    return tuple(_with_further_runs(arm, result) for result in answer["results"])


def _with_further_runs(arm: Arm, result: dict[str, Any]) -> dict[str, Trace]:
    if result["status"] == "absent":
        return {}
    own = result["arrays"]
    first = _trace(arm.name, result, own, result["digest"])
    traces = {arm.name: first}
    for variant, further in result["variants"].items():
        if further["status"] == "absent":
            continue
        name = Arm(arm.target, variant=variant).name
        # What did not change is not sent again.
        arrays = {same: own[same] for same in further["same"]} | further["arrays"]
        traces[name] = _trace(name, further, arrays, first.digest)
    return traces


def _trace(arm: str, result: dict[str, Any], arrays: dict[str, Array], digest: str) -> Trace:
    failure = _failure(result.get("failure"))
    return Trace(
        arm=arm,
        status=result["status"],
        # What was written beside the case's own nodes, to say it in other words, is nobody's.
        arrays={name: array for name, array in arrays.items() if owner(name) == name},
        failure=_out_of_memory(failure) if failure and result["status"] == "memory" else failure,
        digest=digest,
        cpu_seconds=result["cpu_seconds"],
        draw=result.get("draw", 0),
        draws=result.get("draws", 1),
    )


def _failure(plain: dict[str, str] | None) -> Failure | None:
    if not plain:
        return None
    told = {key: _clean(text) for key, text in plain.items()}
    return Failure(**{**told, "node": owner(told["node"])})


def _out_of_memory(failure: Failure) -> Failure:
    """The same words whether the library raised or the process died of it."""
    return msgspec.structs.replace(
        failure,
        exception="memory",
        message=_MEMORY,
        stack=f"{failure.exception}: {failure.message}\n{failure.stack}",
    )


def _clean(text: str) -> str:
    """Text that any encoding-aware writer takes: libraries may put stray bytes in messages."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _death_trace(arm: str, death: Death) -> Trace:
    statuses: dict[str, Status] = {"timeout": "timeout", "memory": "memory"}
    status = statuses.get(death.cause, "crash")
    what = {"timeout": "no answer before the deadline", "memory": _MEMORY}
    failure = Failure(
        stage=death.stage or "build",
        node=owner(death.node),
        exception=death.cause,
        message=what.get(death.cause, f"the process died: {death.cause}"),
        stack=_clean(death.log),
        signal=death.cause if death.cause.startswith("SIG") else "",
    )
    return Trace(arm=arm, status=status, failure=failure)
