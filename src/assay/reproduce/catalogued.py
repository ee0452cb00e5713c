"""Arguments of plain data, as calls of a catalogue have them, as Python."""

from collections.abc import Mapping
from typing import Any

from assay.libraries import Dialect
from assay.reproduce.literals import value_code
from assay_worker.calls import parted

_NO_NAMES: Mapping[str, str] = {}


def arguments_code(
    arguments: Mapping[str, Any], dialect: Dialect, names: Mapping[str, str] = _NO_NAMES
) -> list[str]:
    """Each argument, those with a place first; ``names`` are what tensors are called, if not so."""
    positional, keywords = parted(arguments)
    told = [argument_code(value, dialect, names) for value in positional]
    return told + [
        f"{key}={argument_code(value, dialect, names)}" for key, value in keywords.items()
    ]


def argument_code(value: Any, dialect: Dialect, names: Mapping[str, str] = _NO_NAMES) -> str:
    """A value as ``assay_worker.calls`` tells it."""

    def code(item: Any) -> str:
        return argument_code(item, dialect, names)

    if isinstance(value, (list, tuple)):
        items = [code(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if not isinstance(value, dict) or len(value) != 1:
        return value_code(value)
    ((kind, content),) = value.items()
    match kind:
        case "$tensor":
            return names.get(content, content)
        case "$dtype":
            return dialect.dtype.replace("{}", content)
        case "$name":
            return str(content)
        case "$made":
            return f"{content[0]}({', '.join(map(code, content[1:]))})"
        case "$number":
            return f'float("{content}")'
        case "$complex":
            return f"complex({content[0]!r}, {content[1]!r})"
        case "$slice":
            return f"slice({', '.join(map(code, content))})"
        case "$ellipsis":
            return "..."
        case "$dict":
            return "{" + ", ".join(f'"{key}": {code(item)}' for key, item in content.items()) + "}"
    return value_code(value)
