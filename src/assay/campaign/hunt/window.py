"""Asked and executed: trials under way side by side, handed on once all of their answers came.

Kin (see ``kinship``) are handed on in the order of their indices; nothing else waits for a trial
that takes long. What waits for it, and shows nothing, holds nobody in its turn: nothing would be
learnt from it.
"""

from collections import Counter
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
#: Trials under way while one target keeps many waiting and all others have nothing to do, or
#: many wait for their kin.
_MOST = 512
#: Trials asked for at a time: to draw a model takes a while, and meanwhile nothing is judged.
_AT_ONCE = 8
_POLL_SECONDS = 0.2


class _Waiting:
    """A trial under way: the traces that came, and from whom answers are still to come.

    ``targets`` are those that it runs on, unless they are left out for a death; ``learning``
    those of its kin that it holds whatever it shows.
    """

    def __init__(
        self,
        trial: Trial,
        learning: frozenset[str],
        targets: frozenset[str],
        asked: Iterable[str],
    ) -> None:
        self.trial = trial
        self.learning = learning
        self.kin = kin_of(trial) | learning
        self.holds, self.heard = self.kin, False
        self.targets = targets
        self.missing = Counter(asked)
        self.traces: dict[str, Trace] = {}
        self.fault: InternalWorkerError | None = None


class Window:
    """First the trials of a resumed campaign that are still ``open``, then those from ``first`` on.

    ``cases``: no index from there on, if there is such a limit. ``lost`` is told of a target
    that can no longer be started. ``quiet`` says that no oracle objects to what a trial shows.
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
        quiet: Callable[[Executed], bool],
    ) -> None:
        self._turns = turns
        self._laboratory = laboratory
        self._deaths = deaths
        self._again = sorted(open_trials)
        self._asked = first
        self._cases = cases
        self._lost = lost
        self._quiet = quiet
        self._waiting: dict[int, _Waiting] = {}

    def fill(self) -> None:
        """Ask for more, if there is room."""
        unanswered = sum(bool(item.missing) for item in self._waiting.values())
        room = _MOST - len(self._waiting)
        if not self._laboratory.hungry():
            room = min(room, SIZE - unanswered)
        for _ in range(min(_AT_ONCE, room)):
            index = self._next()
            if index is None:
                return
            trial = self._turns.ask(index)
            targets = self._laboratory.targets_of(trial)
            left_out = self._deaths.without(trial, targets)
            asked = self._laboratory.start_trial(trial, left_out)
            self._waiting[index] = _Waiting(trial, self._turns.learning(index), targets, asked)
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
        """The trials that were asked for and not taken, with what makes others wait for them."""
        return {index: item.holds for index, item in self._waiting.items()}

    def unanswered(self) -> list[tuple[str, ...]]:
        """Of each trial under way, the targets that have not answered."""
        return [tuple(item.missing) for item in self._waiting.values()]

    def collect(self, patience: float = _POLL_SECONDS) -> None:
        """Wait a moment for answers."""
        for index, target, answer in self._laboratory.finished_arms(patience):
            if index not in self._waiting:
                continue
            waiting = self._waiting[index]
            waiting.missing -= Counter((target,))
            if answer is None:
                self._lost(target)
            elif isinstance(answer, InternalWorkerError):
                waiting.fault = answer
            else:
                waiting.traces.update(answer)

    def take(self) -> Executed | None:
        """A trial of which all answers came, and of its kin with a lower index on its targets.

        What a target dies of in a trial has an effect on later kin on that target only.
        """
        open_targets: dict[str, set[str]] = {}
        for index in sorted(self._waiting):
            waiting = self._waiting[index]
            held = set(waiting.missing)
            for name in waiting.kin:
                held |= open_targets.get(name, set()) & waiting.targets
            if not held:
                del self._waiting[index]
                return self._executed(waiting, self._deaths.judged(waiting.trial, waiting.targets))
            if not (waiting.missing or waiting.heard):
                waiting.heard = True
                if self._quiet(self._executed(waiting, waiting.trial)):
                    waiting.holds = waiting.learning
            for name in waiting.holds:
                open_targets.setdefault(name, set()).update(held)
        return None

    def _executed(self, waiting: _Waiting, trial: Trial) -> Executed:
        # In the order of the arms, not of arrival: two runs must judge alike.
        traces = waiting.traces
        if trial.draws > 1:
            trial = trial.drawn(max((item.draw for item in traces.values()), default=0))
        ordered = {arm.name: traces[arm.name] for arm in trial.arms if arm.name in traces}
        return Executed(
            trial, self._laboratory.observed(trial, ordered), waiting.kin, waiting.fault
        )
