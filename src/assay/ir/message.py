"""What a library said, without what changes from case to case."""

import re

_NOISE = (
    # TensorFlow says which kernel failed, and the name of its node.
    (re.compile(r"\s*\[Op:\w*\].*", re.DOTALL), ""),
    # It looks at attributes in another order in each process, and names the first that will not do.
    (re.compile(r"(Value for attr )'.*", re.DOTALL), r"\1NAME"),
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDRESS"),
    (re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`"), "NAME"),
    # [] is the shape of a scalar; () is not taken for one, since names are followed by it.
    (re.compile(r"\[\]|[\[(][^\[\]()]*\d[^\[\]()]*[\])]"), "SHAPE"),
    (re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?"), "N"),
    (re.compile(r"\s+"), " "),
)
_MESSAGE_LENGTH = 160


def normalised(message: str) -> str:
    """A message without what changes from case to case: numbers, shapes, names, addresses."""
    for pattern, replacement in _NOISE:
        message = pattern.sub(replacement, message)
    return message.strip()[:_MESSAGE_LENGTH]
