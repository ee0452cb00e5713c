"""What of a machine and a process changes numbers: libraries choose their kernels by it."""

from collections.abc import Mapping

import msgspec

#: Flags that stand for all of their kind in a line, the widest first.
_TELLING = ("amx_tile", "avx512_bf16", "avx512_vnni", "avx512f", "avx2", "sve", "asimd")
#: Settings that stand in a line; the others are variables of the environment.
_SAID = ("oneDNN", "kernels", "MKL", "threads", "subnormals")
#: Those that a reader knows by another name.
_THREADS = ("threads", "TF_NUM_INTRAOP_THREADS", "OMP_NUM_THREADS")


class Machine(msgspec.Struct, frozen=True):
    """The CPU, its flags that matter, and what a worker's library says that it uses.

    ``settings`` are by name: ``oneDNN`` (on, off), ``kernels`` (PyTorch's), ``subnormals``
    (kept, flushed), ``threads``, and the variables of the environment that are set.
    """

    cpu: str = ""
    flags: tuple[str, ...] = ()
    settings: dict[str, str] = {}

    @property
    def processor(self) -> str:
        """The CPU and its telling flags, for one line."""
        flags = " ".join(name for name in _TELLING if name in self.flags)
        return f"{self.cpu or 'unknown CPU'} ({flags})" if flags else self.cpu or "unknown CPU"

    @property
    def said(self) -> str:
        """The settings, for one line; "" if the library tells none."""
        threads = next((self.settings[name] for name in _THREADS if name in self.settings), "")
        known = {**self.settings, "threads": threads}
        return ", ".join(f"{name} {known[name]}" for name in _SAID if known.get(name))


def machine_changes(then: Mapping[str, Machine], now: Mapping[str, Machine]) -> str:
    """What is different for the targets of both: as it was, then as it is; "" if nothing is."""
    changes: dict[str, None] = {}
    for target, was in then.items():
        if target not in now:
            continue
        found = now[target]
        lacking = [name for name in reversed(was.flags) if name not in found.flags]
        further = [name for name in reversed(found.flags) if name not in was.flags]
        if lacking:
            changes[f"a CPU with {', '.join(lacking)}"] = None
        if further:
            changes[f"a CPU without {', '.join(further)}"] = None
        for name in sorted(was.settings.keys() | found.settings.keys()):
            before, here = (item.settings.get(name, "not set") for item in (was, found))
            if before != here:
                changes[f"{name} {before} (here {here})"] = None
    return ", ".join(changes)
