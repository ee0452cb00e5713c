"""What a node of Keras calls: an object, or a function with its parameters."""

import inspect


class Bound(object):
    """A function with its keyword arguments; no weights. Parts are named as those of a partial."""

    weights = ()

    def __init__(self, function, keywords):
        self.func = function
        self.keywords = dict(keywords)
        # What stands before any number of tensors (the subscripts of einsum) has no keyword.
        leading = [name for name in _before_tensors(function) if name in keywords]
        self.args = tuple(self.keywords.pop(name) for name in leading)

    def __call__(self, *arguments, **keywords):
        """The function on these tensors."""
        return self.func(*(self.args + arguments), **dict(self.keywords, **keywords))


def _before_tensors(function):
    """Names of the parameters before ``*tensors``; none if there is no such parameter."""
    described = list(inspect.signature(function).parameters.values())
    kinds = [item.kind for item in described]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return []
    return [item.name for item in described[: kinds.index(inspect.Parameter.VAR_POSITIONAL)]]


class OneUpdate(object):
    """A metric: its result after one update of fresh state."""

    weights = ()

    def __init__(self, keras, metric):
        self.object = metric
        self._keras = keras

    def __call__(self, *arguments, **keywords):
        """The result."""
        self.object.reset_state()
        result = self.object(*arguments, **keywords)
        # A copy: the result may be the state itself, which the next call resets.
        return self._keras.tree.map_structure(self._keras.ops.copy, result)


class OneStep(object):
    """An optimizer: the value of a variable after one step from fresh state; of several, a list.

    The variables and the state are made once and set back on every call: a
    compiled function cannot make variables.
    """

    weights = ()

    def __init__(self, keras, optimizer):
        self.object = optimizer
        self._keras = keras
        self._variables = None
        self._fresh = []

    def __call__(self, value, gradient):
        """The updated value or values."""
        several = isinstance(value, (list, tuple))
        values, gradients = (value, gradient) if several else ([value], [gradient])
        if self._variables is None:
            copy = self._keras.ops.copy
            made = [self._keras.Variable(copy(item), dtype=item.dtype) for item in values]
            self._variables = made
            self.object.build(made)
            numpy = self._keras.ops.convert_to_numpy
            self._fresh = [(weight, numpy(weight).copy()) for weight in self.object.variables]
        for weight, fresh in self._fresh:
            weight.assign(fresh)
        for variable, item in zip(self._variables, values):
            variable.assign(item)
        self.object.apply(list(gradients), self._variables)
        updated = [self._keras.ops.copy(variable.value) for variable in self._variables]
        return updated if several else updated[0]
