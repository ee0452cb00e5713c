"""What of a vocabulary a target really has: another version has other ops."""

from collections.abc import Mapping, Sequence

import msgspec

from assay.ir import content_hash


class Offers(msgspec.Struct, frozen=True):
    """The ops that are absent, and a hash of the names and signatures of those that are there.

    Absent ops are left out of what a target is asked, after a trial was drawn: a trial has the
    same meaning whoever answers it.
    """

    absent: frozenset[str] = frozenset()
    digest: str = ""


def offers_of(names: Sequence[str], told: Mapping[str, str] | None) -> Offers:
    """What an answer says about these ops; without one, everything is taken to be there."""
    if told is None:
        return Offers()
    return Offers(frozenset(names) - frozenset(told), content_hash(dict(told))[:16])
