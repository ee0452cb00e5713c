"""Build a catalogue: ask workers what a library has, a few places at a time, and keep it all.

Places of one kind are looked at before those of the next, which leave out the APIs that have
calls by then: what is found depends on the installed library alone, not on which worker was first.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import groupby

import msgspec

from assay import __version__
from assay.campaign.catalogues.asking import Asker, told_by
from assay.catalogue import storing
from assay.catalogue.partial import Begun, Looked, Partial
from assay.catalogue.records import Call, Entry, Form, Snapshot
from assay.errors import TargetError
from assay.execute import Hello, Limits, Supervisor
from assay.ir import content_hash
from assay.targets import Target
from assay.targets.environments.locking import locked
from assay_worker import HARVEST

#: Set for workers, so that the process they are forks of has imported what all need.
PREPARED = {HARVEST: "1"}
#: Workers at a time, and places that one looks at before the next is born.
_WORKERS = 2
_BATCH = 12
#: Calls of an API.
MOST_CALLS = 4
#: A worker ends itself when an API takes too long; this is for one that cannot.
_SECONDS = 3600.0
_LIMITS = Limits(memory_bytes=3 << 30)
_GUESS = "guess"


class BuildProgress(msgspec.Struct, frozen=True):
    """How far a build is: places of a kind that were looked at, and what there is so far."""

    step: str
    done: int
    total: int
    apis: int
    calls: int
    crashes: int


OnProgress = Callable[[BuildProgress], None]


class _Listed(msgspec.Struct, frozen=True):
    """What a harvest says that there is."""

    names: tuple[str, ...]
    sources: tuple[str, ...]
    undefined: dict[str, str]


def build(
    target: Target,
    version: str,
    on_progress: OnProgress = lambda progress: None,
    on_wait: Callable[[], None] = lambda: None,
    fresh: bool = False,
) -> Snapshot:
    """The catalogue of a target's library, made now, and kept.

    Goes on with what a build that was killed has left, unless ``fresh``. ``on_wait`` is called
    if another process is making it.
    """
    path = storing.path_of(target.library, version)
    with locked(path.with_suffix(".lock"), on_wait):
        if not fresh:
            made = storing.load(target.library, version)
            if made is not None:
                return made
        found = _Build(target, version, on_progress).run(fresh)
        storing.save(found)
        path.with_suffix(".partial").unlink(missing_ok=True)
    return found


class _Build:
    def __init__(self, target: Target, version: str, on_progress: OnProgress) -> None:
        self._target = msgspec.structs.replace(target, mode="eager", env={**target.env, **PREPARED})
        self._version = version
        self._on_progress = on_progress

    def run(self, fresh: bool) -> Snapshot:
        """All of it, one kind of place after the other."""
        with Supervisor([self._target], _LIMITS) as supervisor:
            started = supervisor.start()[self._target.name]
            if not isinstance(started, Hello):
                raise TargetError(
                    f"{self._target.name}: {started.message}. (assay doctor shows all)"
                )
            listed = self._listed(supervisor)
            path = storing.path_of(self._target.library, self._version).with_suffix(".partial")
            if fresh:
                path.unlink(missing_ok=True)
            contents = content_hash(
                [listed.names, listed.sources, sorted(listed.undefined.items())]
            )
            begun = Begun(self._target.library, self._version, __version__, contents)
            with Partial(path, begun) as partial:
                for kind, keys in groupby(listed.sources, lambda source: source.partition(":")[0]):
                    self._look(supervisor, partial, "probe", kind, listed.names, tuple(keys))
                probed = [item for item in partial.found.values() if item.step != _GUESS]
                left = _without_calls(listed.names, probed)
                self._look(supervisor, partial, _GUESS, "guesses", left, left)
                return self._snapshot(listed, list(partial.found.values()))

    def _listed(self, supervisor: Supervisor) -> _Listed:
        told = told_by(supervisor, self._target.name, "list", _SECONDS)
        return msgspec.convert({key: told[key] for key in _Listed.__struct_fields__}, _Listed)

    def _look(
        self,
        supervisor: Supervisor,
        partial: Partial,
        step: str,
        kind: str,
        names: Sequence[str],
        keys: Sequence[str],
    ) -> None:
        """All places of a kind that were not looked at yet."""
        # What has calls already is not looked for again: what this kind itself has found, by a
        # build that was interrupted, does not count.
        before = [item for item in partial.found.values() if item.key not in keys]
        wanted = _without_calls(names, before)
        left = [key for key in keys if (step, key) not in partial.found]
        done = len(keys) - len(left)

        def tell() -> None:
            every = [found for looked in partial.found.values() for found in looked.apis.items()]
            self._on_progress(
                BuildProgress(
                    kind,
                    done,
                    len(keys),
                    len({api for api, found in every if found.calls}),
                    sum(len(found.calls) for _, found in every),
                    sum(bool(looked.crashes) for looked in partial.found.values()),
                )
            )

        tell()
        asker = Asker(supervisor, self._target.name, step, wanted, MOST_CALLS, _SECONDS)
        for looked in _answers(supervisor, asker, left):
            for item in looked:
                partial.add(item)
            done += len(looked)
            tell()

    def _snapshot(self, listed: _Listed, looked: Sequence[Looked]) -> Snapshot:
        """Everything that was found, whatever order it came in."""
        ordered = sorted(looked, key=lambda item: (item.step == _GUESS, _place(item, listed)))
        entries = []
        for name in listed.names:
            told = [item.apis[name] for item in ordered if name in item.apis]
            own = [item for item in ordered if item.key == name or name in item.crashes]
            crashes = [
                crash for item in own for crash in item.crashes.get(name, item.crashes.get("", ()))
            ]
            calls = _best([found.calls for found in told])
            problems = [found.problem for found in told if found.problem]
            problems += [item.problem for item in own if item.problem]
            if crashes and not problems:
                problems = [f"it kills the process: {crashes[0]}"]
            undefined = [listed.undefined.get(name, ""), *(found.undefined for found in told)]
            entries.append(
                Entry(
                    name,
                    _form(name),
                    calls,
                    next(filter(None, undefined), ""),
                    "" if calls else (problems or ["no sample was found"])[-1],
                    tuple(sorted(set(crashes))),
                )
            )
        return Snapshot(self._target.library, self._version, tuple(entries))


def _answers(supervisor: Supervisor, asker: Asker, keys: Sequence[str]) -> Iterator[list[Looked]]:
    """What each batch gives, as they come; the supervisor runs on this thread meanwhile."""
    batches = [keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)]
    with ThreadPoolExecutor(_WORKERS) as pool:
        pending: set[Future[list[Looked]]] = {pool.submit(asker.look, batch) for batch in batches}
        try:
            while pending:
                supervisor.completed(0.1)
                ended, pending = wait(pending, 0, FIRST_COMPLETED)
                for future in ended:
                    yield future.result()
        except BaseException:
            # Whoever waits for a worker is to hear that there will be no answer.
            pool.shutdown(wait=False, cancel_futures=True)
            supervisor.close()
            raise


def _without_calls(names: Sequence[str], looked: Iterable[Looked]) -> tuple[str, ...]:
    """The names that no place has calls of."""
    known = {api for item in looked for api, found in item.apis.items() if found.calls}
    return tuple(name for name in names if name not in known)


def _place(item: Looked, listed: _Listed) -> int:
    if item.step == _GUESS:
        return listed.names.index(item.key)
    return listed.sources.index(item.key)


def _best(groups: Sequence[Sequence[Call]]) -> tuple[Call, ...]:
    """The first of each group, then the second of each …, each once."""
    chosen: list[Call] = []
    for place in range(MOST_CALLS):
        for group in groups:
            if place < len(group) and len(chosen) < MOST_CALLS:
                call = group[place]
                alike = (call.params, call.arguments, [item.shape for item in call.inputs])
                if alike not in [
                    (known.params, known.arguments, [item.shape for item in known.inputs])
                    for known in chosen
                ]:
                    chosen.append(call)
    return tuple(chosen)


def _form(name: str) -> Form:
    space, _, own = name.rpartition(".")
    if space.endswith(".Tensor"):
        return "method"
    if space.endswith("raw_ops"):
        return "raw"
    return "module" if own[:1].isupper() else "function"
