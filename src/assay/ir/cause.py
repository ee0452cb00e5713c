"""What one change in a library would fix: findings that share it are one bug."""

import msgspec

from assay.ir.serial import content_hash

_ID_LENGTH = 8


class Cause(msgspec.Struct, frozen=True):
    """Where a finding comes from, and what that was made of.

    ``place`` is a function of the library (``src/backend/tensorflow/numpy.py:add``) or, where
    nobody looked inside, the op; ``effect`` and ``stage`` say what goes wrong there, ``who`` in
    which libraries, ``detail`` what else tells two faults of one place apart: the line that
    raises, a signal, the parameter that is accepted. Findings that agree in these have one
    ``id``. ``functions`` are those of the backend that the front end called, ``frames`` those
    that an exception came through, ``message`` what it said without names and numbers: by
    these, too, findings may be known as siblings (see ``assay.ir.causes``). ``values`` says what
    is special about the elements that are wrong ("at 0"), if anything is.
    """

    id: str
    place: str
    effect: str
    stage: str
    who: tuple[str, ...]
    detail: str = ""
    functions: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    message: str = ""
    values: str = ""


def made(
    place: str,
    effect: str,
    stage: str,
    who: tuple[str, ...],
    detail: str = "",
    functions: tuple[str, ...] = (),
    frames: tuple[str, ...] = (),
    message: str = "",
) -> Cause:
    """The cause, with its id."""
    identity = content_hash([place, effect, stage, sorted(who), detail])[:_ID_LENGTH]
    return Cause(identity, place, effect, stage, who, detail, functions, frames, message)
