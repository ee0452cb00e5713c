"""Workers of the self-test library: real processes that really misbehave."""

from collections.abc import Callable, Iterator

import pytest

from assay.execute import Limits, Supervisor
from assay.ir import Case, Graph, Input, Node, Uniform
from assay.targets import Target

QUICK = Limits(start_seconds=60, run_seconds=3, memory_bytes=512 << 20)


def case_of(op: str, params: dict[str, object] | None = None) -> Case:
    """One node of an op on a small input."""
    node = Node("n", op, ("x",), params or {})
    return Case(Graph((Input("x", (2, 3)),), (node,), ("n",)), {"x": Uniform(5)})


@pytest.fixture
def supervise() -> Iterator[Callable[..., Supervisor]]:
    """Start supervisors that are closed at the end of the test."""
    opened: list[Supervisor] = []

    def start(*targets: Target, limits: Limits = QUICK, standbys: bool = True) -> Supervisor:
        chosen = targets or (Target("selftest", "selftest"),)
        supervisor = Supervisor(chosen, limits, standbys=standbys)
        opened.append(supervisor)
        supervisor.answers = supervisor.start()  # type: ignore[attr-defined]
        return supervisor

    yield start
    for supervisor in opened:
        supervisor.close()
