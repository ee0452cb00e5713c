"""Gradients of libraries that differentiate functions: one pullback per step, chained backwards."""

from assay_worker.engines._base import Engine, Session, cut, plain_context


class FunctionalEngine(Engine):
    """An engine whose library differentiates functions, not tensors."""

    differentiable = True

    def session(self, gradient):
        """Functional if gradients are wanted."""
        return plain_context(ChainSession(self) if gradient else Session(self))

    def pullback(self, function, values):
        """``function(values)`` gives a list of float tensors, and what is handed through.

        Gives both, and between them a function from the gradients of the one to those of the
        values: ``results, pulled, rest``.
        """
        raise NotImplementedError

    def filled(self, tensor, value):
        """A tensor like it, of one number."""
        raise NotImplementedError

    def weighted(self, output, weights):
        """The sum of an output's floats, each times its weight, and the sum's gradient."""
        raise NotImplementedError

    def result(self, value):
        """What a call gave, as a tensor."""
        return value

    def flattened(self, tree):
        """The leaves of nested lists, tuples and dictionaries, and what ``rebuilt`` needs."""
        if isinstance(tree, dict):
            parts = [tree[key] for key in sorted(tree)]
        elif isinstance(tree, (list, tuple)):
            parts = tree
        else:
            return [tree], tree
        return [leaf for part in parts for leaf in self.flattened(part)[0]], tree

    def rebuilt(self, structure, leaves):
        """The tree with other leaves."""
        queue = list(leaves)

        def visit(item):
            if isinstance(item, dict):
                return {key: visit(item[key]) for key in sorted(item)}
            if isinstance(item, (list, tuple)):
                return type(item)(visit(part) for part in item)
            return queue.pop(0)

        return visit(structure)


class ChainSession(Session):
    """Keeps what each step consumed and its pullback; no second forward pass is needed."""

    def __init__(self, engine):
        super(ChainSession, self).__init__(engine)
        self.names = {}  # id of a tensor -> its name; the tensor is kept alive in `alive`
        self.alive = []
        self.pullbacks = []
        self.states = {}

    def _name(self, name, tensor):
        self.names[id(tensor)] = name
        self.alive.append(tensor)

    def watched(self, name, array):
        """The input as a tensor with a name."""
        tensor = self.tensor(name, array)
        # Copies, so that equal inputs have names of their own.
        self._name(name, tensor)
        return tensor

    def call(self, step, positional, keywords):
        """Run with a pullback to float tensors and trainable weights."""
        engine = self.engine
        leaves, structure = engine.flattened((positional, keywords))
        places = [
            i for i, leaf in enumerate(leaves) if id(leaf) in self.names and engine.floating(leaf)
        ]
        weights = [weight.value for weight in step.trainable]
        kept = {}

        def pure(values):
            merged = list(leaves)
            for place, value in zip(places, values[len(weights) :]):
                merged[place] = value
            arguments, named = engine.rebuilt(structure, merged)
            result, state = step.called_with(values[: len(weights)], arguments, named)
            flat, kept["structure"] = engine.flattened(result)
            flat = [engine.result(item) for item in flat]
            kept["floating"] = [engine.floating(item) for item in flat]
            pairs = list(zip(flat, kept["floating"]))
            others = [item for item, is_float in pairs if not is_float]
            return [item for item, is_float in pairs if is_float], (others, state)

        floats = [leaves[place] for place in places]
        results, pulled, (others, state) = engine.pullback(pure, weights + floats)
        self.states[step.id] = state
        consumed = [self.names[id(value)] for value in floats]
        self.pullbacks.append((step, results, consumed, pulled))
        results, others = list(results), list(others)
        flat = [results.pop(0) if is_float else others.pop(0) for is_float in kept["floating"]]
        return engine.rebuilt(kept["structure"], flat)

    def produced(self, names, tensors):
        """Named, so that the steps behind it are chained to them."""
        for name, tensor in zip(names, tensors):
            self._name(name, tensor)
        return tensors

    def state(self, step):
        """What the step's call gave."""
        if step.id not in self.states:
            return super(ChainSession, self).state(step)
        return [self.engine.numpy(value) for value in self.states[step.id]]

    def loss(self, program, outputs):
        """Keeps the loss's own pullback too. Of a weighted sum, the weights are the gradient."""
        floating = self.engine.floating
        terms = program.weighted(outputs) if program.loss is None else []
        if terms and all(floating(output) for output, _ in terms):
            sums = [self.engine.weighted(output, weights) for output, weights in terms]
            consumed = [self.names[id(output)] for output, _ in terms]
            gradients = [gradient for _, gradient in sums]
            self.pullbacks.append((None, [], consumed, lambda upstream: gradients))
            return sum(total for total, _ in sums)
        floats = [output for output in outputs if floating(output)]

        def pure(values):
            queue = list(values)
            merged = [queue.pop(0) if floating(output) else output for output in outputs]
            return [program.loss_value(merged)], None

        results, pulled, _ = self.engine.pullback(pure, floats)
        self.pullbacks.append((None, results, [self.names[id(value)] for value in floats], pulled))
        return results[0]

    def gradients(self, loss, tensors, inputs, steps):
        """Walk the steps backwards, summing up what reaches each tensor."""
        engine = self.engine
        cotangents, record = {}, {}
        for step, results, consumed, pulled in reversed(self.pullbacks):
            if step is None:
                passed = pulled([engine.filled(loss, 1)])
            else:
                # Zeros only for those that nobody read: to make them is compiled, too.
                found = [(result, self.names.get(id(result))) for result in results]
                upstream = [
                    cotangents[name] if name in cotangents else engine.filled(result, 0)
                    for result, name in found
                ]
                passed = list(pulled(upstream))
                for index in range(len(step.trainable)):
                    key = "gradient:weight:%s:%d" % (step.id, index)
                    record[key] = engine.numpy(passed.pop(0))
            for name, value in zip(consumed, passed):
                cotangents[name] = cotangents[name] + value if name in cotangents else value
        for name, tensor in tensors.items():
            if engine.floating(tensor):
                key = "gradient:%s:%s" % ("input" if name in inputs else "output", name)
                value = cotangents.get(name)
                if value is None:
                    record.update(cut(key, tensor))
                else:
                    record[key] = engine.numpy(value)
        return record
