"""What a host asks: the errors of a population, and how much one input explains of its own.

``measure``: inputs of one call, arrays of shape (inputs, *shape), are rounded to the format and
run on the target, the truth beside them; what goes back is errors. The ``truth`` is the reference
on the same rounded inputs, or (``wide``) the target itself in a wider format on the inputs as
they came, as published. An interpreter without SciPy has no reference: it is sent the ``truths``
that another one computed by ``truths_of``. ``gradients``: the gradients themselves, as the
reference has no exact ones. ``condition``: how much the reference says of one element of the
result. ``sweep``: a function of one number at a block of all numbers of a format, or one of two
at pairs. ``repeat``: errors of an op on its own result, again and again. ``tolerance``: what the
library's own tests grant.
"""

import json
import time

import numpy as np

from assay_worker.libraries._base import StageFailure, describe_failure
from assay_worker.precision import (
    exhaustive,
    functions,
    pairs,
    populations,
    repeating,
    residuals,
    tolerances,
)
from assay_worker.precision.formats import FORMATS, flushes, rounded, unit
from assay_worker.precision.gradients import GradientProgram
from assay_worker.precision.measuring import summary
from assay_worker.precision.programs import Lacking, TargetProgram, TrueProgram

#: Inputs beside each one, by which it is told what the format's rounding of inputs explains: all
#: elements larger, then signs at random. A power of two, small beside float32's and float16's.
_BESIDE = 3
_STEP = 2.0**-26
#: Step of the central differences of a condition number: truncation and rounding are alike.
_FAR = 2.0**-17
#: So many elements at most have their share of a condition number told.
_MOST = 4096
#: Copies that are run at a time.
_AT_ONCE = 256
#: How fine each format is.
BITS = {name: FORMATS[name].bits for name in FORMATS}
#: Programs that are kept, the newest: one call on one target in two formats.
_KEPT = 8


def answer(adapter, request):
    """The answer to a request."""
    started = time.process_time()
    steps = {
        "measure": _measured,
        "gradients": _gradients,
        "condition": _condition,
        "sweep": _swept,
        "repeat": _repeated,
        "tolerance": _tolerance,
    }
    step = steps[request["step"]]
    try:
        told = step(adapter, request)
    except StageFailure as failure:
        told = {"status": "error", "failure": describe_failure(failure)}
    except Lacking as error:
        told = {"status": "lacking", "message": str(error)}
    return dict(told, cpu_seconds=time.process_time() - started)


def _kept(adapter, make, kind, case, *facts):
    """A program that was made before, or a new one."""
    programs = adapter.__dict__.setdefault("_precision_programs", {})
    key = (kind, json.dumps(case, sort_keys=True, default=repr)) + facts
    if key not in programs:
        while len(programs) >= _KEPT:
            del programs[next(iter(programs))]
        programs[key] = make()
    return programs[key]


def _truth(adapter, request):
    """The reference, and how many inputs it can be given as one.

    Weights are those of the target: in the format that it computes in.
    """
    case, dtype = request["shared"], request.get("computes", request["dtype"])
    names = tuple(sorted(request["inputs"]))

    def make():
        program = TrueProgram(case, names, dtype)
        shapes = {item["name"]: item["shape"] for item in case["graph"]["inputs"]}
        return program, populations.way_of(program, {name: shapes[name] for name in names})

    return _kept(adapter, make, "truth", case, dtype, names)


def way_of(holder, request):
    """How many inputs can be run as one; see ``truths_of``."""
    return _truth(holder, request)[1]


def _target(adapter, case, names, dtype):
    return _kept(
        adapter,
        lambda: TargetProgram(adapter, case, names, dtype),
        "target",
        case,
        dtype,
        names,
    )


