"""Cases run by the programs of a rule, on many inputs, until they disagree."""

import contextlib
import time

import numpy as np

from assay_worker import recipes
from assay_worker.inside import Operators, frames
from assay_worker.libraries._base import (
    BY_RULE,
    NotOffered,
    Question,
    StageFailure,
    at,
    lookup,
    same_bits,
    tensor_names,
)
from assay_worker.rules import rule as rule_of
from assay_worker.rules._base import Facts

#: Before the names of what a rule's own first program gives.
EXPECTED = "expected:"
#: What the host's screen lets pass (``assay.gaps.SCREEN``), of an element and of the largest one,
#: and the formats in which that is another share. A draw that it would not look at must not keep
#: the others from being run.
RELATIVE, OF_LARGEST = 1e-3, 1e-4
COARSE = {"float16": 30.0, "float64": 2.0**-29}


class Rewritten(object):
    """The programs of a rule for a question; see ``Adapter.program`` for how it is called.

    A graph of one node is a call of its op; a larger one is a function of its inputs.
    """

    def __init__(self, adapter, question, name):
        self.adapter = adapter
        self.question = question
        self.rule = rule_of(name)
        library = adapter.spoken
        with at("build"):
            if library not in self.rule.programs:
                raise NotOffered("rule %s has no program for %s" % (name, library))
        nodes = question.graph["nodes"]
        with at("build"):
            if len(nodes) == 1 and not self.rule.covers(_facts(library, question.graph)):
                raise NotOffered("rule %s does not apply to this call" % name)
        self.steps = [adapter.step(question, node) for node in nodes]
        self.label = nodes[-1]["id"]
        self.seeded = any(adapter.may_draw(node["op"]) for node in nodes)
        self.leading, self.named = (), {}
        function = self._opened(self.steps[0].function) if len(nodes) == 1 else self._model
        self.plain = function
        first = self.rule.firsts.get(library)
        public = (nodes[0]["op"].rpartition(".")[2],) if self.rule.called else ()
        self.first, self.second = self._offered(
            lambda: (first and first(function), self.rule.programs[library](function, *public)),
            "build",
        )

    def _opened(self, function):
        """The API itself, whose name and arguments programs go by; its parameters are kept."""
        if not hasattr(function, "func"):
            return function
        self.leading, self.named = function.args, function.keywords
        return function.func

    def _model(self, *tensors):
        """The whole graph as a function of its inputs, in their order."""
        values = dict(zip([item["name"] for item in self.question.graph["inputs"]], tensors))
        for step in self.steps:
            positional, keywords = step.arguments(values)
            flat = self.adapter.flat(step.function(*positional, **keywords))
            values.update(zip(tensor_names(step.id, len(flat)), flat))
        outputs = [lookup(values, name) for name in self.question.graph["outputs"]]
        return outputs[0] if len(outputs) == 1 else outputs

    def __call__(self, inputs, record):
        """One run of both programs, or of the second if the first is the plain call."""
        engine = self.adapter.engine
        with engine.session(False) as session:
            if self.first is not None:
                # It is nobody's program but ours: without its answer there is nothing to compare.
                with at("forward", self.label), _ours():
                    self._run(session, self.first, inputs, record, EXPECTED)
            self._offered(lambda: self._run(session, self.second, inputs, record, ""), "forward")

    def operators(self, inputs):
        """The operators that the plain call runs, and those of the second program."""
        found = []
        with self.adapter.engine.session(False) as session:
            for program in (self.plain, self.second):
                recorder = Operators(self.adapter.engine)
                with at("forward", self.label):
                    self._run(session, _watched(program, recorder), inputs, {}, "")
                found.append(recorder.calls)
        return found

    def _offered(self, work, stage):
        """What it gives; an error that says that there is no second program is ``NotOffered``."""
        try:
            with at(stage, self.label):
                return work()
        except StageFailure as failure:
            if not self.rule.refuses(failure.original):
                raise
            raise StageFailure(stage, self.label, NotOffered(str(failure.original))) from failure

    def _run(self, session, program, inputs, record, prefix):
        session.dtypes = self.question.cast
        tensors = {name: session.watched(name, inputs[name]) for name in inputs}
        if len(self.steps) == 1:
            (step,) = self.steps
            positional, keywords = step.arguments(tensors)
            step.prepare(positional, keywords)
            positional = list(self.leading) + list(positional)
            keywords = dict(self.named, **keywords)
        else:
            positional = [tensors[item["name"]] for item in self.question.graph["inputs"]]
            keywords = {}
        if self.seeded:
            self.adapter.engine.seed(0)
        flat = self.adapter.flat(program(*positional, **keywords))
        for name, tensor in zip(tensor_names(self.label, len(flat)), flat):
            record[prefix + "output:" + name] = self.adapter.engine.numpy(tensor)


def _watched(program, recorder):
    """The program, with a recorder that sees its operators and no others."""

    def watched(*positional, **keywords):
        with recorder.engine.operators(recorder):
            return program(*positional, **keywords)

    return watched


