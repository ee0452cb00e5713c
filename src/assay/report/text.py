"""Words and code for people: op calls as Python, numbers, durations, safe text."""

import math
from collections.abc import Mapping
from typing import Any

from assay.ir import Case, Finding, Graph, Node, disputed_shapes, gives_nan
from assay.ir.model import model_of
from assay.ir.suite import SuiteCase, suite_case_of
from assay.report.safe import one_line, plain


def literal(value: Any) -> str:
    """A parameter value as Python code; lists are the tuples they reach the library as."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, (list, tuple)):
        items = [literal(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, Mapping):
        if "$op" in value:
            return call(value["$op"], value.get("params", {}))
        if "$tensor" in value:
            return str(value["$tensor"])
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return plain(repr(value))


def _quoted(value: str) -> str:
    """A string as Python code, in double quotes, everything unprintable escaped."""
    code = repr(value)
    if code.startswith('"'):
        return code
    body = code[1:-1].replace("\\'", "'").replace('"', '\\"')
    return f'"{body}"'


def call(op: str, params: Mapping[str, Any]) -> str:
    """The op with its parameters as Python code: ``keras.layers.Dense(units=3)``."""
    return f"{op}({', '.join(given(params))})"


def short_name(op: str) -> str:
    """The last part of an op's public path."""
    return op.rpartition(".")[2]


def node_code(node: Node) -> str:
    """The node's call on its tensors: ``keras.layers.Dense(units=3)(x)``."""
    inputs = [item if isinstance(item, str) else f"[{', '.join(item)}]" for item in node.inputs]
    arguments = given(node.arguments)
    # Layers and losses are classes, called twice; functions take everything in one call.
    if short_name(node.op)[:1].isupper():
        return f"{call(node.op, node.params)}({', '.join(inputs + arguments)})"
    params = [f"{name}={literal(value)}" for name, value in node.params.items()]
    return f"{node.op}({', '.join(inputs + params + arguments)})"


def given(arguments: Mapping[str, Any]) -> list[str]:
    """Arguments of a call as code; those under a number are positional."""
    return [
        literal(value) if name.isdigit() else f"{name}={literal(value)}"
        for name, value in sorted(arguments.items(), key=lambda item: not item[0].isdigit())
    ]


def tensor_type(dtype: str, shape: tuple[int, ...]) -> str:
    """``float32[1,5,6,1]``."""
    return f"{dtype}[{','.join(map(str, shape))}]"


def graph_code(graph: Graph) -> list[str]:
    """The graph as lines of Python-like code, inputs first."""
    width = max(len(item) for item in [i.name for i in graph.inputs] + [n.id for n in graph.nodes])
    inputs = [f"{i.name:<{width}} = {tensor_type(i.dtype, i.shape)}" for i in graph.inputs]
    return inputs + [f"{node.id:<{width}} = {node_code(node)}" for node in graph.nodes]


def call_on_inputs(op: str, params: Mapping[str, Any], case: Case) -> str:
    """The op call and what it runs on: ``keras.layers.ReLU() on float32[2,3]``."""
    types = [tensor_type(item.dtype, item.shape) for item in case.graph.inputs]
    return f"{call(op, params)} on {', '.join(types)}" if types else call(op, params)


def subject(finding: Finding) -> str:
    """What a finding is about, in full: a call on inputs, or a layer of a model."""
    case = suite_case_of(finding.case)
    if case is not None:
        return _case_of(case)
    model = model_of(finding.case)
    if model is None and finding.rule and len(finding.case.graph.nodes) == 1:
        types = [f"{i.name}: {tensor_type(i.dtype, i.shape)}" for i in finding.case.graph.inputs]
        return f"{node_code(finding.case.graph.nodes[0])} on {', '.join(types)}"
    if model is None:
        return call_on_inputs(finding.op, finding.params, finding.case)
    types = [tensor_type(item.dtype, item.shape) for item in finding.case.graph.inputs]
    layer = f", layer {finding.node} ({finding.op})" if finding.node else ""
    return f"{model.title}{layer}" + (f" on {', '.join(types)}" if types else "")


