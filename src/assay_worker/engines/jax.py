"""JAX: the pullback of each step is kept, and chained backwards; ``jax.jit``.

Chaining also avoids a second forward pass.
"""

import jax
import jax.numpy

from assay_worker.engines._base import Conversions, Engine, Session, cut, plain_context


class _Conversions(Conversions):
    def tensor(self, array):
        # A copy, so that equal inputs are two tensors.
        return jax.numpy.array(array)


class JaxEngine(Engine):
    """See ``Engine``."""

    differentiable = True
    modes = ("jit",)

    def __init__(self, conversions=None):
        super(JaxEngine, self).__init__(conversions or _Conversions())

    def session(self, gradient):
        """Functional if gradients are wanted."""
        return plain_context(_JaxSession(self) if gradient else Session(self))

    def floating(self, tensor):
        """Can it be differentiated?"""
        return hasattr(tensor, "dtype") and jax.numpy.issubdtype(tensor.dtype, jax.numpy.floating)

    def dot(self, output, weights):
        """See ``Engine``."""
        return jax.numpy.sum(output * jax.numpy.asarray(weights, dtype=output.dtype))

    def compiled(self, forward, mode, names, floating, gradient):
        """See ``Engine``."""

        def function(floats, others, weights):
            merged = dict(others, **floats)
            outputs, loss = forward([merged[name] for name in names], weights)
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


class _JaxSession(Session):
    def __init__(self, engine):
        super(_JaxSession, self).__init__(engine)
        self.names = {}  # id of a tensor -> its name; the tensor is kept alive in `alive`
        self.alive = []
        self.pullbacks = []
        self.states = {}

    def _name(self, name, tensor):
        self.names[id(tensor)] = name
        self.alive.append(tensor)

    def watched(self, name, array):
        tensor = self.engine.tensor(array)
        # Copies, so that equal inputs have names of their own.
        self._name(name, tensor)
        return tensor

    def call(self, step, positional, keywords):
        """Run under ``jax.vjp`` with respect to float tensors and trainable weights."""
        tree, floating = jax.tree_util, self.engine.floating
        leaves, structure = tree.tree_flatten((positional, keywords))
        places = [i for i, leaf in enumerate(leaves) if id(leaf) in self.names and floating(leaf)]
        kept = {}

        def pure(weights, floats):
            merged = list(leaves)
            for place, value in zip(places, floats):
                merged[place] = value
            arguments, named = tree.tree_unflatten(structure, merged)
            result, state = step.called_with(weights, arguments, named)
            flat, kept["structure"] = tree.tree_flatten(result)
            flat = [jax.numpy.asarray(item) for item in flat]
            kept["floating"] = [floating(item) for item in flat]
            pairs = list(zip(flat, kept["floating"]))
            others = [item for item, is_float in pairs if not is_float]
            return [item for item, is_float in pairs if is_float], (others, state)

        weights = [weight.value for weight in step.trainable]
        floats = [leaves[place] for place in places]
        results, pullback, (others, state) = jax.vjp(pure, weights, floats, has_aux=True)
        self.states[step.id] = state
        consumed = [self.names[id(value)] for value in floats]
        self.pullbacks.append((step, results, consumed, pullback))
        results, others = list(results), list(others)
        flat = [results.pop(0) if is_float else others.pop(0) for is_float in kept["floating"]]
        return tree.tree_unflatten(kept["structure"], flat)

    def produced(self, names, tensors):
        for name, tensor in zip(names, tensors):
            self._name(name, tensor)
        return tensors

    def state(self, step):
        if step.id not in self.states:
            return super(_JaxSession, self).state(step)
        return [self.engine.numpy(value) for value in self.states[step.id]]

    def loss(self, program, outputs):
        """Keeps the loss's own pullback too."""
        floating = self.engine.floating
        floats = [output for output in outputs if floating(output)]

        def pure(floats):
            queue = list(floats)
            merged = [queue.pop(0) if floating(output) else output for output in outputs]
            return program.loss_value(merged)

        loss, pullback = jax.vjp(pure, floats)
        self.pullbacks.append((None, [loss], [self.names[id(value)] for value in floats], pullback))
        return loss

    def gradients(self, loss, tensors, inputs, steps):
        """Walk the steps backwards, summing up what reaches each tensor."""
        cotangents, record = {}, {}
        for step, results, consumed, pullback in reversed(self.pullbacks):
            if step is None:
                (passed,) = pullback(jax.numpy.ones_like(loss))
            else:
                upstream = [
                    cotangents.get(self.names.get(id(result)), jax.numpy.zeros_like(result))
                    for result in results
                ]
                weights, passed = pullback(upstream)
                for index, value in enumerate(weights):
                    record["gradient:weight:%s:%d" % (step.id, index)] = self.engine.numpy(value)
            for name, value in zip(consumed, passed):
                cotangents[name] = cotangents[name] + value if name in cotangents else value
        for name, tensor in tensors.items():
            if self.engine.floating(tensor):
                key = "gradient:%s:%s" % ("input" if name in inputs else "output", name)
                value = cotangents.get(name)
                if value is None:
                    record.update(cut(key, tensor))
                else:
                    record[key] = self.engine.numpy(value)
        return record
