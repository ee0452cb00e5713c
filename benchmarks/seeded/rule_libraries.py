"""What faults of rules are made of, in each library: tensors, and the ways that are told apart."""


class Torch:
    """What a fault is made of, in PyTorch."""

    def __init__(self):
        import torch

        self.own, self.where, self.abs = torch, torch.where, torch.abs

    def is_tensor(self, leaf):
        return isinstance(leaf, self.own.Tensor)

    def kind(self, leaf):
        if leaf.dtype == self.own.bool:
            return "b"
        return "c" if leaf.is_complex() else "f" if leaf.is_floating_point() else "i"

    def constant(self, array):
        return self.own.tensor(array)

    def real(self, leaf):
        return leaf.real

    def rolled(self, leaf):
        return self.own.roll(leaf, 1, -1)

    def recast(self, leaf):
        narrow = leaf.dtype in (self.own.float64, self.own.complex128) or self.kind(leaf) in "ib"
        if self.kind(leaf) == "c":
            return leaf.to(self.own.complex64 if narrow else self.own.complex128)
        return leaf.to(self.own.float32 if narrow else self.own.float64)

    def traced(self, tensors):
        torch = self.own
        symbolic = torch._subclasses.FakeTensor
        return (
            torch.jit.is_tracing()
            or torch.compiler.is_exporting()
            or any(isinstance(item, symbolic) for item in tensors)
        )

    def symbolic(self, tensors):
        return any(isinstance(item, self.own._subclasses.FakeTensor) for item in tensors)

    def batched(self, tensors):
        return any(self.own._C._functorch.is_batchedtensor(item) for item in tensors)

    def strided(self, tensors):
        return any(item.layout == self.own.strided and not item.is_contiguous() for item in tensors)

    def channels_last(self, tensors):
        formats = {4: self.own.channels_last, 5: self.own.channels_last_3d}
        return any(
            item.dim() in formats
            and not item.is_contiguous()
            and item.is_contiguous(memory_format=formats[item.dim()])
            for item in tensors
        )

    def sparse(self, tensors):
        return any(item.layout != self.own.strided for item in tensors)

    def dense(self, leaf):
        return leaf if leaf.layout == self.own.strided else leaf.to_dense()

    def write(self, target, value):
        with self.own.no_grad():
            target.copy_(value)

    def forward_mode(self, leaf, changed):
        class Wrong(self.own.autograd.Function):
            @staticmethod
            def forward(value):
                return value.view_as(value)

            @staticmethod
            def setup_context(context, inputs, output):
                pass

            @staticmethod
            def backward(context, gradient):
                return gradient

            @staticmethod
            def jvp(context, tangent):
                return changed(tangent).view_as(tangent)

        return Wrong.apply(leaf)


class TensorFlow:
    """The same in TensorFlow."""

    def __init__(self):
        import tensorflow

        self.own, self.where, self.abs = tensorflow, tensorflow.where, tensorflow.abs
        self.constant, self.real = tensorflow.constant, tensorflow.math.real

    def is_tensor(self, leaf):
        return isinstance(leaf, self.own.Tensor)

    def kind(self, leaf):
        dtype = leaf.dtype
        if dtype == self.own.bool:
            return "b"
        return (
            "c"
            if dtype.is_complex
            else "f"
            if dtype.is_floating
            else ("i" if dtype.is_integer else "")
        )

    def rolled(self, leaf):
        return self.own.roll(leaf, 1, -1)

    def recast(self, leaf):
        tf = self.own
        if self.kind(leaf) == "c":
            return tf.cast(leaf, tf.complex64 if leaf.dtype == tf.complex128 else tf.complex128)
        narrow = leaf.dtype == tf.float64 or self.kind(leaf) in "ib"
        return tf.cast(leaf, tf.float32 if narrow else tf.float64)

    def traced(self, tensors):
        return not self.own.executing_eagerly()

    symbolic = traced

    def dense(self, leaf):
        return leaf

    def sparse(self, tensors):
        return False  # other functions take them

    def forward_mode(self, leaf, changed):
        tf = self.own

        @tf.custom_gradient
        def wrong(value):
            def gradient(upstream):
                moved = changed(upstream)
                # The same number, that depends otherwise on what forward mode differentiates by.
                return moved - tf.stop_gradient(moved) + tf.stop_gradient(upstream)

            return tf.identity(value), gradient

        return wrong(leaf)


class Jax:
    """The same in JAX."""

    def __init__(self):
        import jax

        self.own, self.where, self.abs = jax, jax.numpy.where, jax.numpy.abs
        self.constant, self.real = jax.numpy.array, jax.numpy.real

    def is_tensor(self, leaf):
        return isinstance(leaf, self.own.Array)

    def kind(self, leaf):
        numpy = self.own.numpy
        for letter, group in (("f", numpy.floating), ("c", numpy.complexfloating),
                              ("b", numpy.bool_)):  # fmt: skip
            if numpy.issubdtype(leaf.dtype, group):
                return letter
        return "i" if numpy.issubdtype(leaf.dtype, numpy.integer) else ""

    def rolled(self, leaf):
        return self.own.numpy.roll(leaf, 1, -1)

    def recast(self, leaf):
        # Float64 is not to be had by default.
        return leaf.astype("float16" if self.kind(leaf) != "c" else "float32")

    def traced(self, tensors):
        return not self.own.core.trace_ctx.is_top_level()

    symbolic = traced

    def batched(self, tensors):
        return any("BatchTracer" in type(item).__name__ for item in tensors)

    def interpreted(self, tensors):
        return bool(self.own.config.jax_disable_jit)

    def sparse(self, tensors):
        # Of what is stored there is one axis; functions of matrices are traced.
        traced = any(isinstance(item, self.own.core.Tracer) for item in tensors)
        return traced or any(item.ndim == 1 for item in tensors)

    def dense(self, leaf):
        return leaf

    def forward_mode(self, leaf, changed):
        jax = self.own

        @jax.custom_jvp
        def wrong(value):
            return value

        @wrong.defjvp
        def slope(primals, tangents):
            (value,), (tangent,) = primals, tangents
            # Reverse mode is its transpose, which is traced.
            traced = isinstance(tangent, jax.core.Tracer)
            return value, tangent if traced else changed(tangent)

        return wrong(leaf)


class Keras:
    """The same in Keras, on its backend."""

    def __new__(cls):
        import keras

        made = {"torch": Torch, "tensorflow": TensorFlow, "jax": Jax}[keras.backend.backend()]()
        made.keras = keras
        return made


LIBRARIES = {"torch": Torch, "tensorflow": TensorFlow, "jax": Jax, "keras": Keras}