def truths_of(holder, request):
    """What a worker without a reference is to hold its answers against.

    ``known`` are the inputs of which the reference says something; ``truths`` and ``beside`` are
    of those. ``holder`` is any object: programs are kept with it.
    """
    names, dtype = sorted(request["inputs"]), request["dtype"]
    near = {
        name: rounded(np.asarray(request["inputs"][name], "float64"), dtype, flushes(dtype))
        for name in names
    }
    true, way = _truth(holder, request)
    truths, known, _ = _run(true, near, way)
    near = {name: near[name][known] for name in names}
    beside = _beside(true, near, way, list, truths, dtype) if known.any() else []
    return {"way": way, "known": known, "truths": truths, "beside": beside}


def _measured(adapter, request):
    names = tuple(sorted(request["inputs"]))
    dtype, computes = request["dtype"], request["computes"]
    given = {name: np.asarray(request["inputs"][name], "float64") for name in names}
    near = {name: rounded(given[name], dtype, flushes(dtype)) for name in names}
    sent = request.get("truths")
    true, way = _truth(adapter, request) if sent is None else (None, sent["way"])
    program = _target(adapter, request["case"], names, computes)
    answers, ran, failure = _run(program, near, way)
    raised = int(np.count_nonzero(~ran))
    if not ran.any():
        return {"status": "error", "failure": failure}
    near = {name: near[name][ran] for name in names}
    _require_fine(program, computes)
    # It needs no truth: also of matrices so nearly singular that the reference claims nothing.
    backward = _backward(request, program, near, answers)
    if request["wide"] is None:
        # Inputs on which the library fails are left out of the truth, too; and of the answers
        # those of which the reference says nothing.
        truths, told, _ = _run(true, near, way) if sent is None else (None, sent["known"][ran], "")
        if not told.any():
            return {"status": "unknown", "backward": backward}
        answers = [item[told] for item in answers]
        near = {name: near[name][told] for name in names}
        if sent is None:
            truths = _only(program, truths)
            beside = _beside(
                true, near, way, lambda outputs: _only(program, outputs), truths, dtype
            )
        else:
            rows = ran[sent["known"]]
            truths = [item[rows] for item in _only(program, sent["truths"])]
            beside = [item[rows] for item in _only(program, sent["beside"])]
        ran[ran] = told
    else:
        wide = _target(adapter, request["wide"], names, request["wider"])
        kept = {name: rounded(given[name][ran], request["wider"]) for name in names}
        truths, _, _ = _run(wide, kept, way)
        beside = [np.zeros(item.shape) for item in truths]
    formats = [name for name in program.formats if name]
    told = summary(formats, answers, truths, beside)
    told["ran"] = ran
    told["raised"] = raised
    told["failure"] = failure
    told["formats"] = sorted({name for name in program.formats if name})
    told["way"] = way
    told["backward"] = backward
    told["measured"] = program.told()
    return dict(told, status="ok")


def _backward(request, program, near, answers):
    """The backward error of each input, or None; see ``residuals``."""
    nodes = request["shared"]["graph"]["nodes"]
    if len(nodes) != 1:  # in the shared words others are moved first, as images of PyTorch
        return None
    (node,) = nodes
    count = len(next(iter(near.values())))
    given = {name: np.repeat(program.fixed[name][None], count, axis=0) for name in program.fixed}
    given.update(near)
    if not all(isinstance(name, str) and name in given for name in node["inputs"]):
        return None
    arguments = [given[name] for name in node["inputs"]]
    (name,) = set(program.formats) - {None} if len(answers) == 1 else (None,)
    return residuals.backward(node["op"], arguments, answers, name)


def _gradients(adapter, request):
    """The gradients of a population by each of its tensors, as float64: (inputs, elements)."""
    names = tuple(sorted(request["inputs"]))
    dtype, computes = request["dtype"], request["computes"]
    near = {
        name: rounded(np.asarray(request["inputs"][name], "float64"), dtype, flushes(dtype))
        for name in names
    }
    case, shares = request["case"], request.get("upstream", ())
    program = _kept(
        adapter,
        lambda: GradientProgram(adapter, case, names, computes, shares),
        "gradients",
        case,
        computes,
        names,
        str(shares),
    )
    sent = request.get("truths")
    way = _truth(adapter, request)[1] if sent is None else sent["way"]
    answers, ran, failure = _run(program, near, way)
    if not ran.any():
        return {"status": "error", "failure": failure}
    _require_fine(program, computes)
    return {
        "status": "ok",
        "gradients": answers,
        "ran": ran,
        "raised": int(np.count_nonzero(~ran)),
        "failure": failure,
        "formats": list(program.formats),
        "measured": program.told(),
    }


