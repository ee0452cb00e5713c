"""How each Keras backend runs a graph and differentiates it.

A session lives for one run. It watches the inputs, calls the steps, and then
gives the gradient of the loss with respect to every input, node output and
trainable weight at once: TensorFlow and PyTorch from one tape, JAX by chaining
the vector-Jacobian products of the nodes, which also avoids a second forward
pass.
"""

import contextlib

import numpy as np


def create(backend, keras):
    """The engine of a backend."""
    kinds = {"tensorflow": TensorFlowEngine, "jax": JaxEngine, "torch": TorchEngine}
    return kinds.get(backend, Engine)(keras)


def _cut(name, tensor):
    """A gradient that the library has none of: zeros to compare, and a mark that says so."""
    zeros = np.zeros(tuple(tensor.shape), dtype="float32")
    return {name: zeros, "absent:" + name: np.zeros(0, dtype="float32")}


class Session(object):
    """A run without gradients."""

    def __init__(self, engine):
        self.engine = engine

    def watched(self, name, array):
        """The input as a tensor."""
        return self.engine.tensor(array)

    def call(self, step, positional, keywords):
        """The result of a step's call."""
        return step.function(*positional, **keywords)

    def produced(self, names, tensors):
        """A step's output tensors as the steps behind it get them.

        Whatever the step did to the gradient, theirs is measured.
        """
        return tensors

    def state(self, step):
        """Values of a step's non-trainable weights after its call."""
        # Copies: the next run assigns the same weights again.
        return [np.array(self.engine.numpy(weight)) for weight in step.state]

    def loss(self, program, outputs):
        """The loss as a tensor."""
        return program.loss_value(self.engine.keras.ops, outputs)

    def gradients(self, loss, tensors, inputs, steps):
        """Named gradient arrays."""
        raise NotImplementedError("this backend has no gradients")


class Engine(object):
    """Forward only: the NumPy and OpenVINO backends."""

    differentiable = False

    def __init__(self, keras):
        self.keras = keras

    def session(self, gradient):
        """A context manager that gives a ``Session``."""
        return _plain_context(Session(self))

    def tensor(self, array):
        """A library tensor of an array."""
        # A copy, so that an op that writes to its input cannot change ours.
        return self.keras.ops.convert_to_tensor(array.copy())

    def numpy(self, tensor):
        """A numpy array of a library tensor, bfloat16 widened."""
        array = np.asarray(self.keras.ops.convert_to_numpy(tensor))
        # ml_dtypes' types (bfloat16, float8) are unknown to the host.
        return array.astype("float32") if array.dtype.kind == "V" else array


@contextlib.contextmanager
def _plain_context(value):
    yield value


class _TapeSession(Session):
    """Gradients from one differentiation over all wanted tensors."""

    def gradients(self, loss, tensors, inputs, steps):
        """One call for inputs, node outputs and trainable weights."""
        names, sources = [], []
        for name, tensor in tensors.items():
            if self.engine.floating(tensor):
                names.append("gradient:%s:%s" % ("input" if name in inputs else "output", name))
                sources.append(tensor)
        for step in steps:
            for index, weight in enumerate(step.trainable):
                names.append("gradient:weight:%s:%d" % (step.id, index))
                sources.append(self.engine.weight_tensor(weight))
        found = self.differentiate(loss, sources)
        gradients = {}
        for name, source, value in zip(names, sources, found):
            if value is None:
                gradients.update(_cut(name, source))
            else:
                gradients[name] = self.engine.numpy(value)
        return gradients


class TensorFlowEngine(Engine):
    """TensorFlow, one gradient tape."""

    differentiable = True

    def __init__(self, keras):
        super(TensorFlowEngine, self).__init__(keras)
        import tensorflow

        self.tensorflow = tensorflow

    @contextlib.contextmanager
    def session(self, gradient):
        """Under a tape if gradients are wanted."""
        if not gradient:
            yield Session(self)
            return
        with self.tensorflow.GradientTape() as tape:
            yield _TensorFlowSession(self, tape)

    def floating(self, tensor):
        """Can it be differentiated?"""
        return tensor.dtype.is_floating

    def weight_tensor(self, weight):
        """The variable the tape watched."""
        return weight.value

    def numpy(self, tensor):
        """Dense; sparse gradients (IndexedSlices) are summed up."""
        if isinstance(tensor, self.tensorflow.IndexedSlices):
            tensor = self.tensorflow.convert_to_tensor(tensor)
        if getattr(tensor, "dtype", None) == self.tensorflow.bfloat16:
            tensor = self.tensorflow.cast(tensor, "float32")  # NumPy takes no scalar of it
        return super(TensorFlowEngine, self).numpy(tensor)


class _TensorFlowSession(_TapeSession):
    def __init__(self, engine, tape):
        super(_TensorFlowSession, self).__init__(engine)
        self.tape = tape

    def watched(self, name, array):
        tensor = self.engine.tensor(array)
        if self.engine.floating(tensor):
            self.tape.watch(tensor)
        return tensor

    def produced(self, names, tensors):
        for tensor in tensors:
            # An op may cut the gradient: then the tape has not seen its output.
            if self.engine.tensorflow.is_tensor(tensor) and self.engine.floating(tensor):
                self.tape.watch(tensor)
        return tensors

    def loss(self, program, outputs):
        # A softmax output carries its logits along, and Keras' losses then
        # differentiate those instead: the identity drops them.
        outputs = [self.engine.tensorflow.identity(output) for output in outputs]
        return super(_TensorFlowSession, self).loss(program, outputs)

    def differentiate(self, loss, sources):
        with self.tape.stop_recording():
            return self.tape.gradient(loss, sources)


