"""Cases run by the programs of a rule, on many inputs, until they disagree."""

import contextlib
import time

import numpy as np

from assay_worker import recipes
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
        self.leading, self.named = (), {}
        function = self._opened(self.steps[0].function) if len(nodes) == 1 else self._model
        first = self.rule.firsts.get(library)
        self.first, self.second = self._offered(
            lambda: (first and first(function), self.rule.programs[library](function)), "build"
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
        self.adapter.engine.seed(0)
        flat = self.adapter.flat(program(*positional, **keywords))
        for name, tensor in zip(tensor_names(self.label, len(flat)), flat):
            record[prefix + "output:" + name] = self.adapter.engine.numpy(tensor)


@contextlib.contextmanager
def _ours():
    """An error says that the rule cannot ask this call."""
    try:
        yield
    except NotOffered:
        raise
    except Exception as error:
        raise NotOffered("%s: %s" % (type(error).__name__, error)) from error


def sweep(adapter, case, draws, name):
    """The first draw of the inputs on which the programs of a rule disagree, else the first one.

    As ``Adapter.execute`` with that variant, and ``draw``, the number of the draw, ``draws``, how
    many were run, and ``valid``, on how many the first program gave some numbers. A program that
    is not to be had for this call ends it.
    """
    variant = BY_RULE + name
    question = Question(case)
    chosen, valid, ran = None, 0, 0
    started = time.process_time()
    programs = {}
    for draw in range(draws):
        drawn = {key: recipes.redrawn(item, draw) for key, item in case["inputs"].items()}
        result = adapter.run_once(question, drawn, (variant,), programs)
        result["draw"] = draw
        ran += 1
        chosen = chosen or result
        if result["status"] == "ok" and _tells(result["arrays"]):
            valid += 1
        further = result["variants"].get(variant)
        if further is None or further["status"] == "absent":
            break
        if result["status"] != "ok" or _differs(result["arrays"], further):
            chosen = result
            break
    chosen["cpu_seconds"] = time.process_time() - started
    return dict(chosen, draws=ran, valid=valid)


def _facts(library, graph):
    """What a rule asks of a call: sizes, dtypes and arguments are those that were drawn."""
    (node,) = graph["nodes"]
    return Facts(library, node["op"], node["params"], node["arguments"], graph["inputs"])


def _tells(arrays):
    """Is some output neither empty nor all NaN?"""
    for array in arrays.values():
        if array.size and not (array.dtype.kind in "fc" and np.all(array != array)):
            return True
    return False


def _differs(first, further):
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
    return any(key not in first or _apart(first[key], second[key]) for key in second)


def _apart(first, second):
    if same_bits(first, second):
        return False
    if first.shape != second.shape or first.dtype.kind != second.dtype.kind:
        return True
    if first.dtype.kind not in "fc":
        return not np.array_equal(first, second)
    if first.dtype.kind == "c":
        return _apart(first.real, second.real) or _apart(first.imag, second.imag)
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