def _case_of(case: SuiteCase) -> str:
    """A case of a suite, and what goes in."""
    kinds = [value.kind for value in case.told.inputs]
    given = f" on {', '.join(kinds)}" if kinds else ""
    return f"{case.op}, case {case.name} of opset {case.opset}{given}"


def elements(case: Case) -> int:
    """How many numbers the inputs of a case hold."""
    return sum(math.prod(item.shape) for item in case.graph.inputs)


def number(size: float) -> str:
    """A size, short: 0.6667, 1.2e-07, inf."""
    return f"{size:.4g}"


def value(element: float) -> str:
    """An element of an array, exact enough to tell two float32 values apart."""
    text = f"{element:.9g}"
    return f"{text}.0" if text.removeprefix("-").isdigit() else text


def array_name(where: str) -> str:
    """The name of a trace's array in words: ``output of n1``, ``gradient of input x``."""
    head, _, rest = where.partition(":")
    if head == "gradient":
        kind, _, name = rest.partition(":")
        if kind == "weight":
            node, _, index = name.rpartition(":")
            return f"gradient of weight {index} of {node}"
        return f"gradient of {kind} {name}" if kind == "input" else f"gradient of {kind} of {name}"
    if head == "state":
        node, _, index = rest.rpartition(":")
        return f"state {index} of {node} after training"
    return f"{head} of {rest}" if rest else head


def headline(finding: Finding) -> str:
    """What is wrong in a few words, without the op."""
    evidence = finding.evidence
    message = one_line(evidence.message)
    size = number(finding.magnitude)
    place = "" if finding.stage == "forward" else f" in the {finding.stage}"
    match finding.kind:
        case "crash":
            return f"the process dies: {message}" if message else "the process dies"
        case "error":
            return message or "raises where others work"
        case "validation":
            # The message is of the arms that refuse; this one accepts.
            return one_line(evidence.reason) or message
        case "nan":
            if gives_nan(finding):
                return f"NaN or infinity where others have numbers{place}"
            return f"numbers where others have NaN or infinity{place}"
        case "nondeterminism":
            return f"two runs differ by {size}{place}"
        case "equivalence" if finding.rule:
            told = message.removeprefix(f"{finding.rule}: ")
            apart = f", {size} apart" if told == "another result" else ""
            return f"{told}{apart} (rule {finding.rule})"
        case "equivalence":
            return message or f"differs by {size}{place}"
        case _:
            shapes = disputed_shapes(finding) if evidence.voted is not None else None
            if shapes is not None:
                message = "shape {} where others have {}".format(*shapes)
            return f"{message}{place}" if message else f"differs by {size}{place}"


def what(finding: Finding) -> str:
    """One line for tables: the op with the parameters that matter, and the headline."""
    case = suite_case_of(finding.case)
    if case is not None:
        return f"{short_name(case.op)} ({case.name}): {headline(finding)}"
    model = model_of(finding.case)
    if model is not None:
        layer = f", {finding.node} ({short_name(finding.op)})" if finding.node else ""
        return f"{one_line(model.title + layer, 80)}: {headline(finding)}"
    shown = {k: v for k, v in finding.params.items() if k in finding.responsible}
    shown = shown or dict(finding.params)
    return f"{one_line(call(short_name(finding.op), shown), 80)}: {headline(finding)}"


def clock(seconds: float) -> str:
    """A duration as a clock shows it: 0:09, 12:00, 1:02:03."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """``1 bug``, ``2 bugs``, ``3,021 trials``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def middle_cut(text: str, limit: int) -> str:
    """At most ``limit`` letters. Names of layers differ at their ends: the middle goes."""
    if len(text) <= limit:
        return text
    front = limit // 2
    return f"{text[:front]}…{text[len(text) - (limit - front - 1) :]}"


def categories(counts: Mapping[str, int]) -> str:
    """Counts of findings by category in words, bugs first: ``6 bugs, 1 unsupported``."""
    countable = {"bug": "bugs", "convention": "conventions"}
    parts = [
        plural(count, category, countable.get(category, category))
        for category, count in counts.items()
        if count
    ]
    return ", ".join(parts)
