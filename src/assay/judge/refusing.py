"""Deliberate refusals, told from accidents by what was raised, by whom, and in which words."""

import re

from assay.ir import Failure

#: A library speaks of what it can do, not of what was wrong with the call.
_CANNOT = re.compile(
    r"\bnot (yet |currently )?(supported|implemented)\b"
    r"|\bunsupported\b|\bunimplemented\b|NotImplementedError"
    r"|\b(does|do) not (yet |currently )?support\b"
    r"|\bonly supports?\b|\bonly\b.{1,80}?\b(is|are) (currently )?supported\b"
    r"|\bonly implemented\b|\bmust be \d-dimensional\b"
    r"|\b(must|should) (be non-empty|not be empty)\b|\bcannot be empty\b|\bof an empty tensor\b"
    r"|\bto have non-zero size for non-batch dimensions\b|\bwith optional 0 dim batch size\b"
    # Of what the caller gave, not of what a kernel made of it.
    r"|\binputs?( tensors?)? must (be|have) (at (least|most) )?"
    r"(the same (rank|number of dimensions)|(\d|one|two|three)[- ]?d(imension(s|al)?)?\b)"
    # A kernel that takes numbers of other formats; ``T`` is that of the numbers.
    r"|\bValue for attr 'T' of \w+ is not in the list of allowed values\b",
    re.IGNORECASE | re.DOTALL,
)
#: What numbers have to be, or are not: whoever says so has looked at them.
_REQUIREMENT = re.compile(
    r"\b(must|should|ha(s|ve) to|needs? to|expected|can't|cannot|every element)\b.{0,60}?"
    r"(\b(positive|non-?negative|negative|non-?zero|greater|larger|smaller|less|at (least|most)"
    r"|between|in (the )?range|different|distinct|unique)\b|[<>]|\bin \[)"
    r"|\bsatisfy the constraint\b"
    r"|\b(not |non-?)finite\b|\bout of (the )?(range|bounds?)\b|\bnot in [\[(]",
    re.IGNORECASE | re.DOTALL,
)
#: The same words where Python says them, or where a library is surprised by itself.
_ACCIDENT = re.compile(
    r"unsupported operand type|not supported between instances|unsupported format string"
    r"|INTERNAL ASSERT|please report a bug|ZeroDivisionError"
)
#: Nobody raises these to refuse something.
_ACCIDENTS = frozenset(
    {
        "AssertionError",
        "AttributeError",
        "IndexError",
        "KeyError",
        "LookupError",
        "NameError",
        "RecursionError",
        "UnboundLocalError",
        "ZeroDivisionError",
    }
)
#: TensorFlow names the kernel that raised.
_KERNEL = re.compile(r"\[Op:(\w+)\]")
_RAISE = re.compile(r"^\s+raise\b", re.MULTILINE)
_FRAME = re.compile(r'^  File "', re.MULTILINE)


def refuses(failure: Failure) -> bool:
    """Does it say that it cannot do this? On purpose: not by an accident inside."""
    name = failure.exception.rpartition(".")[2]
    if name in _ACCIDENTS or _ACCIDENT.search(failure.message):
        return False
    if name == "NotImplementedError":
        return True
    said = failure.message.partition("Arguments received by")[0]
    return _CANNOT.search(said) is not None and (name != "TypeError" or _raised(failure.stack))


def states_a_requirement(failure: Failure) -> bool:
    """Does it say what numbers have to be (positive, in a range, different), or are not?"""
    if failure.exception.rpartition(".")[2] in _ACCIDENTS or _ACCIDENT.search(failure.message):
        return False
    return _REQUIREMENT.search(failure.message.partition("Arguments received by")[0]) is not None


def accident(failure: Failure, op: str) -> bool:
    """Did it fail of something that the caller did not ask for?

    An exception that nobody raises on purpose, or a kernel that is no part of the op's name: a
    call of ``map_coordinates`` that dies in ``GatherNd``.
    """
    name = failure.exception.rpartition(".")[2]
    if name in _ACCIDENTS or _ACCIDENT.search(failure.message):
        return True
    kernel = _KERNEL.search(failure.message)
    return kernel is not None and not refuses(failure) and not _named(kernel[1], op)


def _named(kernel: str, op: str) -> bool:
    """Is a kernel (``InTopKV2``) called as the op is (``keras.ops.in_top_k``)?"""
    words = op.rpartition(".")[2].replace("_", "").lower()
    return words in kernel.lower() or kernel.lower().removesuffix("v2") in words


def _raised(stack: str) -> bool:
    """Does the innermost frame raise? Unknown frames are given the benefit of the doubt."""
    last = _FRAME.split(stack)[-1]
    return not stack or _RAISE.search(last) is not None
