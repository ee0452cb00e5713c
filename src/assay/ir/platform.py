"""What a target is made of, whatever it is called: users name their targets as they like."""

import re

import msgspec

from assay.ir.machine import Machine

_EAGER = "eager"
#: Modes that are eager, with another set of kernels: chosen by the environment of the process.
KERNEL_MODES = ("onednn",)
#: Those, and those with several devices, which the environment decides, too.
EAGER_MODES = (*KERNEL_MODES, "devices")
#: ``keras-torch+compile@keras-3.6``, ``tensorflow+onednn``: how Assay itself names targets.
_OWN_NAME = re.compile(
    r"(keras-(?P<backend>[a-z]+)|(?P<library>[a-z]+)(?=\+))(\+(?P<mode>[a-z]+))?(@.*)?"
)


class Platform(msgspec.Struct, frozen=True):
    """Library, backend, execution mode, and the version of each distribution.

    ``environment`` is what the target sets before its library is imported, ``machine`` what its
    worker said of the CPU and the kernels in use; both empty in records of before.

    Whatever is known of a library (refusals, conventions, public issues, how a script is
    written) is known of its platform; a target's name means nothing.
    """

    library: str
    backend: str = ""
    mode: str = _EAGER
    versions: dict[str, str] = {}
    environment: dict[str, str] = {}
    machine: Machine = Machine()

    @property
    def eager(self) -> bool:
        """Is every op computed by itself, as a script would, by the usual kernels?"""
        return self.mode == _EAGER

    @property
    def base(self) -> str:
        """The identity of the same with the usual kernels; "" if it has those itself."""
        usual = msgspec.structs.replace(self, mode=_EAGER)
        return usual.identity if self.mode in KERNEL_MODES else ""

    @property
    def identity(self) -> str:
        """``keras-torch``, ``keras-torch+compile``: equal for two names of one platform.

        Versions are left out: what two of them share is one finding.
        """
        made_of = f"{self.library}-{self.backend}" if self.backend else self.library
        return made_of if self.eager else f"{made_of}+{self.mode}"


def named(target: str) -> Platform:
    """What Assay's own names of targets say: for records that hold nothing but the name.

    A name of a user's own says nothing: it stands for a library of that name.
    """
    found = _OWN_NAME.fullmatch(target)
    if found is None:
        return Platform(target)
    return Platform(found["library"] or "keras", found["backend"] or "", found["mode"] or _EAGER)
