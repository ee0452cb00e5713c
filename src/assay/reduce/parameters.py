"""Parameters towards their defaults, and towards plainer values that the spec offers."""

from collections.abc import Iterator
from typing import Any

from assay.ir import Case, Node
from assay.ir.transform import with_parameter, without_parameters
from assay.ops import OpSpec
from assay.ops.placing import valid_values
from assay.reduce.catalogued import constants, is_catalogued, plainer_arguments
from assay.reduce.ddmin import ddmin
from assay.reduce.order import weight
from assay.reduce.search import Search


def drop_parameters(search: Search) -> None:
    """Leave as many parameters to their defaults as possible: all at once, then ddmin."""
    for node_id in [node.id for node in search.case.graph.nodes]:
        node = search.case.graph.node(node_id)
        required = _required(search.vocabulary.get(node.op), search.spoilt)
        given = _dropped(search.case, node)
        optional = [name for name in (*node.params, *given) if name not in required]
        if not optional or search.accept(_keeping(search.case, node, set(required))):
            continue
        if len(optional) > 1:
            _fewest(search, node, required, optional)


def _fewest(search: Search, node: Node, required: set[str], optional: list[str]) -> None:
    whole = search.case

    def shows(kept: list[str]) -> bool:
        return search.accept(_keeping(whole, node, {*required, *kept}))

    ddmin(optional, shows)


def _required(spec: OpSpec | None, spoilt: str) -> set[str]:
    required = {item.name for item in spec.parameters if item.required} if spec else set()
    return required | ({spoilt} if spoilt else set())


def _dropped(case: Case, node: Node) -> list[str]:
    """The arguments of the call that may have a default."""
    return constants(node) if is_catalogued(case) else _constants(node)


def _constants(node: Node) -> list[str]:
    return [key for key, value in node.arguments.items() if isinstance(value, (bool, int, float))]


def _keeping(case: Case, node: Node, names: set[str]) -> Case:
    dropped = {key for key in _dropped(case, node) if key not in names}
    return without_parameters(case, node, node.params.keys() - names, dropped)


def plainer_parameters(search: Search) -> None:
    """Each parameter that is left, one after the other."""
    while is_catalogued(search.case) and search.first(plainer_arguments(search.case)):
        pass
    for node_id in [node.id for node in search.case.graph.nodes]:
        for name in list(search.case.graph.node(node_id).params):
            if name != search.spoilt:
                search.first(_plainer(search, search.case.graph.node(node_id), name))


def _plainer(search: Search, node: Node, name: str) -> Iterator[Case]:
    current = node.params[name]
    spec = search.vocabulary.get(node.op)
    described = next((p for p in spec.parameters if p.name == name), None) if spec else None
    values: list[Any] = []
    if described is not None:
        if not described.required and described.default == current:
            yield without_parameters(search.case, node, {name}, {name})
        values = valid_values(search.case, node, described, search.vocabulary, search.spoilt)
    values += _forms(current)
    lighter = {repr(value): value for value in values if weight(value) < weight(current)}
    for value in sorted(lighter.values(), key=weight):
        yield with_parameter(search.case, node, name, value)


def _forms(value: Any) -> list[Any]:
    """The same value in a shorter form: one number for a list of equal ones."""
    if isinstance(value, list) and value and all(item == value[0] for item in value):
        return [value[0]]
    if isinstance(value, dict) and value.get("params"):
        return [{**value, "params": {}}]
    return []
