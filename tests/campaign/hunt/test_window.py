"""What is judged when: kin in order, and nothing else waits."""

from typing import Any

from assay.campaign.hunt.deaths import SKIPPED, Deaths, Died
from assay.campaign.hunt.kinship import kin_of
from assay.campaign.hunt.lane import Lane
from assay.campaign.hunt.records import Executed, Explained, Screened
from assay.campaign.hunt.window import Window
from assay.ir import Arm, Case, Failure, Graph, Input, Node, Trace, Trial, Uniform
from assay.judge import Observed

TORCH, JAX = "keras-torch", "keras-jax"
ELU, RELU = "keras.ops.elu", "keras.ops.relu"


def trial_of(index: int, op: str) -> Trial:
    node = Node("n", op, ("x",))
    case = Case(Graph((Input("x", (2, 3)),), (node,), ("n",)), {"x": Uniform(5)})
    return Trial(index, "test", (case,), (Arm(TORCH), Arm(JAX)))


def died(target: str) -> dict[str, Trace]:
    failure = Failure("forward", "SIGFPE", "it died", "n", signal="SIGFPE")
    return {target: Trace(target, "crash", failure=failure)}


class Asked:
    """A source of trials and a laboratory whose answers are given by hand."""

    def __init__(self, ops: list[str]) -> None:
        self._ops = ops
        self.answers: list[tuple[int, str, dict[str, Trace]]] = []
        self.asked: dict[int, tuple[str, ...]] = {}

    def may_ask(self, index: int) -> bool:
        return index < len(self._ops)

    def ask(self, index: int) -> Trial:
        return trial_of(index, self._ops[index])

    def learning(self, index: int) -> frozenset[str]:
        return frozenset()

    def hungry(self) -> bool:
        return False

    def targets_of(self, trial: Trial) -> frozenset[str]:
        return frozenset((TORCH, JAX)) if trial.index % 2 == 0 else frozenset((TORCH,))

    def start_trial(self, trial: Trial, without: frozenset[str]) -> tuple[str, ...]:
        self.asked[trial.index] = tuple(sorted(self.targets_of(trial) - without))
        return self.asked[trial.index]

    def finished_arms(self, seconds: float) -> list[tuple[int, str, dict[str, Trace]]]:
        answers, self.answers = self.answers, []
        return answers

    def observed(self, trial: Trial, traces: dict[str, Trace]) -> Observed:
        return Observed(trial, traces, lambda target, op: target, {})


def window_on(
    ops: list[str], deaths: list[Died] | None = None, quiet: frozenset[int] = frozenset()
) -> tuple[Window, Asked]:
    asked: Any = Asked(ops)
    known = Deaths(deaths if deaths is not None else [], {})
    window = Window(
        asked,
        asked,
        known,
        0,
        (),
        None,
        lambda target: None,
        lambda executed: executed.trial.index in quiet,
    )
    window.fill()
    return window, asked


def answer(window: Window, asked: Asked, index: int, *targets: str) -> list[int]:
    asked.answers = [(index, target, {target: Trace(target, "ok")}) for target in targets]
    window.collect()
    taken = []
    while (executed := window.take()) is not None:
        taken.append(executed.trial.index)
    return taken


def test_a_trial_that_takes_long_holds_its_kin_on_that_target_only() -> None:
    window, asked = window_on([ELU, ELU, ELU, RELU])
    assert answer(window, asked, 0, TORCH) == []
    assert answer(window, asked, 1, TORCH) == [1]  # kin, but not on the target that is missing
    assert answer(window, asked, 2, TORCH, JAX) == []  # kin, on that target
    assert answer(window, asked, 3, TORCH) == [3]
    assert answer(window, asked, 0, JAX) == [0, 2]


BOTH = "both"


class OfBoth(Asked):
    """Some trials have two ops."""

    def ask(self, index: int) -> Trial:
        if self._ops[index] != BOTH:
            return super().ask(index)
        nodes = (Node("n", ELU, ("x",)), Node("m", RELU, ("n",)))
        case = Case(Graph((Input("x", (2, 3)),), nodes, ("m",)), {"x": Uniform(5)})
        return Trial(index, "test", (case,), (Arm(TORCH), Arm(JAX)))

    def targets_of(self, trial: Trial) -> frozenset[str]:
        return frozenset((TORCH, JAX))


