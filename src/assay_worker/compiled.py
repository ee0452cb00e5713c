"""A graph as one compiled function: ``graph``, ``xla``, ``jit``, ``compile``.

Only the ends are returned (outputs, loss, gradients of inputs and weights):
asking for what lies between would forbid the fusions under test.
"""

from assay_worker.eager import EagerProgram
from assay_worker.libraries._base import at, lookup, tensor_names


class CompiledProgram(object):
    """A compiled graph; see ``Adapter.program`` for the contract.

    Built by an eager run, which also creates the weights; compiled on the first
    call, and reused for repeats and further input sets.
    """

    def __init__(self, adapter, question):
        self.adapter = adapter
        self.question = question
        self.eager = EagerProgram(adapter, question)
        self.compiled = None

    def _forward(self, names, tensors, weights):
        """Outputs and loss as a pure function of tensors and trainable weights."""
        question, steps = self.question, self.eager.steps
        variables = [variable for step in steps for variable in step.trainable]
        values = dict(zip(names, tensors))
        for name, dtype in question.cast.items():
            values[name] = self.adapter.engine.cast(values[name], dtype)
        with self.adapter.substituted(variables, weights):
            for step in steps:
                positional, keywords = step.arguments(values)
                flat = self.adapter.flat(step.function(*positional, **keywords))
                values.update(zip(tensor_names(step.id, len(flat)), flat))
        outputs = [lookup(values, name) for name in question.graph["outputs"]]
        return outputs, self.eager.loss_value(outputs) if question.wants("loss") else None

    def _prepare(self, inputs):
        """Build every step (by an eager pass), so that weights exist."""
        engine, tensors = self.adapter.engine, {}
        with engine.session(False) as session:
            session.dtypes = self.question.cast
            for name in inputs:
                tensors[name] = session.watched(name, inputs[name])
            for step in self.eager.steps:
                positional, keywords = step.arguments(tensors)
                with at("build", step.id):
                    step.prepare(positional, keywords)
                    flat = self.adapter.flat(session.call(step, positional, keywords))
                    tensors.update(zip(tensor_names(step.id, len(flat)), flat))
                    step.prepare(positional, keywords)
        if self.question.wants("loss"):
            # Drawn here, so that no compiler traces the drawing.
            with at("loss"):
                outputs = [lookup(tensors, name) for name in self.question.graph["outputs"]]
                self.eager.loss_value(outputs)

    def __call__(self, inputs, record):
        """One run of the compiled function."""
        self._prepare(inputs)
        engine, gradient = self.adapter.engine, self.question.wants("gradient")
        names = sorted(inputs)
        floating = [name for name in names if inputs[name].dtype.kind == "f"]
        if self.compiled is None:
            with at("build"):
                self.compiled = engine.compiled(
                    lambda tensors, weights: self._forward(names, tensors, weights),
                    self.adapter.mode,
                    names,
                    floating,
                    gradient,
                )
        weights = [weight.value for step in self.eager.steps for weight in step.trainable]
        with at("gradient" if gradient else "forward"):
            outputs, loss, by_input, by_weight = self.compiled(inputs, weights)
            for name, output in zip(self.question.graph["outputs"], outputs):
                record["output:" + name] = self._seen(name, output, inputs)
            if loss is not None:
                record["loss"] = engine.numpy(loss)
            for name, value in zip(floating, by_input):
                if value is not None:
                    record["gradient:input:" + name] = engine.numpy(value)
            keys = [
                "gradient:weight:%s:%d" % (step.id, index)
                for step in self.eager.steps
                for index in range(len(step.trainable))
            ]
            for key, value in zip(keys, by_weight):
                if value is not None:
                    record[key] = engine.numpy(value)

    def _seen(self, name, output, inputs):
        """What a trace holds of an output."""
        numpy = self.adapter.engine.numpy
        for step in self.eager.steps:
            # Draws are never behind another node: their arguments are inputs of the graph.
            if step.id == name and step.draws:
                return step.seen(output, [inputs[item] for item in step.node["inputs"]], numpy)
        return numpy(output)
