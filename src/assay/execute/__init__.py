"""Workers: persistent processes that execute arms, and the supervisor that owns them."""

from assay.execute.arms import (
    InternalWorkerError,
    TargetLost,
    internal_error,
    request_for,
    request_for_all,
    request_for_individuals,
    request_for_sweep,
    traces_of,
    traces_of_arms,
)
from assay.execute.limits import Limits
from assay.execute.process import compilations
from assay.execute.scratch import scratch, sweep
from assay.execute.slot import Lane
from assay.execute.supervisor import Answer, Closed, Supervisor
from assay.execute.worker import Death, Hello, StartFailure

__all__ = [
    "Answer",
    "Closed",
    "Death",
    "Hello",
    "InternalWorkerError",
    "Lane",
    "Limits",
    "StartFailure",
    "Supervisor",
    "TargetLost",
    "compilations",
    "internal_error",
    "request_for",
    "request_for_all",
    "request_for_individuals",
    "request_for_sweep",
    "scratch",
    "sweep",
    "traces_of",
    "traces_of_arms",
]
