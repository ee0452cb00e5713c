"""What of a vocabulary a target really has: another version has other ops and parameters."""

import re
from collections.abc import Mapping, Sequence

import msgspec
from packaging.version import InvalidVersion, Version

from assay.ir import Node, content_hash
from assay.libraries import words

_PARAMETER = re.compile(r"[(,]\s*\*{0,2}(\w+)")


class Offers(msgspec.Struct, frozen=True):
    """The ops that are absent, the parameters of those whose signature is known, and a hash.

    What is absent is left out of what a target is asked, after a trial was drawn: a trial has
    the same meaning whoever answers it.
    """

    absent: frozenset[str] = frozenset()
    parameters: dict[str, frozenset[str]] = {}
    digest: str = ""

    def have(self, node: Node) -> bool:
        """Can the target be asked this call?"""
        if node.op in self.absent:
            return False
        known = self.parameters.get(node.op)
        return known is None or known.issuperset(node.params)


def offers_of(
    names: Sequence[str],
    told: Mapping[str, str] | None,
    versions: Mapping[str, str],
    patched: bool = False,
) -> Offers:
    """What an answer says about these ops; without one, everything is taken to be there.

    ``versions`` are those of the target's distributions: what a word says of versions counts
    where no signature shows it. ``patched``: a prelude may have put functions of its own in
    place of the library's, and whatever they do not take is a fault to be seen.
    """
    if told is None:
        return Offers()
    absent = frozenset(names) - frozenset(told)
    absent |= {name for name in told if not _of_this_version(name, versions)}
    parameters = {
        name: frozenset(_PARAMETER.findall(signature))
        for name, signature in told.items()
        if not patched and signature.startswith("(") and "**" not in signature
    }
    return Offers(absent, parameters, content_hash(dict(told))[:16])


def _of_this_version(op: str, versions: Mapping[str, str]) -> bool:
    word = words().get(op)
    if word is None or not (word.since or word.until):
        return True
    root = op.partition(".")[0]
    try:
        own = Version(versions[{"tf": "tensorflow"}.get(root, root)]).release
    except (KeyError, InvalidVersion):  # a build of one's own: whatever is there, is asked
        return True
    since = not word.since or own >= Version(word.since).release
    return since and (not word.until or own < Version(word.until).release)
