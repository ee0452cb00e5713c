"""Faults drawn by seed from template x op, none of them picked by hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.ir import derive
from assay.ops import Draw, OpSpec

_FACTORS = (0.5, 0.9, 1.1, 1.5, 2.0)
_SHIFTS = (-1.0, -0.1, 0.1, 0.5, 1.0)
_GRADIENT_FACTORS = (-1.0, 0.5, 0.9, 1.5, 2.0)


class Fault(msgspec.Struct, frozen=True):
    """One op of one target, and what is wrong with it (see ``inject``)."""

    op: str
    template: str
    target: str
    details: dict[str, Any]

    def shown(self) -> str:
        """Template and details in a few words."""
        hidden = ("of_call", "instead", "values")
        details = [str(value) for key, value in self.details.items() if key not in hidden]
        return f"{self.template} ({', '.join(details)})" if details else self.template


Details = dict[str, Any]


class Template(msgspec.Struct, frozen=True):
    """A kind of fault: the details it can have for an op; None where it does not apply."""

    name: str
    details: Callable[[OpSpec, Draw], Details | None]


def _numbers(spec: OpSpec) -> bool:
    return spec.result in ("float", "integer", "invariants")


def _differentiable(spec: OpSpec) -> bool:
    floats = any(name.startswith("float") for tensor in spec.tensors for name in tensor.dtypes)
    return spec.differentiable and floats and spec.result == "float"


def _scaled(spec: OpSpec, draw: Draw) -> Details | None:
    return {"factor": draw.pick(_FACTORS)} if _numbers(spec) else None


def _shifted(spec: OpSpec, draw: Draw) -> Details | None:
    return {"shift": draw.pick(_SHIFTS)} if _numbers(spec) else None


def _loss_scaled(spec: OpSpec, draw: Draw) -> Details | None:
    return {"factor": draw.pick(_FACTORS)} if spec.family == "losses" else None


def _branch(spec: OpSpec, draw: Draw) -> Details | None:
    branches = ("odd size", "last element", "negative")
    return {"branch": draw.pick(branches[:2] if spec.result == "bool" else branches)}


def _nan(spec: OpSpec, draw: Draw) -> Details | None:
    if spec.result != "float":
        return None
    return {"region": draw.pick(("negative", "above one half"))}


def _crash(spec: OpSpec, draw: Draw) -> Details | None:
    return {"death": draw.pick(("abort", "segmentation fault"))} if spec.tensors else None


def _varying(spec: OpSpec, draw: Draw) -> Details | None:
    return {} if _numbers(spec) else None


def _gradient(spec: OpSpec, draw: Draw) -> Details | None:
    return {"factor": draw.pick(_GRADIENT_FACTORS)} if _differentiable(spec) else None


def _zeroed(spec: OpSpec, draw: Draw) -> Details | None:
    return {"factor": 0.0} if _differentiable(spec) else None


def _weight(spec: OpSpec, draw: Draw) -> Details | None:
    if not spec.weights or not spec.differentiable:
        return None
    return {"factor": draw.pick(_GRADIENT_FACTORS), "weight": draw.below(4)}


def _ignored(spec: OpSpec, draw: Draw) -> Details | None:
    offered = [item for item in spec.parameters if not item.required]
    if not offered:
        return None
    item = draw.pick(offered)
    return {"parameter": item.name, "of_call": item.argument}


def _accepted(spec: OpSpec, draw: Draw) -> Details | None:
    offered = [item for item in spec.parameters if item.invalid]
    if not offered:
        return None
    item = draw.pick(offered)
    # Which values it accepts is found out by probing: those that every target refuses.
    details: Details = {"parameter": item.name, "of_call": item.argument}
    if item.required:
        plain = [choice.value for choice in item.valid if choice.make is None]
        if not plain or isinstance(plain[0], dict):
            return None
        details["instead"] = plain[0]
    return details


TEMPLATES = (
    Template("forward scaled", _scaled),
    Template("forward shifted", _shifted),
    Template("parameter ignored", _ignored),
    Template("branch wrong", _branch),
    Template("gradient scaled", _gradient),
    Template("gradient zeroed", _zeroed),
    Template("weight's gradient wrong", _weight),
    Template("loss scaled", _loss_scaled),
    Template("nan on a region", _nan),
    Template("hard crash", _crash),
    Template("uninitialised output", _varying),
    Template("silent acceptance", _accepted),
)


#: They show only in calls that models do not make: invalid ones, and repeated ones.
_NOT_IN_MODELS = ("silent acceptance", "uninitialised output")
#: Functions have no weights and no labels, and what they must refuse is not described.
_NOT_IN_FUNCTIONS = ("silent acceptance", "weight's gradient wrong", "loss scaled")


def templates_for(technique: str, native: bool = False) -> tuple[Template, ...]:
    """The kinds of faults that a technique can meet; ``native``: in functions of a library."""
    left_out = () if technique == "single-op" else _NOT_IN_MODELS
    left_out += _NOT_IN_FUNCTIONS if native else ()
    return tuple(template for template in TEMPLATES if template.name not in left_out)


def candidates(
    seed: int,
    vocabulary: Mapping[str, OpSpec],
    targets: Sequence[str],
    templates: Sequence[Template] = TEMPLATES,
) -> Iterator[Fault]:
    """Faults without end; every template has the same chance, and so has every op it fits."""
    names = sorted(name for name, spec in vocabulary.items() if not spec.stochastic)
    draw = Draw(derive(seed, "faults"))
    while True:
        template, spec = draw.pick(templates), vocabulary[draw.pick(names)]
        target = draw.pick(targets)
        # Redrawn until one fits: a loss is scaled only where there is a loss.
        while (details := template.details(spec, draw)) is None:
            spec = vocabulary[draw.pick(names)]
        yield Fault(spec.name, template.name, target, details)