@contextlib.contextmanager
def _ours():
    """An error says that the rule cannot ask this call."""
    try:
        yield
    except NotOffered:
        raise
    except Exception as error:
        raise NotOffered("%s: %s" % (type(error).__name__, error)) from error


def sweep(adapter, case, draws, name, tolerance=None):
    """The first draw of the inputs on which the programs of a rule disagree, else the first one.

    As ``Adapter.execute`` with that variant, and ``draw``, the number of the draw, ``draws``, how
    many were run, and ``valid``, on how many the first program gave some numbers. A program that
    is not to be had for this call ends it. ``tolerance``, absolute and relative, is what numbers
    may be apart by, if not a few units in the last place.
    """
    variant = BY_RULE + name
    question = Question(case)
    chosen, valid, ran = None, 0, 0
    started = time.process_time()
    programs = {}
    for draw in range(draws):
        drawn = {key: recipes.redrawn(item, draw) for key, item in case["inputs"].items()}
        result = adapter.run_once(question, drawn, (variant,), programs, clock=_no_clock)
        result["draw"] = draw
        ran += 1
        if chosen is None:
            chosen = dict(result, digest=question.digest())
        if result["status"] == "ok" and _tells(result["arrays"]):
            valid += 1
        if draw and _apart_there(result, variant, tolerance):
            # A program that was made for other numbers may hold on to them.
            programs = {}
            result = adapter.run_once(question, drawn, (variant,), programs, clock=_no_clock)
            result["draw"] = draw
        further = result["variants"].get(variant)
        if further is None or further["status"] == "absent":
            break
        if result["status"] != "ok" or _apart_there(result, variant, tolerance):
            chosen = dict(result, digest=question.digest())
            break
    chosen["cpu_seconds"] = time.process_time() - started
    return dict(chosen, draws=ran, valid=valid)


def inside(adapter, case, name):
    """Where the programs of a rule go inside of the library: ``{"calls", "others", "frames"}``.

    ``calls`` are the operators of the plain call, ``others`` those of the second program; none
    where recording them changes what happens. ``frames`` are those of what the second raises.
    """
    question = Question(case)
    inputs = question.inputs(case["inputs"])
    told = {"calls": [], "others": [], "frames": []}
    try:
        program = Rewritten(adapter, question, name)
        program(inputs, {})
    except StageFailure as failure:
        return dict(told, frames=frames(failure.original))
    try:
        told["calls"], told["others"] = program.operators(inputs)
    except Exception:  # what is compiled may refuse to be watched: nothing is known then
        return told
    return told


def _no_clock():
    """The time of a sweep is told as one."""
    return 0.0


def _facts(library, graph):
    """What a rule asks of a call: sizes, dtypes and arguments are those that were drawn."""
    (node,) = graph["nodes"]
    return Facts(library, node["op"], node["params"], node["arguments"], graph["inputs"])


def _apart_there(result, variant, tolerance):
    """Does the program of a rule differ from the plain call?"""
    further = result["variants"].get(variant)
    if result["status"] != "ok" or further is None or further["status"] == "absent":
        return False
    return _differs(result["arrays"], further, tolerance)


def _tells(arrays):
    """Is some output neither empty nor all NaN?"""
    for array in arrays.values():
        if array.size and not (array.dtype.kind in "fc" and np.all(array != array)):
            return True
    return False


def _differs(first, further, tolerance):
    """Is it worth a closer look?"""
    if further["status"] != "ok":
        return True
    own = further["arrays"]
    expected = {key[len(EXPECTED) :]: own[key] for key in own if key.startswith(EXPECTED)}
    second = {key: own[key] for key in own if not key.startswith(EXPECTED)}
    if expected:
        # What is as the plain call gave it was left out, but it is something else that counts.
        second.update({name: first[name] for name in further["same"]})
        first = expected
    elif set(first) != set(second) | set(further["same"]):
        return True
    return any(key not in first or _apart(first[key], second[key], tolerance) for key in second)


def _apart(first, second, tolerance):
    if same_bits(first, second):
        return False
    if tolerance is not None and first.shape == second.shape:
        absolute, relative = tolerance
        with np.errstate(all="ignore"):
            return not np.allclose(first, second, relative, absolute, equal_nan=True)
    if first.shape != second.shape or first.dtype.kind != second.dtype.kind:
        return True
    if first.dtype.kind not in "fc":
        return not np.array_equal(first, second)
    if first.dtype.kind == "c":
        parts = (first.real, second.real), (first.imag, second.imag)
        return any(_apart(one, other, tolerance) for one, other in parts)
    with np.errstate(all="ignore"):
        finite = np.isfinite(first) & np.isfinite(second)
        special, others = first[~finite], second[~finite]
        if not np.all((special == others) | ((special != special) & (others != others))):
            return True
        one, other = (array[finite].astype("float64") for array in (first, second))
        size = np.maximum(np.abs(one), np.abs(other))
        share = np.maximum(RELATIVE * size, OF_LARGEST * size.max() if size.size else 0.0)
        coarse = max(COARSE.get(array.dtype.name, 1.0) for array in (first, second))
        return bool(np.any(np.abs(one - other) > coarse * share))
