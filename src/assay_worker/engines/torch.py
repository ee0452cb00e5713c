"""PyTorch: one ``autograd.grad``; ``torch.compile``."""

import contextlib
import re

import torch

from assay_worker import machine
from assay_worker.engines._base import Conversions, Engine, Session, TapeSession
from assay_worker.libraries._base import StageFailure

#: What autograd says, old and new, as soon as a function is called that it cannot differentiate by
#: one of its arguments.
_NO_DERIVATIVE = re.compile(
    r"the derivative for '.+' is not implemented"
    r"|The function '.+' is not differentiable with respect to argument '.+'"
)

#: Operators that make or copy a tensor, and compute nothing.
_ALLOCATING = ("aten::_to_copy", "aten::clone", "aten::copy_", "aten::empty", "aten::empty_like",
               "aten::new_empty", "aten::new_zeros", "aten::zeros_like")  # fmt: skip


def _on(available):
    return "on" if available else "off"


_SETTINGS = {
    "kernels": lambda: torch.backends.cpu.get_cpu_capability(),
    "oneDNN": lambda: _on(torch.backends.mkldnn.is_available()),
    "MKL": lambda: _on(torch.backends.mkl.is_available()),
    "threads": torch.get_num_threads,
}


class _Conversions(Conversions):
    def tensor(self, array):
        return torch.tensor(array)


class TorchEngine(Engine):
    """See ``Engine``."""

    differentiable = True
    modes = ("compile",)

    def __init__(self, conversions=None):
        super(TorchEngine, self).__init__(conversions or _Conversions())
        self.torch = torch

    def settings(self):
        """See ``Engine``; also the kernels, oneDNN's and MKL's among them, and threads."""
        found = super(TorchEngine, self).settings()
        for name, ask in _SETTINGS.items():
            found.update(machine.told(name, lambda name=name, ask=ask: {name: str(ask())}))
        return found

    @contextlib.contextmanager
    def session(self, gradient):
        """With autograd on or off."""
        with torch.set_grad_enabled(gradient):
            yield _TorchSession(self) if gradient else Session(self)

    def floating(self, tensor):
        """Can it be differentiated?"""
        return isinstance(tensor, torch.Tensor) and tensor.is_floating_point()

    def numpy(self, tensor):
        """Detached; fast path for plain tensors."""
        if isinstance(tensor, torch.Tensor):
            tensor = tensor.detach()
            if tensor.dtype == torch.bfloat16:
                tensor = tensor.float()
            if tensor.layout != torch.strided:
                tensor = tensor.to_dense()
            if tensor.is_complex():
                # A lazily conjugated tensor has no array of its own.
                tensor = torch.view_as_complex(torch.view_as_real(tensor * 1))
            return tensor.numpy()
        return super(TorchEngine, self).numpy(tensor)

    def cast(self, tensor, dtype):
        """See ``Engine``."""
        return tensor.to(getattr(torch, dtype))

    def seed(self, number):
        """See ``Engine``."""
        torch.default_generator.manual_seed(number)

    def operators(self, recorder):
        """See ``Engine``: what the dispatcher calls that computes; nothing before PyTorch 2."""
        try:
            from torch.utils._python_dispatch import TorchDispatchMode
        except ImportError:
            return super(TorchEngine, self).operators(recorder)

        class Telling(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                named, name = kwargs or {}, func._schema.name
                if getattr(func, "is_view", True) or name in _ALLOCATING:
                    return func(*args, **named)
                place = recorder.given(name, (args, named))
                result = func(*args, **named)
                recorder.gave(place, result)
                return result

        return Telling()

    def dot(self, output, weights):
        """See ``Engine``."""
        return (output * torch.tensor(weights).to(output.dtype)).sum()

    def compiled(self, forward, mode, names, floating, gradient):
        """See ``Engine``."""
        # Past its recompile limit Dynamo silently runs eagerly, and we would compare
        # eager with eager. Counts of earlier programs must not add up either.
        torch._dynamo.reset()
        torch._dynamo.config.recompile_limit = 1000
        compiled = torch.compile(lambda tensors, weights: forward(tensors, weights))

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


class _TorchSession(TapeSession):
    def __init__(self, engine):
        super(_TorchSession, self).__init__(engine)
        self._refused = None

    def call(self, step, positional, keywords):
        try:
            return super(_TorchSession, self).call(step, positional, keywords)
        except RuntimeError as error:
            if not _NO_DERIVATIVE.match(str(error)):
                raise
            # Said before its time: the call itself works, and the gradient fails.
            self._refused = self._refused or StageFailure("gradient", step.id, error)
        # Old versions look at the arguments, whether or not anything is recorded.
        with torch.no_grad():
            return super(_TorchSession, self).call(step, _detached(positional), _detached(keywords))

    def watched(self, name, array):
        tensor = self.tensor(name, array)
        # A copy of the leaf: what a layer hands on is no leaf either, and PyTorch
        # treats in-place changes of leaves differently.
        return tensor.requires_grad_().clone() if tensor.is_floating_point() else tensor

    def produced(self, names, tensors):
        return [self._attached(tensor) for tensor in tensors]

    def _attached(self, tensor):
        """The tensor, or a new leaf if the op cut the gradient."""
        if not self.engine.floating(tensor) or tensor.requires_grad:
            return tensor
        return tensor.detach().clone().requires_grad_()

    def differentiate(self, loss, sources):
        if self._refused is not None:
            raise self._refused
        # Tensors outside the graph have no gradient.
        attached = [source for source in sources if source.requires_grad]
        if not loss.requires_grad:
            return [None] * len(sources)
        found = torch.autograd.grad(loss, attached, allow_unused=True)
        by_identity = {id(source): value for source, value in zip(attached, found)}
        return [by_identity.get(id(source)) for source in sources]


def _detached(value):
    """Arguments of a call, with nothing in them that is to be differentiated."""
    if isinstance(value, dict):
        return {name: _detached(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_detached(item) for item in value]
    return value.detach() if isinstance(value, torch.Tensor) else value
