"""How many of the draws that hunts make of a catalogue are valid, on draws of their own seeds."""

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec
import numpy as np

from assay.campaign.catalogues.building import PREPARED
from assay.catalogue.drawing import drawn
from assay.catalogue.records import Entry, Snapshot
from assay.execute import Answer, Limits, Supervisor, request_for, traces_of
from assay.ir import Trace, derive
from assay.targets import Target

_LIMITS = Limits(run_seconds=30.0, memory_bytes=3 << 30)
#: Workers at a time, and requests that wait for them.
_WORKERS = 2
_WAITING = 8


def measured(
    snapshot: Snapshot,
    target: Target,
    draws: int,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Snapshot:
    """The catalogue with the share of valid draws as it is found now, of each API.

    ``on_progress`` hears of draws done and all draws.
    """
    valid: Counter[str] = Counter()
    done, total = 0, draws * len(snapshot.usable)
    questions = _questions(snapshot, draws)
    # They compile as those of a build do, which keep what they compiled.
    env = {**target.env, **PREPARED}
    workers = [
        msgspec.structs.replace(target, name=f"{target.name} {number}", env=env)
        for number in range(_WORKERS)
    ]
    with Supervisor(workers, _LIMITS) as supervisor:
        supervisor.start()
        waiting = 0
        unknown = set[tuple[str, int]]()  # draws that NaN goes into
        while True:
            while waiting < _WAITING and (question := next(questions, None)) is not None:
                entry, number, worker = question
                call = entry.calls[number % len(entry.calls)]
                made = drawn(entry, call, derive(number, "measured", entry.api))
                if (entry.api, "special", "nan") in made.classes:
                    unknown.add((entry.api, number))
                request = request_for(made.case, "forward")
                supervisor.submit((entry.api, number), workers[worker].name, request)
                waiting += 1
            if not waiting:
                break
            for key, answer in supervisor.completed(1.0):
                assert isinstance(key, tuple)
                waiting -= 1
                done += 1
                valid[key[0]] += _is_valid(target.name, answer, key in unknown)
                on_progress(done, total)
    return msgspec.structs.replace(
        snapshot,
        entries=tuple(_with_share(entry, valid[entry.api] / draws) for entry in snapshot.entries),
    )


def _questions(snapshot: Snapshot, draws: int) -> Iterator[tuple[Entry, int, int]]:
    """Entries, numbers of draws, and workers: one for each API, which compiles things once."""
    for start in range(0, len(snapshot.usable), _WORKERS):
        for number in range(draws):
            for worker, entry in enumerate(snapshot.usable[start : start + _WORKERS]):
                yield entry, number, worker


def _with_share(entry: Entry, share: float) -> Entry:
    calls = tuple(msgspec.structs.replace(call, valid=share) for call in entry.calls)
    return msgspec.structs.replace(entry, calls=calls)


def _is_valid(target: str, answer: Answer, unknown: bool) -> bool:
    """Did it run, and is its output neither empty nor all NaN, unless NaN went in?"""
    traces = traces_of(target, answer)  # none of what the library does not have
    return all(trace.status == "ok" and _tells(trace, unknown) for trace in traces) and bool(traces)


def _tells(trace: Trace, unknown: bool) -> bool:
    return any(
        array.size > 0
        and (unknown or not (array.dtype.kind in "fc" and bool(np.all(array != array))))
        for array in trace.arrays.values()
    )
