"""Scripts for calls that a rule's program answers differently."""

from typing import Any

from assay.ir import Case, Node
from assay.reproduce.asking import Asking, inside
from assay.reproduce.literals import array_code, is_class, value_code, wrapped
from assay.reproduce.program import CannotReproduce, filled
from assay.reproduce.title import exception_name
from assay_worker.calls import parted
from assay_worker.rules import rule as rule_of

#: What makes a library's random numbers begin anew, by its name.
_SEEDED = {
    "torch": "torch.manual_seed(0)",
    "tensorflow": "tf.random.set_seed(0)",
    "keras": "keras.utils.set_random_seed(0)",
}
#: The tensors of a result, by library; sparse ones as what they are made of.
_PARTS = {"tensorflow": "tf.nest.flatten(result, expand_composites=True)"}
_LISTED = "result if isinstance(result, (list, tuple)) else [result]"


def rewritten(asking: Asking) -> list[str]:
    """The call, and the same by the rule's program."""
    finding, case = asking.finding, asking.case
    library = asking.speaker.library.name
    if len(case.graph.nodes) != 1:
        raise CannotReproduce("programs of whole models have no scripts yet")
    first, second, source = rule_of(finding.rule).source(library)
    (node,) = case.graph.nodes
    function, made = _function(asking, node, library)
    arguments = ", ".join(_arguments(asking, case, node))
    seeded = [_SEEDED[library]] if library in _SEEDED else []
    plain = f"{first}({function})({arguments})" if first else f"{function}({arguments})"
    again = f"after = values({second}({function})({arguments}))"
    head = [
        *_tensors(asking, case),
        "",
        *source.splitlines(),
        "",
        "",
        "def values(result):",
        f"    parts = {_PARTS.get(library, _LISTED)}",
        f"    return [np.asarray({asking.array('part')}) for part in parts]",
        "",
        "",
        *made,
        *seeded,
        wrapped(f"before = values({plain})"),
        *seeded,
    ]
    _, _, told = finding.evidence.message.partition(": ")
    if exception_name(told):
        return [
            *head,
            "try:",
            *inside(wrapped(again)),
            "except Exception as error:",
            '    print(f"expected no exception, actual {type(error).__name__}: {error}")',
            "    raise SystemExit(0)",
            'print("no exception")',
            f"raise SystemExit({asking.absent})",
        ]
    exact = finding.evidence.tolerance == 0.0 and finding.magnitude != float("inf")
    allowed = finding.evidence.tolerance or 0.0
    close = f"rtol={0 if exact else 1e-3:g}, atol={allowed:.2g}, equal_nan=True"
    return [
        *head,
        wrapped(again),
        'print("before", before, "after", after)',
        "same = len(before) == len(after) and all(",
        f"    a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, {close})",
        "    for a, b in zip(before, after)",
        ")",
        f"raise SystemExit({asking.absent} if same else 0)",
    ]


def _tensors(asking: Asking, case: Case) -> list[str]:
    found = []
    for item, (name, array) in zip(case.graph.inputs, case.input_arrays().items(), strict=True):
        code = filled(asking.dialect.tensor, array_code(array, case.inputs[name]))
        if item.dtype == "bfloat16":
            raise CannotReproduce("NumPy has no bfloat16 to write it with")
        found.append(wrapped(f"{name} = {code}"))
    return found


def _function(asking: Asking, node: Node, library: str) -> tuple[str, list[str]]:
    """What is called, and the lines that make it."""
    if not is_class(node.op):
        return node.op, []
    positional, keywords = parted(node.params)
    given = [*(_code(asking, item) for item in positional), *_named(asking, keywords)]
    seeded = [_SEEDED[library]] if library in _SEEDED else []
    return "module", [*seeded, wrapped(f"module = {node.op}({', '.join(given)})")]


def _arguments(asking: Asking, case: Case, node: Node) -> list[str]:
    if not node.inputs:
        positional, keywords = parted(node.arguments)
        return [*(_code(asking, item) for item in positional), *_named(asking, keywords)]
    listed = [item if isinstance(item, str) else f"[{', '.join(item)}]" for item in node.inputs]
    params = {} if is_class(node.op) else node.params
    return [*listed, *_named(asking, {**params, **node.arguments})]


def _named(asking: Asking, keywords: dict[str, Any]) -> list[str]:
    return [f"{name}={_code(asking, value)}" for name, value in keywords.items()]


def _code(asking: Asking, value: Any) -> str:
    """An argument of plain data as Python."""
    if isinstance(value, (list, tuple)):
        items = [_code(asking, item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if not isinstance(value, dict) or len(value) != 1:
        return value_code(value)
    ((kind, content),) = value.items()
    match kind:
        case "$tensor":
            return str(content)
        case "$dtype":
            return filled(asking.dialect.dtype, content)
        case "$name":
            return str(content)
        case "$made":
            return f"{content[0]}({', '.join(_code(asking, part) for part in content[1:])})"
        case "$number":
            return f'float("{content}")'
        case "$complex":
            return f"complex({content[0]!r}, {content[1]!r})"
        case "$slice":
            return f"slice({', '.join(_code(asking, part) for part in content)})"
        case "$ellipsis":
            return "..."
        case "$dict":
            return "{" + ", ".join(f'"{k}": {_code(asking, v)}' for k, v in content.items()) + "}"
    return value_code(value)
