"""PaddlePaddle at work: runs in the interpreter that has it, beside ``assay_worker`` only."""

import contextlib

import paddle

from assay_worker.engines._base import Conversions, Engine, Session, TapeSession
from assay_worker.libraries._graphs import NativeAdapter


class _Conversions(Conversions):
    def tensor(self, array):
        return paddle.to_tensor(array)

    def numpy(self, tensor):
        return tensor.detach().numpy()


class PaddleEngine(Engine):
    """One ``paddle.grad`` over all tensors."""

    differentiable = True

    def __init__(self):
        super().__init__(_Conversions())

    @contextlib.contextmanager
    def session(self, gradient):
        """With autograd on or off."""
        with paddle.set_grad_enabled(gradient):
            yield _PaddleSession(self) if gradient else Session(self)

    def floating(self, tensor):
        """Can it be differentiated?"""
        return isinstance(tensor, paddle.Tensor) and tensor.is_floating_point()

    def dot(self, output, weights):
        """The sum of an output's elements, each times its weight."""
        return (output * paddle.to_tensor(weights).astype(output.dtype)).sum()


class _PaddleSession(TapeSession):
    def __init__(self, engine):
        super().__init__(engine)
        self.known = []

    def watched(self, name, array):
        return self._attached(self.engine.tensor(array))

    def produced(self, names, tensors):
        return [self._attached(tensor) for tensor in tensors]

    def _attached(self, tensor):
        """The tensor, or a new leaf if the op cut the gradient."""
        if not self.engine.floating(tensor):
            return tensor
        if tensor.stop_gradient:
            tensor = tensor.detach().clone()
            tensor.stop_gradient = False
        elif any(tensor is other for other in self.known):
            # ``reshape`` may give what it got, and paddle.grad takes no tensor twice.
            tensor = tensor.clone()
        self.known.append(tensor)
        return tensor

    def differentiate(self, loss, sources):
        if loss.stop_gradient:
            return [None] * len(sources)
        return paddle.grad(loss, sources, allow_unused=True)


class PaddleAdapter(NativeAdapter):
    """Functions by their public path."""

    root = module = "paddle"

    def create_engine(self):
        """Its own."""
        return PaddleEngine()