def _require_fine(program, computes):
    """``Lacking`` if what it gives has fewer bits than what it computes in."""
    coarser = [name for name in program.formats if name and BITS[name] < BITS[computes]]
    if coarser:
        raise Lacking("gives %s for %s" % (coarser[0], computes))


def _only(program, outputs):
    """Of the reference's outputs those that are measured."""
    return [item for item, known in zip(outputs, program.told()) if known]


def _run(program, inputs, way):
    """Outputs of those inputs on which the target works, which those are, and a failure."""
    count = len(next(iter(inputs.values())))
    every = np.ones(count, dtype=bool)
    try:
        return populations.run_many(program, inputs, way), every, None
    except (StageFailure, ValueError):  # one of them may be the reason: singly then
        ran, rows, failure = np.zeros(count, dtype=bool), [], None
    for row in range(count):
        try:
            outputs = program({name: inputs[name][row] for name in inputs})
        except StageFailure as error:
            failure = failure or describe_failure(error)
            continue
        ran[row] = True
        rows.append([np.reshape(item, (1, -1)) for item in outputs])
    if not rows:
        return [], ran, failure
    return [np.concatenate(items) for items in zip(*rows)], ran, failure


def _beside(true, inputs, way, only, truths, dtype):
    """How far half a unit in the last place of all inputs moves each result, about."""
    share = 2.0 ** -FORMATS[dtype].bits / _STEP
    moved = [np.zeros(item.shape) for item in truths]
    state = np.random.RandomState(7)
    for turn in range(_BESIDE):
        others = {}
        for name in sorted(inputs):
            array = inputs[name]
            signs = np.where(state.random_sample(array.shape) < 0.5, -1.0, 1.0) if turn else 1.0
            others[name] = array * (1.0 + _STEP * signs)
        with np.errstate(all="ignore"):
            outputs, known, _ = _run(true, others, way)
            # What the reference says nothing of is as far as anything: rounding explains it.
            if not known.any():
                return [np.full(item.shape, np.inf) for item in truths]
            for place, rows in enumerate(only(outputs)):
                output = _spread(rows, known)
                gone = np.abs(output - truths[place])
                gone = np.where(np.isnan(gone) & ~np.isnan(truths[place]), np.inf, gone)
                moved[place] = np.fmax(moved[place], share * gone)
    return moved


def _spread(rows, known):
    """The rows at their places among all, NaN in those that are not known."""
    if known.all():
        return rows
    found = np.full((len(known), rows.shape[1]), np.nan)
    found[known] = rows
    return found


def _swept(adapter, request):
    """The summary of a function of one number at numbers ``start`` to ``stop`` of a format.

    Of one of two numbers: at pairs ``start`` to ``stop`` of the chosen ones.
    """
    names = tuple(sorted(request["inputs"]))
    dtype = request["dtype"]
    true, _ = _truth(adapter, dict(request, inputs=names))
    program = _target(adapter, request["case"], names, request["computes"])
    truth = functions.truth_of(true, names)

    def run(*arrays):
        return functions.single(program(dict(zip(names, arrays)), widened=False), arrays[0])

    try:
        functions.require(truth, len(names))
        run(*functions.few(len(names)))
        output = program.formats[0]
        if BITS[output] < BITS[request["computes"]]:
            raise Lacking("gives %s for %s" % (output, request["computes"]))
        sweep = exhaustive.swept if len(names) == 1 else pairs.swept
        told = sweep(run, truth, dtype, output, request["start"], request["stop"])
    except functions.NoFunction as error:
        raise Lacking(str(error)) from error
    return dict(told, status="ok", format=output)


