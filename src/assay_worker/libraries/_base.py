"""The contract of an adapter, and what all adapters share.

An adapter turns a case (plain data, see ``assay.ir.case``) into named arrays
(see ``assay.ir.trace``). It subclasses ``Adapter`` and implements ``describe``
and ``program``; everything else is shared here.
"""

import time
import traceback

import numpy as np

from assay_worker import inside, marker, recipes

#: Stages in order; a case asks for all up to one of them.
STAGES = ("build", "forward", "loss", "gradient", "update")
#: Before the name of a rule in that of a variant; see ``assay_worker.rewriting``.
BY_RULE = "rewrite:"
_MESSAGE_LIMIT = 4000
_STACK_LIMIT = 8000


class NotOffered(Exception):
    """What a case asks for does not exist in this library, or means another function there.

    No failure: the arm has no answer, as if the target had not been asked.
    """


class StageFailure(Exception):
    """The library raised ``original`` while a node was at a stage."""

    def __init__(self, stage, node, original):
        super(StageFailure, self).__init__(str(original))
        self.stage = stage
        self.node = node
        self.original = original


class at(object):
    """Attribute whatever happens inside to a stage and node."""

    def __init__(self, stage, node=""):
        self.stage = stage
        self.node = node

    def __enter__(self):
        marker.mark(self.stage, self.node)

    def __exit__(self, kind, error, frames):
        if isinstance(error, Exception) and not isinstance(error, StageFailure):
            raise StageFailure(self.stage, self.node, error) from error
        return False


def describe_failure(failure):
    """Plain data for a ``StageFailure``."""
    original = failure.original
    kind = type(original)
    stack = "".join(traceback.format_exception(kind, original, original.__traceback__))
    return {
        "stage": failure.stage,
        "node": failure.node,
        "exception": kind.__module__ + "." + kind.__name__,
        "message": str(original)[:_MESSAGE_LIMIT],
        "stack": stack[-_STACK_LIMIT:],
    }


class Question(object):
    """A case as a worker sees it: its data, and every array drawn for it.

    Keeps what was drawn, so that the digest says what the arm really used.
    """

    def __init__(self, case):
        self.case = case
        self.graph = case["graph"]
        self.training = case["training"]
        self.loss = case["loss"]
        self._drawn = {}

    @property
    def cast(self):
        """Inputs of dtypes that arrays do not have: they are drawn as float32."""
        return {
            item["name"]: item["dtype"]
            for item in self.graph["inputs"]
            if item["dtype"] == "bfloat16"
        }

    def wants(self, stage):
        """Is this stage asked for?"""
        return STAGES.index(self.case["stage"]) >= STAGES.index(stage)

    def _draw(self, key, recipe, shape, dtype):
        if key not in self._drawn:
            self._drawn[key] = recipes.materialise(recipe, shape, dtype)
        return self._drawn[key]

    def inputs(self, recipes_by_name):
        """Graph inputs by name, for one input set."""
        for name in [key for key in self._drawn if key.startswith("input/")]:
            del self._drawn[name]
        return {
            item["name"]: self._draw(
                "input/" + item["name"],
                recipes_by_name[item["name"]],
                item["shape"],
                item["dtype"],
            )
            for item in self.graph["inputs"]
        }

    def weight(self, node, index, name, shape, dtype):
        """The array to assign to a weight of a node."""
        explicit = self.case["explicit_weights"].get(node)
        if explicit is not None:
            recipe = explicit[index]
        else:
            recipe = recipes.weight_recipe(self.case["weights"], node, index, name)
        return self._draw("weight/%s/%d" % (node, index), recipe, shape, dtype)

    def upstream(self, index, shape):
        """The upstream gradient of an output (``dot`` loss)."""
        recipe = self.loss["upstream"][index]
        return self._draw("upstream/%d" % index, recipe, shape, "float32")

    def labels(self):
        """The labels of a loss op."""
        loss = self.loss
        return self._draw("labels", loss["labels"], loss["label_shape"], loss["label_dtype"])

    def digest(self):
        """Hash of the inputs and weights drawn, and one of labels and upstream gradients.

        Two, because an arm that stops after the forward stage draws no labels.
        """
        asked = {key: v for key, v in self._drawn.items() if key[:6] in ("input/", "weight")}
        graded = {key: v for key, v in self._drawn.items() if key not in asked}
        return recipes.digest(asked) + ":" + (recipes.digest(graded) if graded else "")


def tensor_names(node_id, count):
    """Names of a node's output tensors: the first is the node's own name."""
    return [node_id if i == 0 else "%s:%d" % (node_id, i) for i in range(count)]


def lookup(tensors, name):
    """A tensor by name; ``n:0`` is ``n``. The failure is its node's if that gave too few."""
    key = name[:-2] if name.endswith(":0") else name
    if key not in tensors:
        node, _, index = key.partition(":")
        with at("forward", node):
            given = sum(1 for other in tensors if other.partition(":")[0] == node)
            raise LookupError("gave %d tensors where number %s is read" % (given, index or "0"))
    return tensors[key]


def call_arguments(node, tensors):
    """Positional and keyword arguments of a node's call."""
    positional = [
        lookup(tensors, item) if isinstance(item, str) else [lookup(tensors, name) for name in item]
        for item in node["inputs"]
    ]
    keywords = {}
    for key, value in node["arguments"].items():
        if _is_tensor(value):
            keywords[key] = lookup(tensors, value["$tensor"])
        elif isinstance(value, list) and value and all(map(_is_tensor, value)):
            keywords[key] = [lookup(tensors, item["$tensor"]) for item in value]
        else:
            keywords[key] = tuples(value)
    return positional, keywords


def _is_tensor(value):
    return isinstance(value, dict) and "$tensor" in value


