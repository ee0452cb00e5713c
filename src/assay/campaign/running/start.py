"""Start targets, leave out those that cannot, refuse when too few remain."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from assay.campaign.events import Handler, TargetChanged
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.witnesses import Witnesses
from assay.errors import TargetError
from assay.execute import Hello, Limits, StartFailure, Supervisor
from assay.targets import REFERENCE, Target


def starting(targets: Sequence[Target]) -> Iterator[TargetChanged]:
    """The events that targets are about to start, which takes seconds."""
    for target in targets:
        yield TargetChanged(target.name, "starting")


@contextmanager
def started(
    targets: Sequence[Target],
    emit: Handler,
    witnesses: Sequence[Target] = (),
    limits: Limits | None = None,
    over: Callable[[], bool] | None = None,
    required: Sequence[str] = (),
) -> Iterator[tuple[Laboratory, dict[str, dict[str, str]]]]:
    """A laboratory with every target that could start, and their versions.

    ``TargetError`` if one of ``required`` cannot: whoever named it would be told nothing of it.
    ``witnesses`` start at the first explanation. Once ``over`` is true, whoever waits for a
    worker gets ``Closed``.
    """
    hellos: dict[str, Hello] = {}

    def changed(name: str, deaths: dict[str, int], message: str) -> None:
        if supervisor.available(name):  # else it is told when it is left out
            emit(TargetChanged(name, "ready" if name in hellos else "starting", deaths, message))

    with (
        Witnesses(witnesses, limits) as called,
        Supervisor(targets, limits, on_change=changed, over=over) as supervisor,
    ):
        told = supervisor.start()
        answers = {target.name: _effective(target, told[target.name]) for target in targets}
        hellos.update((n, hello) for n, hello in answers.items() if isinstance(hello, Hello))
        remaining = [target for target in targets if target.name in hellos]
        # First, so that a hunt that cannot be is told in one line.
        _enough(targets, remaining, answers)
        _all_of(required, targets, answers)
        for target in targets:
            answer = answers[target.name]
            if isinstance(answer, StartFailure):
                emit(TargetChanged(target.name, "left-out", message=cannot_start(target, answer)))
            else:
                emit(TargetChanged(target.name, "ready"))
        versions = {name: hello.versions for name, hello in hellos.items()}
        yield Laboratory(supervisor, remaining, hellos, called), versions


def _effective(target: Target, answer: Hello | StartFailure) -> Hello | StartFailure:
    """The answer of a target, unless it asks for kernels that its library does not have here."""
    if isinstance(answer, StartFailure) or not target.base:
        return answer
    used = answer.machine.settings.get("oneDNN", "not told")
    if used == "on":
        return answer
    return StartFailure(
        f"oneDNN is {used} though it is asked for, so that it would be {target.base} once more: "
        f"this build of {target.backend or target.library} has none for {answer.machine.processor}"
    )


def cannot_start(target: Target, failure: StartFailure) -> str:
    """One line: why a target did not start, and what to do."""
    hint = install_hint(target, failure)
    reason = failure.message.splitlines()[0] if failure.message else "it did not start"
    return f"{reason}. {hint}" if hint else reason


def install_hint(target: Target, failure: StartFailure) -> str:
    """What to install, if that is what is missing."""
    if failure.missing and target.extra and not target.python:
        return f"pip install assay-dl[{target.extra}]"
    if failure.missing:
        return f"install {failure.missing} in its interpreter"
    return ""


def _all_of(
    required: Sequence[str],
    targets: Sequence[Target],
    answers: dict[str, Hello | StartFailure],
) -> None:
    failed = _failed([t for t in targets if t.name in required], answers)
    if failed:
        raise TargetError(
            f"asked for, but cannot start: {'; '.join(failed)}. Leave it out of the targets, or "
            "repair it (assay doctor shows all)"
        )


def _failed(targets: Sequence[Target], answers: dict[str, Hello | StartFailure]) -> list[str]:
    return [
        f"{target.name}: {cannot_start(target, answer)}"
        for target in targets
        if isinstance(answer := answers[target.name], StartFailure)
    ]


def _enough(
    targets: Sequence[Target],
    remaining: Sequence[Target],
    answers: dict[str, Hello | StartFailure],
) -> None:
    """At least one target of the user's and two independent implementations, or an error."""
    wanted = [target for target in remaining if target.name != REFERENCE.name]
    if wanted and len({target.implementation for target in remaining}) >= 2:
        return
    failed = _failed(targets, answers)
    if failed:
        raise TargetError(
            f"too few targets can start. {'; '.join(failed)} (assay doctor shows all)"
        )
    raise TargetError(
        "a hunt needs at least one target besides the reference; "
        f"received {', '.join(target.name for target in targets)}. (assay doctor shows all)"
    )
