"""A build's requests: several things at once, and whatever kills a process on its own."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from assay.catalogue.partial import Found, Looked
from assay.errors import TargetError
from assay.execute import Answer, Death, StartFailure, Supervisor, internal_error

#: After so many deaths over one API nothing more of that place is asked; hangs take longer.
_MOST_DEATHS = 6
_MOST_HANGS = 2
#: Steps that are left out, the first that still is taken, when draws of a call kill the process.
_OPTIONAL = ("special", "sizes", "dtypes", "values")


class Item(msgspec.Struct, frozen=True):
    """One thing to look at: a source, or an API to guess at.

    ``only`` and ``without`` are APIs; ``avoid`` steps of looking that kill the process.
    """

    key: str
    only: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()


def told_by(supervisor: Supervisor, target: str, step: str, seconds: float) -> dict[str, Any]:
    """What a worker answers to a step that asks for nothing in particular; or ``TargetError``."""
    request = {"do": "catalogue", "step": step}
    told = supervisor.ask_all({target: request}, seconds, "fresh")[target]
    if isinstance(told, Death):
        raise TargetError(f"{target}: died while it listed its APIs: {told.cause}")
    if isinstance(told, StartFailure):
        raise TargetError(f"{target}: {told.message}. (assay doctor shows all)")
    if "internal" in told:
        raise internal_error(target, told["internal"])
    return told


class Asker:
    """Asks workers that are born for one request each. Any thread may use it."""

    def __init__(
        self,
        supervisor: Supervisor,
        target: str,
        step: str,
        names: Sequence[str],
        calls: int,
        seconds: float,
    ) -> None:
        self._ask: Callable[[Sequence[Item]], Answer] = lambda items: supervisor.ask_all(
            {
                target: {
                    "do": "catalogue",
                    "step": step,
                    "names": list(names),
                    "calls": calls,
                    "items": [msgspec.to_builtins(item) for item in items],
                }
            },
            seconds,
            "fresh",
        )[target]
        self._target = target
        self._step = step

    def look(self, keys: Sequence[str]) -> list[Looked]:
        """What is there, in the same order. What kills the process is left out, and told."""
        parts: dict[str, list[dict[str, Any]]] = {key: [] for key in keys}
        crashes: dict[str, dict[str, list[str]]] = {key: {} for key in keys}
        deaths: Counter[tuple[str, str]] = Counter()
        waiting = [[Item(key) for key in keys]]
        while waiting:
            items = waiting.pop()
            answer = self._ask(items)
            if isinstance(answer, StartFailure):
                raise TargetError(f"{self._target}: {answer.message}. (assay doctor shows all)")
            if isinstance(answer, Death):
                waiting += self._after(answer, items, crashes, deaths)
                continue
            if "internal" in answer:
                raise internal_error(self._target, answer["internal"])
            for told in answer["items"]:
                parts[told["key"]].append(told)
        return [self._looked(key, parts[key], crashes[key]) for key in keys]

    def _after(
        self,
        death: Death,
        items: Sequence[Item],
        crashes: dict[str, dict[str, list[str]]],
        deaths: "Counter[tuple[str, str]]",
    ) -> list[list[Item]]:
        """What to ask next, after a process died of one of these."""
        key, _, api = death.node.partition("\t")
        guilty = next((item for item in items if item.key == key), None)
        if guilty is None:
            # It says nothing of where it was: each on its own.
            if len(items) > 1:
                return [[item] for item in items]
            guilty, api = items[0], ""
        others = [item for item in items if item is not guilty]
        hangs = death.cause in ("SIGPROF", "SIGALRM", "timeout")
        # Not the signal: of memory that was written over, it is now this one, now that.
        crashes[guilty.key].setdefault(api, []).append(
            f"{'hangs' if hangs else 'crashes'} ({death.stage})"
        )
        deaths[guilty.key, api] += _MOST_DEATHS // _MOST_HANGS if hangs else 1
        further = [others] if others else []
        if not api:
            return further
        alone = guilty.only == (api,)
        if not alone and api not in guilty.without:
            further.append([msgspec.structs.replace(guilty, without=(*guilty.without, api))])
        avoid = self._avoided(death.stage, guilty.avoid if alone else ())
        if avoid is not None and deaths[guilty.key, api] < _MOST_DEATHS:
            further.append([Item(guilty.key, (api,), (), avoid)])
        return further

    def _avoided(self, stage: str, known: tuple[str, ...]) -> tuple[str, ...] | None:
        """What to leave out next time; None if nothing is left to leave out."""
        if stage in known or stage == "draws":
            stage = next((step for step in _OPTIONAL if step not in known), "")
        return (*known, stage) if stage else None

    def _looked(
        self, key: str, parts: Sequence[dict[str, Any]], crashes: dict[str, list[str]]
    ) -> Looked:
        apis: dict[str, Found] = {}
        problems = []
        for part in parts:
            apis.update(msgspec.convert(part["apis"], dict[str, Found]))
            problems.append(part["problem"])
        return Looked(
            self._step,
            key,
            dict(sorted(apis.items())),
            "".join(problems[:1]),
            {api: tuple(told) for api, told in sorted(crashes.items())},
        )