class TorchEngine(Engine):
    """PyTorch, one ``autograd.grad``."""

    differentiable = True

    def __init__(self, keras):
        super(TorchEngine, self).__init__(keras)
        import torch

        self.torch = torch

    @contextlib.contextmanager
    def session(self, gradient):
        """With autograd on or off."""
        with self.torch.set_grad_enabled(gradient):
            yield _TorchSession(self) if gradient else Session(self)

    def floating(self, tensor):
        """Can it be differentiated?"""
        return tensor.is_floating_point()

    def weight_tensor(self, weight):
        """The parameter."""
        return weight.value

    def numpy(self, tensor):
        """Detached; fast path for plain tensors."""
        if isinstance(tensor, self.torch.Tensor):
            tensor = tensor.detach()
            if tensor.dtype == self.torch.bfloat16:
                tensor = tensor.float()
            return tensor.numpy()
        return super(TorchEngine, self).numpy(tensor)


class _TorchSession(_TapeSession):
    def watched(self, name, array):
        tensor = self.engine.tensor(array)
        # A copy of the leaf: what a layer hands on is no leaf either, and PyTorch
        # treats in-place changes of leaves differently.
        return tensor.requires_grad_().clone() if tensor.is_floating_point() else tensor

    def produced(self, names, tensors):
        return [self._attached(tensor) for tensor in tensors]

    def _attached(self, tensor):
        """The tensor, or a new leaf if the op cut the gradient."""
        plain = isinstance(tensor, self.engine.torch.Tensor) and tensor.is_floating_point()
        if not plain or tensor.requires_grad:
            return tensor
        return tensor.detach().clone().requires_grad_()

    def differentiate(self, loss, sources):
        # Tensors outside the graph have no gradient.
        attached = [source for source in sources if source.requires_grad]
        if not loss.requires_grad:
            return [None] * len(sources)
        found = self.engine.torch.autograd.grad(loss, attached, allow_unused=True)
        by_identity = {id(source): value for source, value in zip(attached, found)}
        return [by_identity.get(id(source)) for source in sources]


class JaxEngine(Engine):
    """JAX: the pullback of each step is kept, and chained backwards."""

    differentiable = True

    def session(self, gradient):
        """Functional if gradients are wanted."""
        return _plain_context(_JaxSession(self) if gradient else Session(self))


class _JaxSession(Session):
    def __init__(self, engine):
        super(_JaxSession, self).__init__(engine)
        import jax

        self.jax = jax
        self.numpy = jax.numpy
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

    def _floating(self, value):
        return hasattr(value, "dtype") and self.numpy.issubdtype(value.dtype, self.numpy.floating)

    def call(self, step, positional, keywords):
        """Run under ``jax.vjp`` with respect to float tensors and trainable weights."""
        keras, tree = self.engine.keras, self.jax.tree_util
        leaves, structure = tree.tree_flatten((positional, keywords))
        places = [
            i for i, leaf in enumerate(leaves) if id(leaf) in self.names and self._floating(leaf)
        ]
        kept = {}

        def pure(weights, floats):
            merged = list(leaves)
            for place, value in zip(places, floats):
                merged[place] = value
            arguments, named = tree.tree_unflatten(structure, merged)
            mapping = list(zip(step.trainable, weights))
            with keras.StatelessScope(state_mapping=mapping) as scope:
                result = step.function(*arguments, **named)
                state = [scope.get_current_value(weight) for weight in step.state]
                state = [w.value if v is None else v for w, v in zip(step.state, state)]
            flat, kept["structure"] = tree.tree_flatten(result)
            flat = [self.numpy.asarray(item) for item in flat]
            floating = [self._floating(item) for item in flat]
            kept["floating"] = floating
            others = [item for item, is_float in zip(flat, floating) if not is_float]
            return [item for item, is_float in zip(flat, floating) if is_float], (others, state)

        weights = [weight.value for weight in step.trainable]
        floats = [leaves[place] for place in places]
        results, pullback, (others, state) = self.jax.vjp(pure, weights, floats, has_aux=True)
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
        floats = [output for output in outputs if self._floating(output)]

        def pure(floats):
            queue = list(floats)
            merged = [queue.pop(0) if self._floating(output) else output for output in outputs]
            return program.loss_value(self.engine.keras.ops, merged)

        loss, pullback = self.jax.vjp(pure, floats)
        self.pullbacks.append((None, [loss], [self.names[id(value)] for value in floats], pullback))
        return loss

    def gradients(self, loss, tensors, inputs, steps):
        """Walk the steps backwards, summing up what reaches each tensor."""
        cotangents, record = {}, {}
        for step, results, consumed, pullback in reversed(self.pullbacks):
            if step is None:
                (passed,) = pullback(self.numpy.ones_like(loss))
            else:
                upstream = [
                    cotangents.get(self.names.get(id(result)), self.numpy.zeros_like(result))
                    for result in results
                ]
                weights, passed = pullback(upstream)
                for index, value in enumerate(weights):
                    record["gradient:weight:%s:%d" % (step.id, index)] = self.engine.numpy(value)
            for name, value in zip(consumed, passed):
                cotangents[name] = cotangents[name] + value if name in cotangents else value
        for name, tensor in tensors.items():
            if self._floating(tensor):
                key = "gradient:%s:%s" % ("input" if name in inputs else "output", name)
                value = cotangents.get(name)
                if value is None:
                    record.update(_cut(key, tensor))
                else:
                    record[key] = self.engine.numpy(value)
        return record