def _repeated(adapter, request):
    """The errors after so many executions; the first input becomes the result."""
    names = tuple(sorted(request["inputs"]))
    dtype, computes = request["dtype"], request["computes"]
    near = {
        name: rounded(np.asarray(request["inputs"][name], "float64"), dtype, flushes(dtype))
        for name in names
    }
    true, way = _truth(adapter, request)
    program = _target(adapter, request["case"], names, computes)

    def stored():
        (name,) = (name for name in program.formats if name)
        return name

    def run(inputs):
        return populations.run_many(program, inputs, way)

    def truth(inputs):
        return populations.run_many(true, inputs, way)

    try:
        told = repeating.grown(run, truth, near, request["count"], names[0], stored)
    except (repeating.Stopped, ValueError) as error:
        return {"status": "stopped", "message": str(error)}
    return {"status": "ok", "growth": told}


def _tolerance(adapter, request):
    """What the library's own tests grant."""
    told = tolerances.tolerance(request["library"], request["op"], request["dtype"])
    return dict(told, status="ok")


def _condition(adapter, request):
    """How one element of the result moves with each number of one input, by the reference.

    ``condition`` is relative: by how much larger the relative movement of the result is than that
    of the inputs, all signs at their worst; None if that is not to be had. ``ball`` is how far
    half a unit in the last place of every number of the input moves it. ``alone``: it hangs on
    the numbers at its own place in tensors of the result's size, and on no others. ``terms``: how
    many numbers it hangs on.
    """
    names = sorted(request["inputs"])
    inputs = {name: np.asarray(request["inputs"][name], "float64") for name in names}
    sizes = {name: inputs[name].size for name in names}
    if sum(sizes.values()) > _MOST:
        return {"status": "ok", "condition": None, "ball": None, "alone": False, "terms": 0}
    plain = {name: inputs[name][None] for name in names}
    true, way = _truth(adapter, dict(request, inputs=plain))
    place = request["place"]
    told = request["measured"]

    def results(copies):
        outputs = populations.run_many(true, copies, way)
        kept = [item for item, known in zip(outputs, told) if known]
        return np.concatenate(kept, axis=1)

    first = results(plain)
    centre = float(first[0, place])
    alone = all(size == first.shape[1] for size in sizes.values())
    relative, ball, terms = 0.0, 0.0, 0
    for name in names:
        flat = inputs[name].reshape(-1)
        half = 0.5 * unit(flat, request["dtype"])
        for start in range(0, flat.size, _AT_ONCE // 2):
            chosen = np.arange(start, min(start + _AT_ONCE // 2, flat.size))
            chosen = chosen[flat[chosen] != 0.0]
            if not chosen.size:
                continue
            ends = []
            for sign in (1.0, -1.0):
                copies = {key: np.repeat(plain[key], chosen.size, axis=0) for key in names}
                moving = copies[name].reshape(chosen.size, -1)
                moving[np.arange(chosen.size), chosen] *= 1.0 + sign * _FAR
                ends.append(results(copies)[:, place])
            with np.errstate(all="ignore"):
                slopes = np.abs(ends[0] - ends[1]) / (2.0 * _FAR)
                alone = alone and not np.any(slopes[chosen != place])
                terms += int(np.count_nonzero(slopes))
                relative += float(np.sum(slopes))
                ball += float(np.sum(slopes / np.abs(flat[chosen]) * half[chosen]))
    if not np.isfinite(relative) or not np.isfinite(centre):
        return {"status": "ok", "condition": None, "ball": None, "alone": alone, "terms": terms}
    condition = relative / abs(centre) if centre else (np.inf if relative else 0.0)
    told = {"condition": condition, "ball": ball, "alone": alone, "terms": terms}
    return dict(told, status="ok")
