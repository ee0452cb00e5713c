"""Asked and executed: trials under way side by side, handed on in the order of their indices."""

from collections.abc import Callable

from assay.campaign.hunt.records import Executed
from assay.campaign.hunt.techniques import Turns
from assay.campaign.running.laboratory import Laboratory
from assay.execute import InternalWorkerError
from assay.ir import Trace, Trial

#: Trials under way at once: enough to keep targets busy while a slow one compiles or a
#: finding is explained.
SIZE = 64
_POLL_SECONDS = 0.2


class _Waiting:
    """A trial under way: the traces that came, and how many answers are still to come."""

    def __init__(self, trial: Trial, answers: int) -> None:
        self.trial = trial
        self.answers = answers
        self.traces: dict[str, Trace] = {}
        self.fault: InternalWorkerError | None = None


class Window:
    """The trials from ``first`` on, ``cases`` of them if there is such a limit.

    ``lost`` is told of a target that can no longer be started.
    """

    def __init__(
        self,
        turns: Turns,
        laboratory: Laboratory,
        first: int,
        cases: int | None,
        lost: Callable[[str], None],
    ) -> None:
        self._turns = turns
        self._laboratory = laboratory
        self._next = self._asked = first
        self._cases = cases
        self._lost = lost
        self._waiting: dict[int, _Waiting] = {}

    def fill(self) -> bool:
        """Ask for as much as there is room for; False if nothing is under way then."""
        while (
            len(self._waiting) < SIZE
            and (self._cases is None or self._asked < self._cases)
            and self._turns.may_ask(self._asked)
        ):
            trial = self._turns.ask(self._asked)
            self._waiting[self._asked] = _Waiting(trial, self._laboratory.start_trial(trial))
            self._asked += 1
        return bool(self._waiting)

    def collect(self) -> None:
        """Wait a moment for answers."""
        for index, target, answer in self._laboratory.finished_arms(_POLL_SECONDS):
            if index not in self._waiting:
                continue
            waiting = self._waiting[index]
            waiting.answers -= 1
            if answer is None:
                self._lost(target)
            elif isinstance(answer, InternalWorkerError):
                waiting.fault = answer
            else:
                waiting.traces.update(answer)

    def take(self) -> Executed | None:
        """The trial with the next index, if all of its answers came."""
        waiting = self._waiting.get(self._next)
        if waiting is None or waiting.answers:
            return None
        del self._waiting[self._next]
        self._next += 1
        trial, traces = waiting.trial, waiting.traces
        # In the order of the arms, not of arrival: two runs must judge alike.
        ordered = {arm.name: traces[arm.name] for arm in trial.arms if arm.name in traces}
        return Executed(trial, self._laboratory.observed(trial, ordered), waiting.fault)
