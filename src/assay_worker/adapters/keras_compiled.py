"""Keras graphs as one compiled function: ``graph``, ``xla``, ``jit``, ``compile``.

Only the ends are returned (outputs, loss, gradients of inputs and weights):
asking for what lies between would forbid the fusions under test.
"""

from assay_worker.adapters._base import at, lookup, tensor_names


class CompiledProgram(object):
    """A compiled graph; see ``Adapter.program`` for the contract.

    Built by an eager run, which also creates the weights; compiled on the first
    call, and reused for repeats and further input sets.
    """

    def __init__(self, adapter, question):
        from assay_worker.adapters.keras import EagerProgram

        self.adapter = adapter
        self.question = question
        self.eager = EagerProgram(adapter, question)
        self.compiled = None

    def _forward(self, names, tensors, weights):
        """Outputs and loss as a pure function of tensors and trainable weights."""
        from assay_worker.adapters.keras import flatten

        question, steps = self.question, self.eager.steps
        variables = [variable for step in steps for variable in step.trainable]
        values = dict(zip(names, tensors))
        with self.adapter.keras.StatelessScope(state_mapping=list(zip(variables, weights))):
            for step in steps:
                positional, keywords = step.arguments(values)
                flat = flatten(step.function(*positional, **keywords))
                values.update(zip(tensor_names(step.id, len(flat)), flat))
        outputs = [lookup(values, name) for name in question.graph["outputs"]]
        loss = (
            self.eager.loss_value(self.adapter.keras.ops, outputs)
            if question.wants("loss")
            else None
        )
        return outputs, loss

    def _prepare(self, inputs):
        """Build every step (by an eager pass), so that weights exist."""
        engine, tensors = self.adapter.engine, {}
        from assay_worker.adapters.keras import flatten

        with engine.session(False) as session:
            for name in inputs:
                tensors[name] = session.watched(name, inputs[name])
            for step in self.eager.steps:
                positional, keywords = step.arguments(tensors)
                with at("build", step.id):
                    step.prepare(positional, keywords)
                    flat = flatten(session.call(step, positional, keywords))
                    tensors.update(zip(tensor_names(step.id, len(flat)), flat))
                    step.prepare(positional, keywords)
        if self.question.wants("loss"):
            # Drawn here, so that no compiler traces the drawing.
            with at("loss"):
                outputs = [lookup(tensors, name) for name in self.question.graph["outputs"]]
                self.eager.loss_value(self.adapter.keras.ops, outputs)

    def __call__(self, inputs, record):
        """One run of the compiled function."""
        self._prepare(inputs)
        engine, gradient = self.adapter.engine, self.question.wants("gradient")
        names = sorted(inputs)
        floating = [name for name in names if inputs[name].dtype.kind == "f"]
        if self.compiled is None:
            with at("build"):
                self.compiled = _COMPILERS[self.adapter.mode](self, names, floating, gradient)
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


def _tensorflow(program, names, floating, gradient, xla):
    tensorflow = program.adapter.engine.tensorflow

    def function(tensors, weights):
        if not gradient:
            outputs, loss = program._forward(names, tensors, weights)
            return outputs, loss, [], []
        sources = [tensor for name, tensor in zip(names, tensors) if name in floating]
        with tensorflow.GradientTape() as tape:
            tape.watch(sources)
            tape.watch(weights)
            outputs, loss = program._forward(names, tensors, weights)
        found = tape.gradient(
            loss, sources + weights, unconnected_gradients=tensorflow.UnconnectedGradients.ZERO
        )
        return outputs, loss, found[: len(sources)], found[len(sources) :]

    compiled = tensorflow.function(function, jit_compile=xla, autograph=False)

    def run(inputs, weights):
        tensors = [tensorflow.constant(inputs[name]) for name in names]
        return compiled(tensors, [tensorflow.convert_to_tensor(weight) for weight in weights])

    return run


def _jax(program, names, floating, gradient):
    import jax

    def function(floats, others, weights):
        merged = dict(others, **floats)
        outputs, loss = program._forward(names, [merged[name] for name in names], weights)
        return loss, outputs

    if gradient:
        compiled = jax.jit(jax.value_and_grad(function, argnums=(0, 2), has_aux=True))
    else:
        compiled = jax.jit(function)

    def run(inputs, weights):
        floats = {name: inputs[name] for name in floating}
        others = {name: inputs[name] for name in names if name not in floats}
        if not gradient:
            loss, outputs = compiled(floats, others, weights)
            return outputs, loss, [], []
        (loss, outputs), (by_input, by_weight) = compiled(floats, others, weights)
        return outputs, loss, [by_input[name] for name in floating], by_weight

    return run


def _torch(program, names, floating, gradient):
    torch = program.adapter.engine.torch
    # Past its recompile limit Dynamo silently runs eagerly, and we would compare
    # eager with eager. Counts of earlier programs must not add up either.
    torch._dynamo.reset()
    torch._dynamo.config.recompile_limit = 1000
    compiled = torch.compile(lambda tensors, weights: program._forward(names, tensors, weights))

    def run(inputs, weights):
        tensors = [torch.tensor(inputs[name]) for name in names]
        sources = [tensor for name, tensor in zip(names, tensors) if name in floating]
        weights = [weight.detach() for weight in weights]
        if not gradient:
            with torch.no_grad():
                outputs, loss = compiled(tensors, weights)
            return outputs, loss, [], []
        for tensor in sources + weights:
            tensor.requires_grad_()
        outputs, loss = compiled(tensors, weights)
        wanted = sources + weights
        found = [None] * len(wanted)
        if loss.requires_grad:
            found = torch.autograd.grad(loss, wanted, allow_unused=True)
        found = [
            torch.zeros_like(tensor) if value is None else value
            for tensor, value in zip(wanted, found)
        ]
        return outputs, loss, found[: len(sources)], found[len(sources) :]

    return run


_COMPILERS = {
    "graph": lambda *arguments: _tensorflow(*arguments, xla=False),
    "xla": lambda *arguments: _tensorflow(*arguments, xla=True),
    "jit": _jax,
    "compile": _torch,
}