def held_behind(quiet: frozenset[int]) -> list[int]:
    """What is taken of an elu that hangs, a model of elu and relu behind it, and a relu."""
    asked: Any = OfBoth([ELU, BOTH, RELU])
    window = Window(
        asked,
        asked,
        Deaths([], {}),
        0,
        (),
        None,
        lambda target: None,
        lambda executed: executed.trial.index in quiet,
    )
    window.fill()
    taken = answer(window, asked, 1, TORCH, JAX) + answer(window, asked, 2, TORCH, JAX)
    assert (1 in window.under_way) == (1 not in taken)
    return taken + answer(window, asked, 0, TORCH, JAX)


def test_what_waits_and_shows_something_holds_its_own_kin() -> None:
    assert held_behind(frozenset()) == [0, 1, 2]


def test_what_waits_and_shows_nothing_holds_nobody() -> None:
    assert held_behind(frozenset((1,))) == [2, 0, 1]


def test_what_killed_a_target_is_left_out_there_for_a_while_whenever_it_was_known() -> None:
    late: list[Died] = []
    window, asked = window_on([ELU, ELU, RELU], late)
    assert asked.asked[1] == (TORCH,)  # before the death was known
    asked.answers = [(0, TORCH, died(TORCH)), (0, JAX, {JAX: Trace(JAX, "ok")})]
    asked.answers += [(1, TORCH, died(TORCH)), (2, TORCH, {TORCH: Trace(TORCH, "ok")})]
    asked.answers += [(2, JAX, {JAX: Trace(JAX, "ok")})]
    window.collect()
    first = window.take()
    assert first is not None
    assert set(first.observed.traces) == {TORCH, JAX}
    Deaths(late, {}).learn(first.trial, first.observed.traces)
    second, third = window.take(), window.take()
    assert second is not None
    assert second.observed.traces == {}  # asked or not, it does not count
    assert third is not None
    assert set(third.observed.traces) == {TORCH, JAX}
    assert [(item.index, item.ops, item.stage) for item in late] == [(0, (ELU,), "forward")]
    skipped: dict[str, int] = {}
    deaths = Deaths(late, skipped)
    both = (TORCH, JAX)
    assert deaths.without(trial_of(SKIPPED, ELU), both) == {TORCH}
    assert deaths.without(trial_of(SKIPPED + 1, ELU), both) == frozenset()
    assert deaths.without(trial_of(1, RELU), both) == frozenset()
    assert deaths.judged(trial_of(3, ELU), both).targets == (JAX,)
    assert skipped == {f"{ELU} (forward) on {TORCH}: SIGFPE": 1}


def test_words_of_several_libraries_for_one_thing_are_kin() -> None:
    assert kin_of(trial_of(0, "torch.nn.functional.elu")) & kin_of(trial_of(0, ELU))


def test_kin_are_explained_in_order_and_others_meanwhile() -> None:
    begun: list[int] = []

    def explain(screened: Screened) -> Explained:
        begun.append(screened.executed.trial.index)
        return Explained(screened)

    lane = Lane(explain, lambda: None)
    for index, op in ((1, ELU), (2, RELU), (3, ELU)):
        trial = trial_of(index, op)
        seen = Observed(trial, {}, lambda target, op: target, {})
        lane.add(Screened(Executed(trial, seen, kin_of(trial)), (), ()))
    lane.start({0: kin_of(trial_of(0, ELU))})  # trial 0 has no answer yet
    while not (done := lane.finished()):
        pass
    assert [item.screened.executed.trial.index for item in done] == begun == [2]
    lane.start({})
    while not lane.finished():
        pass
    assert begun == [2, 1]
    lane.start({})
    while not lane.finished():
        pass
    assert begun == [2, 1, 3]
    lane.close()
