"""What it costs to compare the two programs of a pair on 400 inputs, beside a bare loop."""

import json
import subprocess
import sys
import time
from pathlib import Path

import msgspec
from workers import active_pid, cpu_of, run_cases

from assay.catalogue.chosen import Chosen
from assay.catalogue.records import Call, Entry, Snapshot, Tensor
from assay.execute import Supervisor, request_for_sweep, traces_of_arms
from assay.execute.process import environment_of
from assay.ir import Trial
from assay.judge import Observed, oracle
from assay.sources.rewrite import Rewrite
from assay.targets import Target, builtin_targets

INPUTS = 400
ROUNDS = 3


def _call(*tensors: str, **arguments: object) -> Call:
    """Of tensors of two axes, whose sizes and dtypes change from trial to trial."""
    given = {str(place): {"$tensor": name} for place, name in enumerate(tensors)}
    return Call(
        arguments={**given, **arguments},
        inputs=tuple(Tensor(name, ("n", "m"), "float32", free=True) for name in tensors),
        sizes={"n": (5, 1, 9, 16), "m": (7, 3, 32)},
        dtypes=("float32", "float64"),
        special=("zero", "positive_infinity"),
    )


#: APIs that EAGLE names, and one that computes more.
APIS = {
    "torch": {
        "torch.remainder": _call("x", "y"),
        "torch.nn.functional.cosine_similarity": _call("x", "y"),
        "torch.softmax": _call("x", dim=-1),
    },
    "tensorflow": {
        "tf.math.xdivy": _call("x", "y"),
        "tf.math.floordiv": _call("x", "y"),
        "tf.nn.softmax": _call("x", axis=-1),
    },
}


def pair_costs(library: str) -> tuple[float, float]:
    """CPU seconds of one pair, eager and compiled, of host and worker; as a share of a bare loop.

    The mean of some pairs; libraries are warm in both. The bare loop draws as many inputs of the
    same sizes and dtypes, runs both programs, and asks ``numpy.allclose``.
    """
    entries = tuple(Entry(api, calls=(call,)) for api, call in APIS[library].items())
    snapshot = Snapshot(library, "", entries)
    chosen = Chosen({library: library}, {library: snapshot}, ("jit",), inputs=INPUTS)
    target = builtin_targets()[library]
    spent, ratios = [], []
    with Supervisor([target], standbys=False) as supervisor:
        supervisor.start()
        pid = active_pid(supervisor, library)
        for round_ in range(ROUNDS + 1):
            before = time.process_time() + cpu_of(pid)
            source = Rewrite(round_, (library,), {}, chosen)
            trials = [source.ask(index) for index in range(source.enough)]
            requests = [request_for_sweep(trial.case, trial.rule, trial.draws) for trial in trials]
            for trial, answer in zip(trials, run_cases(supervisor, library, requests), strict=True):
                _judge(trial, answer)
            seconds = time.process_time() + cpu_of(pid) - before
            if not round_:
                continue  # what a library loads at its first use
            spent.append(seconds / len(entries))
            ratios.append(_bare(library, target, trials) / seconds)
    middle = len(spent) // 2
    return sorted(spent)[middle], sorted(ratios)[middle]


def _judge(trial: Trial, answer: object) -> None:
    traces = traces_of_arms(trial.arms[0], answer)
    drawn = trial.drawn(max(trace.draw for trace in traces.values()))
    votes = builtin_targets()[trial.arms[0].target].votes_as
    oracle("rewrite").judge(Observed(drawn, traces, lambda target, op: votes(op)))


def _bare(library: str, target: Target, trials: list[Trial]) -> float:
    cases = [
        [
            trial.case.graph.nodes[0].op,
            [[list(item.shape), item.dtype] for item in trial.case.graph.inputs],
            {k: v for k, v in trial.case.graph.nodes[0].arguments.items() if not k.isdigit()},
            trial.draws,
        ]
        for trial in trials
    ]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("bare_rewrite.py")), library],
        input=json.dumps(msgspec.to_builtins(cases)),
        capture_output=True,
        text=True,
        check=True,
        env=environment_of(target),
    )
    return float(done.stdout.split()[-1])
