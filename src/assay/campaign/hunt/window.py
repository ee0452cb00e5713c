"""Asked and executed: trials under way side by side, handed on once all of their answers came.

Kin (see ``kinship``) are handed on in the order of their indices; nothing else waits for a trial
that takes long.
"""

import time
from collections.abc import Callable, Iterable

from assay.campaign.hunt.deaths import Deaths
from assay.campaign.hunt.kinship import kin_of
from assay.campaign.hunt.records import Executed
from assay.campaign.hunt.techniques import Turns
from assay.campaign.running.laboratory import Laboratory
from assay.execute import InternalWorkerError
from assay.ir import Trace, Trial

#: Trials under way at once: enough to keep targets busy while a slow one compiles or a
#: finding is explained.
SIZE = 64
#: A trial that is under way for longer makes room for another one.
_OVERDUE_SECONDS = 3.0
#: Trials under way, overdue ones included.
_MOST = 256
_POLL_SECONDS = 0.2


class _Waiting:
    """A trial under way: the traces that came, and how many answers are still to come."""

    def __init__(self, trial: Trial, kin: frozenset[str], answers: int) -> None:
        self.trial = trial
        self.kin = kin
        self.answers = answers
        self.asked = time.monotonic()
        self.traces: dict[str, Trace] = {}
        self.fault: InternalWorkerError | None = None


class Window:
    """First the trials of a resumed campaign that are still ``open``, then those from ``first`` on.

    ``cases``: no index from there on, if there is such a limit. ``lost`` is told of a target
    that can no longer be started.
    """

    def __init__(
        self,
        turns: Turns,
        laboratory: Laboratory,
        deaths: Deaths,
        first: int,
        open_trials: Iterable[int],
        cases: int | None,
        lost: Callable[[str], None],
    ) -> None:
        self._turns = turns
        self._laboratory = laboratory
        self._deaths = deaths
        self._again = sorted(open_trials)
        self._asked = first
        self._cases = cases
        self._lost = lost
        self._waiting: dict[int, _Waiting] = {}

    def fill(self) -> None:
        """Ask for as much as there is room for."""
        now = time.monotonic()
        recent = sum(now - item.asked < _OVERDUE_SECONDS for item in self._waiting.values())
        while recent < SIZE and len(self._waiting) < _MOST and (index := self._next()) is not None:
            trial = self._turns.ask(index)
            kin = kin_of(trial) | self._turns.learning(index)
            answers = self._laboratory.start_trial(trial, self._deaths.without(trial))
            self._waiting[index] = _Waiting(trial, kin, answers)
            recent += 1
            if self._again:
                self._again.pop(0)
            else:
                self._asked += 1

    def _next(self) -> int | None:
        """The index to ask for; None if there is none, or none yet."""
        index = self._again[0] if self._again else self._asked
        if not self._again and self._cases is not None and index >= self._cases:
            return None
        return index if self._turns.may_ask(index) else None

    @property
    def under_way(self) -> dict[int, frozenset[str]]:
        """The trials that were asked for and not taken, with what makes others their kin."""
        return {index: item.kin for index, item in self._waiting.items()}

    @property
    def unasked(self) -> tuple[int, ...]:
        """The open trials that were not asked for again yet."""
        return tuple(self._again)

    def collect(self, patience: float = _POLL_SECONDS) -> None:
        """Wait a moment for answers."""
        for index, target, answer in self._laboratory.finished_arms(patience):
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
        """A trial of which all answers came, and of all its kin with a lower index."""
        held: set[str] = set()
        for index in sorted(self._waiting):
            waiting = self._waiting[index]
            if not waiting.answers and held.isdisjoint(waiting.kin):
                del self._waiting[index]
                return self._executed(waiting)
            held |= waiting.kin
        return None

    def _executed(self, waiting: _Waiting) -> Executed:
        trial = self._deaths.judged(waiting.trial, waiting.traces)
        # In the order of the arms, not of arrival: two runs must judge alike.
        traces = waiting.traces
        ordered = {arm.name: traces[arm.name] for arm in trial.arms if arm.name in traces}
        return Executed(
            trial, self._laboratory.observed(trial, ordered), waiting.kin, waiting.fault
        )
