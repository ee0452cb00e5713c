"""From arms to requests, and from answers to traces."""

from typing import Any

import msgspec
import numpy as np

from assay.execute.supervisor import Answer
from assay.execute.worker import Death, StartFailure
from assay.ir import Case, Failure, Status, Trace


class InternalWorkerError(Exception):
    """Our own worker code failed: never a library's fault, never caught as one."""


class TargetLost(Exception):
    """The target can no longer be started; the arm has no trace."""


def request_for(case: Case, repeat: bool = False) -> dict[str, Any]:
    """What a worker is sent to execute a case."""
    plain = msgspec.to_builtins(case, enc_hook=_keep_array)
    return {"do": "execute", "case": plain, "repeat": repeat}


def _keep_array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    raise NotImplementedError(f"cannot send {type(value).__name__}")


def traces_of(target: str, answer: Answer) -> tuple[Trace, ...]:
    """The traces in an answer, one per input set."""
    if isinstance(answer, StartFailure):
        raise TargetLost(answer.message)
    if isinstance(answer, Death):
        return (_death_trace(target, answer),)
    if "internal" in answer:
        problem = answer["internal"]
        raise InternalWorkerError(
            f"{target}: {problem['exception']}: {problem['message']}\n{problem['stack']}"
        )
    return tuple(_trace(target, result) for result in answer["results"])


def _trace(target: str, result: dict[str, Any]) -> Trace:
    failure = result.get("failure")
    return Trace(
        target=target,
        status=result["status"],
        arrays=result["arrays"],
        failure=Failure(**failure) if failure else None,
        digest=result["digest"],
        unstable=tuple(result.get("unstable", ())),
        repeated=result.get("repeated", {}),
        cpu_seconds=result["cpu_seconds"],
    )


def _death_trace(target: str, death: Death) -> Trace:
    statuses: dict[str, Status] = {"timeout": "timeout", "memory": "memory"}
    status = statuses.get(death.cause, "crash")
    what = {"timeout": "no answer before the deadline", "memory": "ran out of memory"}
    failure = Failure(
        stage=death.stage or "build",
        node=death.node,
        exception=death.cause,
        message=what.get(death.cause, f"the process died: {death.cause}"),
        stack=death.log,
        signal=death.cause if death.cause.startswith("SIG") else "",
    )
    return Trace(target=target, status=status, failure=failure)