def tuples(value):
    """``value`` with every list turned into a tuple, as libraries expect."""
    if isinstance(value, (list, tuple)):
        return tuple(tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: tuples(item) for key, item in value.items()}
    return value


def same_bits(first, second):
    """Equal shape, dtype and values, where NaN equals NaN."""
    if first.shape != second.shape or first.dtype != second.dtype:
        return False
    if first.dtype.kind in "fc":
        return bool(np.all((first == second) | ((first != first) & (second != second))))
    return bool(np.all(first == second))


class Adapter(object):
    """Runs cases on one library, backend and mode."""

    def describe(self):
        """Versions and capabilities: ``{"versions": {...}, "capabilities": [...]}``."""
        raise NotImplementedError

    def settings(self):
        """What the library says of the kernels it uses, by name, in words; see ``machine``."""
        return {}

    def anticipate(self):
        """Import what the library itself imports late: processes born of this one need not."""

    def program(self, question):
        """A callable ``run(inputs, record)`` for the question's graph.

        It puts named arrays into ``record`` as soon as it has them and raises
        ``StageFailure`` when the library raises. It is called several times,
        for repeats and for further input sets, and must give the same answer
        for the same inputs whatever ran before.
        """
        raise NotImplementedError

    def offers(self, names):
        """Which of these ops it has, each with its signature as text."""
        raise NotImplementedError

    def documentation(self, names):
        """What the library says about each of these ops that it has."""
        return {}

    def tables(self):
        """Lists of all that the library can do, by name, as its own registries have them."""
        return {}

    def rebuilt(self, program, how):
        """The program with its objects after a round trip, or None if there is none to make.

        ``how`` is ``"config"`` (get_config -> from_config) or ``"save"`` (to a
        file and back, weights included).
        """
        return None

    def inside(self, case):
        """Where a case goes inside of the library: ``{"calls", "frames"}``, see ``inside``.

        Calls are recorded where several backends share a front end; frames are those of what
        it raised, if it did.
        """
        return {"calls": [], "frames": self.frames(case)}

    def frames(self, case, recorder=None):
        """The library's frames of what a case raises; none if it does not.

        ``recorder`` is active while it runs once more: what is made for a first run is no part
        of what it computes.
        """
        question = Question(case)
        try:
            with at("build"):
                run = self.program(question)
            inputs = question.inputs(case["inputs"])
            run(inputs, {})
            if recorder is not None:
                with recorder:
                    run(inputs, {})
        except StageFailure as failure:
            return inside.frames(failure.original)
        return []

    def session(self, request):
        """A whole model at work, of the file in ``request``; see ``assay_worker.models``."""
        raise NotImplementedError

    def desk(self):
        """Who answers the requests for whole models."""
        if not hasattr(self, "_desk"):
            from assay_worker.models._base import Desk

            self._desk = Desk(self)
        return self._desk

    def execute(self, case, input_sets=None, variants=()):
        """Plain results, one per input set (by default the case's own).

        ``variants`` are further runs of each: ``"again"``, or a round trip (see
        ``rebuilt``). Their results are in ``"variants"``; one that has nothing to
        run is left out.
        """
        question, programs = Question(case), {}
        sets = input_sets or [case["inputs"]]
        return [
            dict(
                self.run_once(question, item, variants, programs),
                digest=question.digest(),
            )
            for item in sets
        ]

    def run_once(self, question, recipes_by_name, variants, programs, clock=time.process_time):
        """The plain result of one input set, but for the digest of what was drawn.

        ``programs`` keeps what was built, for further sets: the program under "", and those of
        rules under their variants. To read the ``clock`` takes as long as many a call.
        """
        started = clock()
        inputs = question.inputs(recipes_by_name)
        result = {"status": "ok", "arrays": {}, "variants": {}}
        try:
            if "" not in programs:
                with at("build"):
                    programs[""] = self.program(question)
            programs[""](inputs, result["arrays"])
        except StageFailure as failure:
            result.update(_failed(failure))
        result["cpu_seconds"] = clock() - started
        for variant in variants if result["status"] == "ok" else ():
            further = self._further_run(
                programs, variant, question, inputs, result["arrays"], clock
            )
            if further is not None:
                result["variants"][variant] = further
        return result

    def _further_run(self, programs, variant, question, inputs, first, clock):
        """The result of a variant, with ``same`` naming the arrays that are as they were."""
        started = clock()
        result, arrays = {"status": "ok"}, {}
        try:
            run = self._program_of(programs, variant, question)
            if run is None:
                return None
            run(inputs, arrays)
        except StageFailure as failure:
            result.update(_failed(failure))
        same = [name for name in arrays if name in first and same_bits(first[name], arrays[name])]
        result["same"] = same
        result["arrays"] = {name: array for name, array in arrays.items() if name not in same}
        result["cpu_seconds"] = clock() - started
        return result

    def _program_of(self, programs, variant, question):
        """The program of a variant; None if there is none to make."""
        if variant == "again":
            return programs[""]
        if not variant.startswith(BY_RULE):
            with at("build", "round trip"):
                return self.rebuilt(programs[""], variant)
        if variant not in programs:
            programs[variant] = self.rewritten(question, variant[len(BY_RULE) :])
        return programs[variant]

    def rewritten(self, question, rule):
        """The program of a rule for a question; see ``assay_worker.rewriting``."""
        raise NotOffered("%s rewrites nothing" % type(self).__name__)


def _failed(failure):
    if isinstance(failure.original, NotOffered):
        return {"status": "absent", "arrays": {}, "failure": describe_failure(failure)}
    memory = isinstance(failure.original, MemoryError)
    return {"status": "memory" if memory else "error", "failure": describe_failure(failure)}
