"""A Keras model as a list of steps: its layers in order, nested models opened.

Keras keeps a functional model as nodes (one per call of a layer). A step is such
a node with names for the tensors it reads and writes. Layers of a nested model are
named ``outer/inner``; further calls of a shared layer ``layer#2``.
"""


class Step(object):
    """One call of one layer."""

    def __init__(self, name, operation, node, inputs, outputs):
        self.name = name
        self.operation = operation
        self.node = node
        self.inputs = inputs
        self.outputs = outputs

    def call(self, tensors):
        """The layer's output tensors, given the tensors it reads, by name."""
        flat = {
            id(reference): tensors[name]
            for reference, name in zip(self.node.input_tensors, self.inputs)
        }
        positional, keywords = self.node.arguments.fill_in(flat)
        if getattr(self.operation, "_call_has_training_arg", False):
            keywords["training"] = False
        return self.operation(*positional, **keywords)

    @property
    def op(self):
        """The public path of the layer's class, as well as it can be told."""
        kind = type(self.operation)
        if hasattr(self.operation, "get_build_config"):
            return "keras.layers." + kind.__name__
        return "keras.ops." + kind.__name__.lower()


class Watcher(object):
    """Stands in a node for its layer, and tells what it reads and gives; else like the layer."""

    def __init__(self, keras, step, note_read, note_given):
        self._keras = keras
        self._step = step
        self._note_read = note_read
        self._note_given = note_given

    def __getattr__(self, name):
        return getattr(self._step.operation, name)

    def __call__(self, *positional, **keywords):
        """Call the layer."""
        flatten = self._keras.tree.flatten
        arguments = self._step.node.arguments
        symbolic = flatten((arguments.args, arguments.kwargs))
        given = {name: keywords[name] for name in arguments.kwargs}
        pairs = zip(symbolic, flatten((positional, given)))
        self._note_read([t for known, t in pairs if isinstance(known, self._keras.KerasTensor)])
        result = self._step.operation(*positional, **keywords)
        self._note_given(flatten(result))
        return result


def functional(model):
    """The functional model behind a Sequential one; the model itself otherwise."""
    inner = getattr(model, "_functional", None)
    found = inner if inner is not None else model
    if not hasattr(found, "_nodes_by_depth"):
        raise ValueError(
            "expected a functional or sequential model; received a %s, whose layers are in "
            "Python code and not in the file" % type(model).__name__
        )
    return found


def is_model(operation):
    """Is this layer a model with layers of its own that can be seen?"""
    inner = getattr(operation, "_functional", None)
    return hasattr(inner if inner is not None else operation, "_nodes_by_depth")


def plan(keras, model):
    """``(input names, steps, output tensor names)`` of a model."""
    model = functional(model)
    names, inputs = {}, []
    for tensor in model.inputs:
        names[id(tensor)] = tensor.name
        inputs.append(tensor.name)
    steps, taken = [], set(inputs)
    _walk(keras, model, "", names, steps, taken)
    return inputs, steps, [names[id(tensor)] for tensor in model.outputs]


def _walk(keras, model, prefix, names, steps, taken):
    for depth in sorted(model._nodes_by_depth, reverse=True):
        for node in model._nodes_by_depth[depth]:
            operation = node.operation
            if not operation or node.is_input:
                continue
            if any(id(tensor) not in names for tensor in node.input_tensors):
                continue  # not reachable from the inputs, as Keras itself skips it
            name = _free(prefix + operation.name.replace(":", "_"), taken)
            if is_model(operation):
                inner = functional(operation)
                for own, given in zip(inner.inputs, node.input_tensors):
                    names[id(own)] = names[id(given)]
                _walk(keras, inner, name + "/", names, steps, taken)
                for given, own in zip(node.outputs, inner.outputs):
                    names[id(given)] = names[id(own)]
                continue
            outputs = [
                name if place == 0 else "%s:%d" % (name, place)
                for place in range(len(node.outputs))
            ]
            reads = [names[id(tensor)] for tensor in node.input_tensors]
            steps.append(Step(name, operation, node, reads, outputs))
            for tensor, output in zip(node.outputs, outputs):
                names[id(tensor)] = output


def _free(name, taken):
    """``name``, or with the number of the call if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = "%s#%d" % (name, number)
    taken.add(free)
    return free
