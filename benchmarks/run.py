"""``make bench``: what Assay costs beside the libraries it calls.

Ratios of CPU time within one run, so that they hold on any machine and under
any load. Prints a table; exits 1 if a figure misses its goal.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import numpy as np
from exhaustive import exhaustive_cost
from models import ten_node_case
from precision_cost import precision_rates
from rewrite_cost import INPUTS, pair_costs
from rich.console import Console
from rich.table import Table
from workers import active_pid, cpu_of, run_cases

from assay.campaign.running.laboratory import COMPILED_MODELS
from assay.execute import Hello, Supervisor, request_for, traces_of
from assay.execute.process import environment_of
from assay.ir import Arm, Case, Trace, Trial
from assay.judge import ORACLES, Observed
from assay.sources import create
from assay.targets import REFERENCE, builtin_targets

CASES = 200
ROUNDS = 5
#: Models drawn, of which those of about twelve layers are run: some forty, so that what a library
#: loads at its first use does not decide.
MODELS = 400


class Figure(msgspec.Struct, frozen=True):
    """A measured figure and its goal."""

    name: str
    value: float
    goal: float
    unit: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Is the goal met?"""
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def harness_efficiency(backend: str, goal: float) -> Figure:
    """CPU of a bare loop / CPU of Assay (host and worker) for the same cases."""
    name = f"keras-{backend}"
    target = builtin_targets()[name]
    cases = [ten_node_case(seed) for seed in range(CASES)]
    plain = json.dumps([msgspec.to_builtins(case) for case in cases])
    with Supervisor([target], standbys=False) as supervisor:
        supervisor.start()
        run_cases(supervisor, name, [request_for(case) for case in cases[:20]])
        pid = active_pid(supervisor, name)
        ratios = []
        # In turn, and the median: the speed of a shared machine drifts.
        for _ in range(ROUNDS):
            bare = subprocess.run(
                [sys.executable, str(Path(__file__).with_name("bare.py")), backend],
                input=plain,
                capture_output=True,
                text=True,
                check=True,
                env=environment_of(target),
            )
            before = time.process_time() + cpu_of(pid)
            answers = run_cases(supervisor, name, [request_for(case) for case in cases])
            for answer in answers:
                (trace,) = traces_of(name, answer)
                assert trace.status == "ok", trace.failure
            spent = time.process_time() + cpu_of(pid) - before
            ratios.append(float(bare.stdout.split()[-1]) / spent)
    return Figure(f"harness efficiency, {name}", median(ratios), goal, at_least=True)


def round_trip() -> Figure:
    """A 1 MB array to a worker and back."""
    array = np.random.RandomState(0).random_sample(1 << 17)
    with Supervisor([builtin_targets()["keras-torch"]], standbys=False) as supervisor:
        supervisor.start()
        times = []
        for _ in range(200):
            started = time.perf_counter()
            supervisor.ask("keras-torch", {"do": "echo", "payload": array})
            times.append(time.perf_counter() - started)
    return Figure("1 MB round trip, median", 1000 * median(times), 1.0, "ms")


def generation() -> Figure:
    """Host CPU to generate one single-op case."""
    source = create("single-op", 1, ("keras-tensorflow", "keras-jax", "keras-torch", "reference"))
    started = time.process_time()
    for index in range(2000):
        source.ask(index)
    return Figure(
        "generation of a single-op case", (time.process_time() - started) / 2, 1.0, "ms CPU"
    )


def reference_cost() -> Figure:
    """CPU of the float64 reference / CPU of keras-torch for one op: the median op's forward."""
    names = ("reference", "keras-torch")
    source = create("single-op", 1, names)
    cases: dict[str, Case] = {}
    for index in range(4000):
        trial = source.ask(index)
        nodes = trial.case.graph.nodes
        if trial.intent == "valid" and len(nodes) == 1:
            cases.setdefault(nodes[0].op, trial.case)
    requests = [request_for(case, stage="forward") for case in cases.values()]
    least: dict[str, list[float]] = {}
    with Supervisor([builtin_targets()[name] for name in names], standbys=False) as supervisor:
        supervisor.start()
        for name in names:
            # The first run of an op warms it up.
            rounds = [
                [
                    trace.cpu_seconds if trace.status == "ok" else float("nan")
                    for answer in run_cases(supervisor, name, requests)
                    for trace in traces_of(name, answer)
                ]
                for _ in range(ROUNDS)
            ]
            least[name] = [min(times) for times in zip(*rounds[1:], strict=True)]
    ratios = np.array(least["reference"]) / np.array(least["keras-torch"])
    ratios = ratios[np.isfinite(ratios)]
    name = f"reference / keras-torch, median of {len(ratios)} ops"
    return Figure(name, float(np.median(ratios)), 2.0, "of the CPU")


