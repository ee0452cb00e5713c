"""Errors of gradients: held against derivatives from ball arithmetic, as differences are no truth.

The gradient is that of the sum of the results. Of functions of numbers by themselves it is the
derivative at each number; where results hang on several numbers, each result is multiplied by a
number of its own first (see ``whole_gradients``).
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from assay.campaign.precision.asking import in_format
from assay.campaign.precision.cotangents import is_whole, without
from assay.campaign.precision.job import Job
from assay.campaign.precision.tally import Record
from assay.campaign.precision.whole_gradients import explained, rows, upstreams
from assay.ir import Array, Case
from assay.ir.graph import is_tensor
from assay.ir.precision import Worst
from assay.libraries import SHARED, translated
from assay.sources.precision import Drawn
from assay_worker.precision.formats import rounded, unit
from assay_worker.precision.measuring import summary

#: How many units of float64 the nearest float64 number may be off the derivative.
_ROUNDED = 0.5


class _Slopes(msgspec.Struct, frozen=True):
    """By searched tensor: derivatives, and how far half a unit of all numbers moves them."""

    truths: list[Array]
    beside: list[Array]
    #: By two tensors.
    second: Array


def compared(
    job: Job,
    drawn: Drawn,
    near: Mapping[str, Array],
    answer: dict[str, Any],
    shares: list[Array],
) -> dict[str, Any]:
    """What a worker would tell of the errors of its gradients; ``Lacking`` without a truth.

    ``near`` are the inputs as the target got them, ``shares`` what results were multiplied by.
    """
    ran = answer["ran"]
    names = sorted(near)
    tensors = {name: near[name][ran] for name in names}
    formats = list(answer["formats"])
    told = [name for name, format in zip(names, formats, strict=True) if format]
    answers = dict(zip(told, answer["gradients"], strict=True))
    finest = "float64" if "float64" in formats else job.computes
    truths, beside = _truths(job, drawn, tensors, answers, finest, shares)
    chosen = [place for place, name in enumerate(names) if name in answers]
    found = summary(
        [name for name in formats if name],
        [answers[names[place]] for place in chosen],
        [truths[place] for place in chosen],
        [beside[place] for place in chosen],
    )
    plain = {name: answer[name] for name in ("status", "ran", "raised", "failure", "measured")}
    return {**plain, "formats": sorted({name for name in formats if name}), **found}


def shares_of(job: Job, drawn: Drawn) -> list[Array]:
    """What each result is multiplied by, where it hangs on several numbers; else nothing."""
    return upstreams(job, drawn) if is_whole(drawn.case) else []


def _truths(
    job: Job,
    drawn: Drawn,
    tensors: Mapping[str, Array],
    answers: Mapping[str, Array],
    finest: str,
    shares: list[Array],
) -> tuple[list[Array], list[Array]]:
    """By tensor, of inputs in rows: gradients, and how far rounding of the numbers moves them."""
    if shares:
        found = rows(job, drawn, tensors, answers, finest, shares)
        return found.truths, found.beside
    names = sorted(tensors)
    kept = {name: array.reshape(len(array), -1) for name, array in tensors.items()}
    first, *others = _slopes(job, drawn, kept, finest)
    truths, beside = list(first.truths), first.beside
    for other in others:
        # Of parameters that were rounded or were not, the ones that suit the answer count.
        for place, name in enumerate(names):
            if name not in answers:
                continue
            with np.errstate(all="ignore"):
                apart = [abs(answers[name] - item.truths[place]) for item in (first, other)]
                nearer = apart[1] < apart[0]
            truths[place] = np.where(nearer, other.truths[place], truths[place])
    return truths, beside


def _whole_worst(
    job: Job, record: Record, near: Mapping[str, Array], place: int, inputs: Mapping[str, Any]
) -> Worst:
    found = explained(job, record, near, place)
    return _worst(record, dict(inputs), found.condition, found.ball, found.terms)


def gradient_worst(
    job: Job, record: Record, near: Mapping[str, Array], inputs: Mapping[str, Any]
) -> Worst:
    """The worst error of a kind, with what rounding of the numbers at its place explains.

    ``inputs`` are told where it hangs on more than these.
    """
    names = sorted(near)
    size = near[names[0]].size
    measured = [name for name, known in zip(names, record.measured, strict=True) if known]
    which = names.index(measured[record.place // size])
    place = record.place % size
    if is_whole(record.drawn.case):
        return _whole_worst(job, record, near, which * size + place, inputs)
    alone = {name: float(near[name].reshape(-1)[place]) for name in names}
    one = {name: np.array([[number]]) for name, number in alone.items()}
    slopes, *_ = _slopes(job, record.drawn, one, "float64", place)
    moved = np.abs(slopes.second[which, :, 0, 0]) * np.abs([alone[name] for name in names])
    size_of = abs(float(slopes.truths[which][0, 0]))
    known = bool(np.isfinite(size_of) and np.all(np.isfinite(moved)))
    total = float(moved.sum()) if known else 0.0
    condition = (total / size_of if size_of else float("inf") if total else 0.0) if known else None
    ball = float(slopes.beside[which][0, 0]) / record.unit if known else None
    return _worst(record, dict(alone), condition, ball, len(names))


def _worst(
    record: Record, inputs: dict[str, Any], condition: float | None, ball: float | None, terms: int
) -> Worst:
    wide = record.question.computes == "float64"
    lower = max(0.0, record.ulp - _ROUNDED) if wide else record.ulp
    return Worst(
        index=record.index,
        place=record.place,
        answer=record.answer,
        truth=record.truth,
        ulp=record.ulp,
        inputs=inputs,
        condition=condition,
        ball=ball,
        terms=terms,
        proven=lower if np.isfinite(lower) else None,
    )


def _slopes(
    job: Job, drawn: Drawn, near: Mapping[str, Array], format: str, place: int | None = None
) -> list[_Slopes]:
    """Of rows of numbers by name: with parameters as given, and as an operator may hold them.

    With a ``place`` the numbers are those at that place of their tensors.
    """
    # It takes python-flint, which no other command needs.
    from assay.judge.balls import NoFormula, NoTruth
    from assay.judge.balls.answers import with_rounded_parameters
    from assay.judge.balls.derivatives import derivatives

    plain = in_format(translated(drawn.case, SHARED), job.computes)
    names = sorted(near)
    try:
        cases = [plain, with_rounded_parameters(plain, job.computes)]
        if cases[0].graph.nodes[0].params == cases[1].graph.nodes[0].params:
            del cases[1]
        return [_of_case(job, case, names, near, format, place, derivatives) for case in cases]
    except (NoFormula, NoTruth) as error:
        raise without(error) from None


def _of_case(
    job: Job,
    case: Case,
    names: list[str],
    near: Mapping[str, Array],
    format: str,
    place: int | None,
    derivatives: Any,
) -> _Slopes:
    from assay.judge.balls import NoFormula

    (node,) = case.graph.nodes
    if any(is_tensor(value) for value in node.arguments.values()):
        raise NoFormula(f"{node.op} takes tensors by name")
    shape = next(item.shape for item in case.graph.inputs if item.name == names[0])
    arrays = []
    for argument in node.inputs:
        if argument in near:
            arrays.append(near[str(argument)])
        elif isinstance(argument, str):
            fixed = rounded(case.input_arrays()[argument], job.computes)
            spread = np.broadcast_to(fixed, shape).reshape(1, -1)
            arrays.append(spread if place is None else spread[:, place : place + 1])
        else:
            raise NoFormula(f"{node.op} takes a list of tensors")
    by = [node.inputs.index(name) for name in names]
    found = derivatives(node.op, arrays, {**node.params, **node.arguments}, by=by, format=format)
    with np.errstate(all="ignore"):
        halves = [0.5 * unit(near[name], job.dtype) * (near[name] != 0.0) for name in names]
        beside = [
            np.nan_to_num(
                sum(np.abs(found.second[row, other]) * half for other, half in enumerate(halves)),
                posinf=np.inf,
            )
            for row in range(len(names))
        ]
    return _Slopes(list(found.first), beside, found.second)


__all__ = ["compared", "gradient_worst", "shares_of"]
