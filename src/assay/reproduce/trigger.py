"""What it takes to meet a fault: an op with the parameters and tensors that matter, in words."""

from typing import Any

from assay.ir import Finding
from assay.reproduce.literals import is_class, keywords_code, value_code

_CALL_LENGTH = 90
#: Parameters that one number, or one for each axis, may be given for.
_SIZES = ("kernel_size", "pool_size", "strides", "dilation_rate", "groups", "size", "factor")
#: What ordinary tensors hold.
_USUAL = ("float", "int32", "int64", "complex", "bfloat16")


def trigger(finding: Finding) -> str:
    """The op and what makes it fail, or the whole call if nobody found that out.

    What a reduction found not to matter is not named; of a parameter of which some other
    values show it too, the kind of value is told, not the one that happened to be drawn.
    """
    told = call(finding) if finding.reduction is None else _with_what_matters(finding)
    return f"{told}{_tensors(finding)}"


def call(finding: Finding) -> str:
    """The op and the parameters that matter, or all if that is not known."""
    # The format that a layer is told to compute in is no parameter of its spec.
    telling = {*finding.responsible, "dtype"} if ".layers." in finding.op else finding.responsible
    params = {k: v for k, v in finding.params.items() if k in telling}
    keywords = ", ".join(keywords_code(params or finding.params))
    if len(keywords) > _CALL_LENGTH:
        keywords = "…"
    return f"{finding.op}({keywords})" if keywords or is_class(finding.op) else finding.op


def _with_what_matters(finding: Finding) -> str:
    reduction = finding.reduction
    partial = set(reduction.partial) if reduction is not None else set()
    idle = set(reduction.irrelevant) - partial if reduction is not None else set()
    layer = ".layers." in finding.op
    phrases = [
        _kind(name, value) if name in partial else _value(name, value)
        for name, value in finding.params.items()
        if name in partial or name in finding.responsible or (layer and name == "dtype")
    ]
    phrases += [f"the default {n}" for n in finding.responsible if n not in finding.params]
    undecided = [n for n in finding.params if n not in idle and n not in finding.responsible]
    if not phrases and undecided:
        return call(finding)  # nothing is known of these
    if not phrases:
        return finding.op
    joined = phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"
    return f"{finding.op} with {joined}"


def _value(name: str, value: Any) -> str:
    """A value that no other one shows it with."""
    if name in _SIZES and isinstance(value, int) and value > 1:
        return f"{name} > 1"
    return f"{name}={value_code(value)}"


def _kind(name: str, value: Any) -> str:
    """The kind of a value that some others show it with, too."""
    if isinstance(value, bool) or value is None or isinstance(value, (str, dict)):
        return f"{name}={value_code(value)}"
    if isinstance(value, (list, tuple)):
        return f"a tuple {name}"
    if name in _SIZES and value > 1:
        return f"{name} > 1"
    kind = "a float" if isinstance(value, float) else "an int"
    return f"a negative {name}" if value < 0 else f"{kind} {name}"


def _tensors(finding: Finding) -> str:
    """What is special about the tensors; "" if nothing is known to be."""
    inputs = finding.case.graph.inputs
    if any(0 in item.shape for item in inputs):
        # A reduction fills what need not be empty.
        batch = all(item.shape[:1] == (0,) and 0 not in item.shape[1:] for item in inputs)
        return " of an empty batch" if batch and len(inputs[0].shape) > 1 else " of an empty tensor"
    values = finding.cause.values if finding.cause is not None else ""
    if values:
        return f" {values}"
    dtypes = {item.dtype for item in inputs}
    if len(dtypes) == 1 and not next(iter(dtypes)).startswith(_USUAL):
        (dtype,) = dtypes
        return " of booleans" if dtype == "bool" else f" of {dtype}"
    return ""
