"""Implementations that nobody asked for, but that help to say who is wrong.

Two that disagree cannot tell which of them is right, and our own reference alone is
no proof. So a disagreement among few is shown to further implementations too. They
are started at the first disagreement, and only those that are installed.
"""

import threading
from collections.abc import Sequence

from assay.execute import Hello, Limits, Supervisor
from assay.libraries import SHARED, libraries
from assay.targets import REFERENCE, Target, builtin_targets

#: Independent implementations, besides the reference, from which on no more are called.
ENOUGH = 2
#: Who is called, the quickest first.
_ORDER = ("keras-torch", "keras-tensorflow", "keras-jax")


def wanted(targets: Sequence[Target]) -> tuple[Target, ...]:
    """Who to call for targets that are too few to judge each other."""
    asked = {target.implementation for target in targets if target.name != REFERENCE.name}
    taken = {target.name for target in targets}  # a user may call anything keras-torch
    known = builtin_targets()
    others = [
        known[name]
        for name in _ORDER
        if name not in taken and known[name].implementation not in asked
    ]
    called = others[: max(0, ENOUGH - len(asked))]
    alone = _alone(targets)
    if alone and not called:
        able = (known[name] for name in _ORDER if name not in taken)
        called = [target for target in able if target.implementation not in alone][:1]
    return tuple(called)


def _alone(targets: Sequence[Target]) -> frozenset[str]:
    """The implementations with words that no other of the targets has: Keras has all of them."""
    said = {}
    for target in targets:
        library = libraries().get(target.library)
        if library is None or target.name == REFERENCE.name:
            continue
        if library.root == SHARED:
            return frozenset()
        said[target.implementation] = {word.means for word in library.words}
    return frozenset(
        name
        for name, words in said.items()
        if words - set().union(*(other for key, other in said.items() if key != name))
    )


class Witnesses:
    """Targets beside those of a hunt, in processes that start when first needed."""

    def __init__(self, targets: Sequence[Target], limits: Limits | None = None) -> None:
        self.targets = tuple(targets)
        self._limits = limits
        self._supervisor: Supervisor | None = None
        self.hellos: dict[str, Hello] = {}
        self._ended = threading.Event()

    def end(self) -> None:
        """Whoever waits for an answer, on any thread, gets ``Closed``."""
        self._ended.set()

    def __enter__(self) -> "Witnesses":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._supervisor is not None:
            self._supervisor.close()

    def called(self) -> tuple[Target, ...]:
        """Those who answer; starts them if this is the first call."""
        if self._supervisor is None and self.targets:
            self._supervisor = Supervisor(
                self.targets, self._limits, standbys=False, over=self._ended.is_set
            )
            # One that cannot start is no error: nobody asked for it.
            answers = self._supervisor.start()
            self.hellos = {n: item for n, item in answers.items() if isinstance(item, Hello)}
        return tuple(
            target
            for target in self.targets
            if target.name in self.hellos and self.supervisor.available(target.name)
        )

    @property
    def supervisor(self) -> Supervisor:
        """Whoever owns their processes, once they were called."""
        assert self._supervisor is not None  # only targets that were called are asked
        return self._supervisor

    def startup_cpu_seconds(self) -> float:
        """CPU time spent on starting them."""
        return self._supervisor.startup_cpu_seconds() if self._supervisor is not None else 0.0
