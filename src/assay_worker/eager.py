"""A graph run node by node: every output is seen, and the node that fails is named."""

from assay_worker.libraries._base import at, lookup, tensor_names


def flatten(value):
    """A call's result as a list of tensors; None, which some give beside them, is none."""
    if value is None:
        return []
    if isinstance(value, dict):
        return [item for key in sorted(value) for item in flatten(value[key])]
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flatten(part)]
    return [value]


class EagerProgram(object):
    """See ``Adapter.program`` for the contract, ``GraphAdapter`` for what it asks of a library."""

    def __init__(self, adapter, question):
        self.adapter = adapter
        self.engine = adapter.engine
        self.question = question
        self.steps = [adapter.step(question, node) for node in question.graph["nodes"]]
        loss = question.loss
        self.loss = None
        if loss is not None and loss["kind"] == "op":
            with at("build", "loss"):
                self.loss = adapter.construct(loss["op"], loss["params"])

    def __call__(self, inputs, record):
        """One run."""
        question, engine = self.question, self.engine
        gradient = question.wants("gradient")
        with engine.session(gradient) as session:
            session.dtypes = question.cast
            tensors = {}
            with at("build"):
                # A library may have no tensors of this dtype.
                for name in inputs:
                    tensors[name] = session.watched(name, inputs[name])
            for step in self.steps:
                positional, keywords = step.arguments(tensors)
                with at("build", step.id):
                    step.prepare(positional, keywords)
                with at("forward", step.id):
                    result = session.call(step, positional, keywords)
                    flat = self.adapter.flat(result)
                    names = tensor_names(step.id, len(flat))
                    flat = session.produced(names, flat)
                    for name, tensor in zip(names, flat):
                        tensors[name] = tensor
                        record["output:" + name] = step.seen(tensor, positional, engine.numpy)
                    if question.training:
                        for index, value in enumerate(session.state(step)):
                            record["state:%s:%d" % (step.id, index)] = value
            if not question.wants("loss"):
                return
            outputs = [lookup(tensors, name) for name in question.graph["outputs"]]
            with at("loss"):
                loss = session.loss(self, outputs)
                record["loss"] = engine.numpy(loss)
            if gradient:
                with at("gradient"):
                    record.update(session.gradients(loss, tensors, inputs, self.steps))
        if question.wants("update"):
            with at("update", "optimizer"):
                self.adapter.update(self, record)

    def loss_value(self, outputs):
        """The loss as a library tensor; called by the session."""
        if self.loss is not None:
            return self.adapter.labelled_loss(self.loss, self.question.labels(), outputs[0])
        total = None
        for output, weights in self.weighted(outputs):
            term = self.adapter.dot(output, weights)
            total = term if total is None else total + term
        return total

    def weighted(self, outputs):
        """The outputs that a ``dot`` loss is the sum of, each with its weights."""
        floats = [self.adapter.floating(output) for output in outputs]
        return [
            (output, self.question.upstream(index, tuple(output.shape)))
            for index, output in enumerate(outputs)
            # Indices beside values (top_k) have no gradient.
            if floats[index] or not any(floats)
        ]