def judging() -> Figure:
    """Host CPU to generate and judge a ten-node case on two targets."""
    names = ("keras-torch", "keras-tensorflow")
    targets = builtin_targets()
    with Supervisor([targets[name] for name in names], standbys=False) as supervisor:
        supervisor.start()
        traces = {name: [] for name in names}
        for name in names:
            requests = [request_for(ten_node_case(seed)) for seed in range(50)]
            for answer in run_cases(supervisor, name, requests):
                traces[name] += traces_of(name, answer)
    started = time.process_time()
    for seed in range(50):
        case = ten_node_case(seed)
        trial = Trial(seed, "bench", (case,), tuple(Arm(name) for name in names))
        seen = {name: traces[name][seed] for name in names}
        observed = Observed(trial, seen, lambda target, op: targets[target].votes_as(op))
        for oracle in ORACLES:
            assert not oracle.judge(observed), "the bench's cases agree everywhere"
    spent = (time.process_time() - started) / 50
    return Figure("generation + judging, ten nodes", 1000 * spent, 5.0, "ms CPU")


def training_steps() -> list[Figure]:
    """CPU of one model of a dozen layers: generated, run with all stages, and judged.

    keras-jax takes its share of models: one in ``COMPILED_MODELS``, compiling included.
    """
    names = ("keras-tensorflow", "keras-torch", "reference")
    known = {**builtin_targets(), REFERENCE.name: REFERENCE}
    source = create("synthesize", 1, names)
    started = time.process_time()
    drawn = [source.ask(index) for index in range(MODELS)]
    generate = (time.process_time() - started) / len(drawn)
    trials = [trial for trial in drawn if 10 <= len(trial.case.graph.nodes) <= 14]
    with Supervisor([known[name] for name in (*names, "keras-jax")], standbys=False) as supervisor:
        supervisor.start()
        traces: dict[str, list[Trace]] = {}
        for name in (*names, "keras-jax"):
            asked = trials if name != "keras-jax" else trials[:: len(trials) // 8 or 1]
            stage = "forward" if name == REFERENCE.name else ""
            requests = [request_for(trial.case, stage=stage) for trial in asked]
            answers = run_cases(supervisor, name, requests)
            traces[name] = [trace for answer in answers for trace in traces_of(name, answer)]
    started = time.process_time()
    for place, trial in enumerate(trials):
        seen = {name: traces[name][place] for name in names}
        observed = Observed(trial, seen, lambda target, op: known[target].votes_as(op))
        for oracle in ORACLES:
            oracle.judge(observed)
    judge = (time.process_time() - started) / len(trials)
    cost = {name: np.mean([t.cpu_seconds for t in traces[name]]) for name in traces}
    eager = generate + judge + sum(cost[name] for name in names)
    shared = eager + cost["keras-jax"] / COMPILED_MODELS
    what = "generate + execute + judge, 12-layer model"
    return [
        Figure(what, float(eager), 0.5, "s CPU"),
        Figure("… with keras-jax on its share", float(shared), 1.0, "s CPU"),
    ]


def rewriting(library: str, program: str, goal: float) -> list[Figure]:
    """CPU of one pair of programs on many inputs, and of a bare loop over the same calls."""
    seconds, share = pair_costs(library)
    return [
        Figure(f"{library}, {program}: a pair on {INPUTS} inputs", seconds, goal, "s CPU"),
        Figure("… a bare loop over the same calls, of it", share, 0.5, at_least=True),
    ]


def every_number() -> list[Figure]:
    """CPU of tanh on PyTorch at all float32 numbers, by some blocks, beside a bare loop."""
    cost = exhaustive_cost()
    return [
        Figure("float32 tanh exhaustively / a bare loop", cost.ratio, 2.0, "of the CPU"),
        Figure("… all numbers", cost.minutes, 8.0, "min CPU"),
        Figure("… memory of the worker", cost.megabytes, 1024.0, "MB"),
    ]


#: Inputs per CPU second that Predoo's own code did on such a machine, at its shapes, where known.
PREDOO = {"sigmoid": 260.0, "conv2d": 79.0}


def searching(backend: str) -> list[Figure]:
    """Inputs per CPU second of Predoo's operators, search and truth included."""
    found = []
    for name, (rate, share) in precision_rates(backend).items():
        goal = 50 * PREDOO.get(name, 0.0)
        what = f"precision of {name}, {backend}"
        found.append(Figure(what, rate, goal, "inputs/CPU s", at_least=True))
        found.append(Figure("… of a bare loop over single inputs", share, 0.5, at_least=True))
    return found


def takeover(kills: int = 20) -> list[Figure]:
    """After the death of a worker in mid-case: the next case's answer, and its hand-over."""
    name = "keras-torch"
    whole, handed_over = [], []
    with Supervisor([builtin_targets()[name]]) as supervisor:
        assert isinstance(supervisor.start()[name], Hello)
        clock = _Clock(supervisor)
        for _ in range(kills):
            while not ((seat := supervisor._slots[name].seat("standby")) and seat.idle):
                supervisor._pump(0.25)
            loads = [
                subprocess.Popen([sys.executable, "-c", "while True: pass"])
                for _ in range(os.cpu_count() or 1)
            ]
            time.sleep(0.3)
            supervisor.submit("dies", name, request_for(ten_node_case(1)))
            supervisor.submit("next", name, {"do": "echo", "payload": 1})
            killed = time.perf_counter()
            os.kill(active_pid(supervisor, name), signal.SIGSEGV)
            answered: set[object] = set()
            while "next" not in answered:
                answered |= {key for key, _ in supervisor.completed(10)}
            whole.append(time.perf_counter() - killed)
            handed_over.append(clock.sent - clock.died)
            for load in loads:
                load.kill()
                load.wait()
    return [
        Figure(
            "takeover after SIGSEGV, 95th percentile", 1000 * np.percentile(whole, 95), 150, "ms"
        ),
        Figure("… of it after the pipe's end", 1000 * np.percentile(handed_over, 95), 20, "ms"),
    ]


class _Clock:
    """When a worker's death was read, and when the next case was in the standby's pipe."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.died = self.sent = arrival = 0.0
        arrived, died, send = supervisor._arrived, supervisor._died, supervisor._send

        def timed_arrived(*arguments: Any) -> None:
            nonlocal arrival
            arrival = time.perf_counter()
            arrived(*arguments)

        def timed_died(*arguments: Any) -> None:
            self.died = arrival
            died(*arguments)

        def timed_send(*arguments: Any) -> None:
            send(*arguments)
            if self.died > self.sent:
                self.sent = time.perf_counter()

        supervisor._arrived = timed_arrived  # type: ignore[method-assign]
        supervisor._died = timed_died  # type: ignore[method-assign]
        supervisor._send = timed_send  # type: ignore[method-assign]


def main() -> int:
    """Measure everything, print the table."""
    measures: list[Callable[[], Figure | list[Figure]]] = [
        lambda: harness_efficiency("torch", 0.6),
        lambda: harness_efficiency("tensorflow", 0.8),
        round_trip,
        generation,
        reference_cost,
        judging,
        training_steps,
        lambda: rewriting("torch", "jit.trace", 3.0),
        lambda: rewriting("tensorflow", "tf.function", 4.0),
        every_number,
        lambda: searching("torch"),
        takeover,
    ]
    table = Table("figure", "measured", "goal", "", box=None)
    figures: list[Figure] = []
    for measure in measures:
        result = measure()
        figures += result if isinstance(result, list) else [result]
        print(f"{figures[-1].name}: {figures[-1].value:.3g} {figures[-1].unit}", file=sys.stderr)
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        table.add_row(
            figure.name,
            f"{figure.value:.3g} {figure.unit}",
            f"{sign} {figure.goal:g} {figure.unit}",
            "met" if figure.met else "MISSED",
        )
    Console().print(table)
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
