"""Does a target work here? Ask it to run a tiny model."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Literal

import msgspec

from assay.execute import Hello, StartFailure, Supervisor, TargetLost, request_for, traces_of
from assay.ir import Case, Dot, Graph, Input, Machine, Node, Uniform
from assay.libraries import SHARED, libraries, worded
from assay.targets import Target


class Report(msgspec.Struct, frozen=True):
    """What a probe found. ``capabilities`` were seen to work, not only claimed.

    ``machine`` is what the worker said of the CPU and the kernels in use.
    """

    name: str
    status: Literal["works", "missing", "broken"]
    library: str
    backend: str
    mode: str
    versions: dict[str, str]
    capabilities: tuple[str, ...]
    hint: str
    machine: Machine = Machine()


def _tiny_model(target: Target) -> Case:
    known = libraries().get(target.library)
    if known is not None and known.root != SHARED:
        function = Graph((Input("x", (2, 3)),), (Node("a", "keras.ops.tanh", ("x",)),), ("a",))
        call = Case(function, {"x": Uniform(1)}, loss=Dot((Uniform(2),)), stage="gradient")
        return worded(call, target.library)
    graph = Graph(
        inputs=(Input("x", (2, 5, 4, 3)),),
        nodes=(
            Node("a", "keras.layers.Conv2D", ("x",), {"filters": 2, "kernel_size": 3}),
            Node("b", "keras.layers.Flatten", ("a",)),
            Node("c", "keras.layers.Dense", ("b",), {"units": 3, "activation": "tanh"}),
        ),
        outputs=("c",),
    )
    return Case(graph, {"x": Uniform(1)}, loss=Dot((Uniform(2),)), stage="gradient")


def probe(
    targets: Sequence[Target], on_report: Callable[[Report], None] | None = None
) -> tuple[Report, ...]:
    """A report per target, in order; ``on_report`` gets each as soon as it is there.

    Targets of Assay's own interpreter whose library is not installed are not
    even started.
    """
    reports = {}

    def add(report: Report) -> None:
        reports[report.name] = report
        if on_report is not None:
            on_report(report)

    installed = []
    for target in targets:
        missing = missing_module(target)
        if missing:
            add(_report(target, "missing", hint=_install(target, missing)))
        else:
            installed.append(target)
    # Two at a time: a dozen imports at once would make each look slow.
    for start in range(0, len(installed), 2):
        with Supervisor(installed[start : start + 2], standbys=False) as supervisor:
            for name, answer in supervisor.start().items():
                target = next(item for item in installed if item.name == name)
                add(_probe_one(supervisor, target, answer))
    return tuple(reports[target.name] for target in targets)


def missing_module(target: Target) -> str:
    """The module that Assay's own interpreter lacks for a target, without importing it."""
    if target.python or "PYTHONPATH" in target.env or target.library == "reference":
        return ""
    return next((name for name in target.modules if find_spec(name) is None), "")


def _install(target: Target, missing: str) -> str:
    if target.extra:
        return f'pip install "assay-dl[{target.extra}]"'
    return f"install {missing} in the target's interpreter"


def _report(
    target: Target,
    status: Literal["works", "missing", "broken"],
    hello: Hello | None = None,
    capabilities: tuple[str, ...] = (),
    hint: str = "",
) -> Report:
    return Report(
        name=target.name,
        status=status,
        library=target.library,
        backend=target.backend,
        mode=target.mode,
        versions=hello.versions if hello else {},
        capabilities=capabilities,
        hint=hint,
        machine=hello.machine if hello else Machine(),
    )


def _probe_one(supervisor: Supervisor, target: Target, answer: Hello | StartFailure) -> Report:
    if isinstance(answer, StartFailure):
        if answer.missing:
            return _report(target, "missing", hint=_install(target, answer.missing))
        return _report(target, "broken", hint=answer.message.splitlines()[0])
    works: list[str] = []
    problem = ""
    for stage in ("forward", "gradient"):
        if stage not in answer.capabilities:
            continue
        try:
            request = request_for(_tiny_model(target), stage=stage)
            (trace,) = traces_of(target.name, supervisor.ask(target.name, request))
        except TargetLost as error:
            return _report(target, "broken", answer, hint=str(error))
        if trace.status == "ok":
            works.append(stage)
        elif trace.failure is not None:
            problem = f"{stage}: {trace.failure.exception}: {trace.failure.message}".splitlines()[0]
    if "model" in answer.capabilities:
        works.append("model")  # shown by a check, which says what is wrong with a model
    status: Literal["works", "broken"] = "works" if works and not problem else "broken"
    return _report(target, status, answer, tuple(works), problem)
