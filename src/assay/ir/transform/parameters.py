"""Other values of a node's parameters, and fewer of them."""

from collections.abc import Collection
from typing import Any

from msgspec.structs import replace

from assay.ir import Case, Node, Parameters
from assay.ir.transform.edit import with_node

_NOTHING: Parameters = {}


def with_parameters(
    case: Case, node: Node, params: Parameters = _NOTHING, arguments: Parameters = _NOTHING
) -> Case:
    """The case with these parameters and keyword arguments of a node beside its others."""
    changed = replace(
        node, params={**node.params, **params}, arguments={**node.arguments, **arguments}
    )
    return with_node(case, changed)


def with_parameter(case: Case, node: Node, name: str, value: Any) -> Case:
    """The case with another value of a parameter, or of a keyword argument, of a node."""
    if name in node.arguments:
        return with_parameters(case, node, arguments={name: value})
    return with_parameters(case, node, {name: value})


def without_parameters(
    case: Case, node: Node, params: Collection[str], arguments: Collection[str] = ()
) -> Case:
    """The case with these parameters and keyword arguments of a node left to their defaults."""
    kept = {key: value for key, value in node.params.items() if key not in params}
    given = {key: value for key, value in node.arguments.items() if key not in arguments}
    return with_node(case, replace(node, params=kept, arguments=given))
