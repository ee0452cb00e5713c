"""Libraries whose calls run one by one on an engine, or compiled by it."""

import contextlib
import functools
import importlib
import inspect
import platform

from assay_worker import calls
from assay_worker.compiled import CompiledProgram
from assay_worker.eager import EagerProgram, flatten
from assay_worker.libraries._base import Adapter, at, call_arguments


class GraphAdapter(Adapter):
    """What the programs ask of a library; ``engine``, ``backend`` and ``mode`` are set by it."""

    #: The first part of its ops' names, and the library's name, as rules know it.
    root = ""
    spoken = ""

    def settings(self):
        """What its engine says."""
        return self.engine.settings()

    def program(self, question):
        """Eager or compiled."""
        kind = EagerProgram if self.mode == "eager" else CompiledProgram
        return kind(self, question)

    def flat(self, result):
        """A call's result as a list of tensors."""
        return flatten(result)

    def rewritten(self, question, rule):
        """See ``Adapter``."""
        from assay_worker.rewriting import Rewritten

        return Rewritten(self, question, rule)

    def resolve(self, path):
        """The public object of an op's path; ``prelude.NAME`` is the user's own."""
        root, _, rest = path.partition(".")
        if root not in (self.root, "prelude") or not rest:
            raise LookupError("unknown op %r" % path)
        module = "prelude" if root == "prelude" else self.module
        value = importlib.import_module(module)
        for part in rest.split("."):
            value = getattr(value, part)
        return value

    def offers(self, names):
        """See ``Adapter``."""
        found = {}
        for name in names:
            try:
                found[name] = self.signature(self.resolve(name))
            except (AttributeError, LookupError, ImportError):
                continue
        return found

    def documentation(self, names):
        """See ``Adapter``."""
        return {name: inspect.getdoc(self.resolve(name)) or "" for name in names}

    def signature(self, value):
        """How it is called, as text; "" where nothing says so."""
        try:
            return str(inspect.signature(value))
        except (TypeError, ValueError):  # built in: its documentation begins with it
            return "".join((getattr(value, "__doc__", None) or "").strip().splitlines()[:1])

    def step(self, question, node):
        """A node at work: see ``FunctionStep`` for what that is."""
        return FunctionStep(self, question, node)

    def construct(self, op, params):
        """A callable for the op: an object made from ``params``, or a function."""
        raise NotImplementedError

    def may_draw(self, op):
        """May a call take numbers of the library's random generator, which is to be seeded?"""
        return True

    def floating(self, tensor):
        """Is it a tensor of floats?"""
        return self.engine.floating(tensor)

    def dot(self, output, weights):
        """The sum of an output's elements, each times its weight."""
        return self.engine.dot(output, weights)

    def labelled_loss(self, loss, labels, output):
        """One number, of a loss that compares with labels."""
        raise NotImplementedError("this library's losses are not known")

    def update(self, program, record):
        """One step of the case's optimizer."""
        raise NotImplementedError("this library's optimizers are not known")

    @contextlib.contextmanager
    def substituted(self, variables, weights):
        """Calls inside compute with these weights."""
        yield


class FunctionStep(object):
    """A node that calls a function: no weights, nothing to build."""

    weights = trainable = state = ()
    draws = False

    def __init__(self, adapter, question, node):
        self.id = node["id"]
        self.node = node
        self.adapter = adapter
        with at("build", self.id):
            self.function = adapter.construct(node["op"], node["params"])

    def prepare(self, positional, keywords):
        """Nothing to build."""

    def arguments(self, tensors):
        """Positional and keyword arguments of the call."""
        if self.node["inputs"]:
            return call_arguments(self.node, tensors)
        # A call of a catalogue: everything under its name or place.
        positional, keywords = calls.parted(self.node["arguments"])
        # Some are made by the library, which may refuse.
        with at("forward", self.id):
            return (
                [calls.decoded(item, tensors, self.adapter) for item in positional],
                {key: calls.decoded(keywords[key], tensors, self.adapter) for key in keywords},
            )

    def called_with(self, weights, positional, keywords):
        """The result and the state, as a pure function."""
        return self.function(*positional, **keywords), []

    def seen(self, output, positional, numpy):
        """What a trace holds of an output."""
        return numpy(output)


class NativeAdapter(GraphAdapter):
    """A library that is its own engine: functions by their public path."""

    #: The module that its paths begin with, and those below it that it does not import itself.
    module = ""
    submodules = ()
    #: The name of the engine, if it is one of ours; see ``create_engine``.
    engine_name = ""
    #: Modes that run whole models only.
    model_modes = ()

    def __init__(self, backend, mode):
        for name in (self.module,) + self.submodules:
            importlib.import_module(name)
        self.backend, self.mode = backend, mode
        self.engine = self.create_engine()
        known = ("eager",) + tuple(self.engine.modes) + self.model_modes
        if mode not in known:
            raise ValueError("unknown mode %r; expected one of %s" % (mode, ", ".join(known)))

    def create_engine(self):
        """Who computes; a library of another distribution brings its own."""
        from assay_worker import engines

        return engines.create(self.engine_name)

    def version(self):
        """The library's version."""
        return importlib.import_module(self.module).__version__

    def describe(self):
        """Versions, and what this mode can do."""
        capabilities = [] if self.mode in self.model_modes else ["forward"]
        if capabilities and self.engine.differentiable:
            capabilities += ["loss", "gradient"]
        versions = {self.module: self.version(), "python": platform.python_version()}
        return {"versions": versions, "capabilities": capabilities}

    def construct(self, op, params):
        """The function, a partial one of its parameters, or the object that is made of them."""
        function = self.resolve(op)
        positional, named = calls.parted(params)
        made = [self.parameter(value) for value in positional]
        keywords = {key: self.parameter(value) for key, value in named.items()}
        if inspect.isclass(function):
            self.engine.seed(0)  # weights are drawn by whoever makes them
            return function(*made, **keywords)

        # Without parameters itself: rules go by what it is and how it is called.
        return functools.partial(function, **keywords) if keywords else function

    def parameter(self, value):
        """A parameter as the library takes it; see ``assay_worker.calls``."""
        return calls.decoded(value, {}, self)

    def dtype(self, name):
        """The library's dtype of that name."""
        return getattr(importlib.import_module(self.module), name)
