"""What a target is, and where targets come from."""

from collections.abc import Mapping, Sequence, Set

import msgspec

from assay.errors import TargetError
from assay.ir import EAGER_MODES, Machine, Platform
from assay.libraries import SHARED, libraries
from assay.libraries.kernels import CHOOSING
from assay.suggest import unknown

#: Modes that export a model to another runtime, which then computes.
EXPORT_MODES = ("onnxruntime", "openvino", "litert")


class Target(msgspec.Struct, frozen=True):
    """Interpreter + library + backend + execution mode.

    ``python`` is the interpreter's path, "" for Assay's own. ``prelude`` is a
    file run in the worker after import. ``env`` is added to the worker's
    environment. ``environment`` is what stands behind the @ of its name: an environment of
    Assay's, or an interpreter. ``extra`` names the pip extras that provide the target.
    ``adapter`` is ``FILE:CLASS`` of the worker's side of a library that is not ours.
    """

    name: str
    library: str
    backend: str = ""
    mode: str = "eager"
    python: str = ""
    prelude: str = ""
    env: dict[str, str] = {}
    environment: str = ""
    extra: str = ""
    adapter: str = ""

    @property
    def implementation(self) -> str:
        """Who computes: targets with one implementation have one vote.

        A compiled mode shares the backend's code with the eager mode, so it is
        no second opinion on it; an exported model is computed by the runtime it was
        exported to.
        """
        if self.mode in EXPORT_MODES:
            return self.mode
        return self.backend or self.library

    @property
    def execution(self) -> str:
        """The mode that its worker runs in: other kernels are a matter of the environment."""
        return "eager" if self.mode in EAGER_MODES else self.mode

    @property
    def base(self) -> str:
        """What has the usual kernels where this has others, as ``Platform.identity``; else ""."""
        return self.platform({}).base

    @property
    def compiles(self) -> bool:
        """Does every new op and shape cost a compilation? JAX compiles even op by op."""
        return "jax" in (self.backend, self.library) or self.mode not in _QUICK

    @property
    def fuses(self) -> bool:
        """Are the ops of a graph compiled as one? Keras on OpenVINO is lazy even without a mode."""
        return "openvino" in (self.backend, self.library) or self.mode not in _UNCOMPILED

    @property
    def only_models(self) -> bool:
        """Does it execute whole models only, and no cases?"""
        known = libraries().get(self.library)
        return self.mode in EXPORT_MODES or (known is not None and known.models_only)

    @property
    def slow(self) -> bool:
        """Does it compute for definition's sake, not for speed? Then it runs few instances."""
        return self.library == "onnx" or (self.library, self.mode) == ("litert", "reference")

    @property
    def hides_layers(self) -> bool:
        """Must a model be compiled again to see inside? Then candidates are picked first."""
        return self.library in ("keras", "torch") and self.execution != "eager"

    @property
    def modules(self) -> tuple[str, ...]:
        """What its interpreter must be able to import."""
        known = libraries().get(self.library)
        made_of = (self.backend, self.mode)
        for item in () if known is None else known.targets:
            if (item.backend, item.mode) == made_of and item.modules:
                return item.modules
        return tuple(filter(None, (self.library, self.backend)))

    def speaks_alone(self, roots: Set[str]) -> bool:
        """Are these the words of its own library, which no other has? (Keras' are shared.)"""
        known = libraries().get(self.library)
        own = known is not None and known.root != SHARED and known.root in roots
        return own and self.mode == "eager"

    def platform(self, versions: Mapping[str, str], machine: Machine | None = None) -> Platform:
        """What it is made of, with the versions and the machine that its worker told.

        Of its environment only what chooses kernels: the rest is nobody else's business.
        """
        environment = {name: value for name, value in self.env.items() if name in CHOOSING}
        return Platform(
            self.library, self.backend, self.mode, dict(versions), environment, machine or Machine()
        )

    def votes_as(self, op: str) -> str:
        """The implementation that computes ``op`` on this target."""
        if self.backend == "numpy" and any(word in op for word in _NUMPY_CALLS_JAX):
            return "jax"
        if self._has_onednn and any(word in op for word in _ONEDNN_COMPUTES):
            return "torch"
        if self.library == "openvino" and "conv" in op.lower():
            return "torch"  # oneDNN's on the CPU too: the same bits
        return self.implementation

    @property
    def _has_onednn(self) -> bool:
        """Does TensorFlow compute with the kernels that PyTorch has too?"""
        computes = self.implementation == "tensorflow"
        return computes and self.env.get("TF_ENABLE_ONEDNN_OPTS") == "1"


#: With oneDNN, TensorFlow and PyTorch give the same bits for these: one kernel, one vote.
_ONEDNN_COMPUTES = ("conv", "Conv", "matmul", "MatMul", "Dense", "dot", "Dot")
#: Keras' NumPy backend calls JAX for convolutions and pooling.
_NUMPY_CALLS_JAX = ("conv", "Conv", "_pool", "Pooling")

#: Modes in which no graph is compiled as a whole, and those in which that is quick.
_UNCOMPILED = ("eager", "unoptimised", *EAGER_MODES)
_QUICK = (*_UNCOMPILED, "optimised")
#: What a hunt uses unless told otherwise.
DEFAULT_TARGETS = ("keras-tensorflow", "keras-jax", "keras-torch")
#: The same with other kernels: on a share of the trials of a hunt that is long enough.
DEFAULT_KERNELS = ("keras-tensorflow+onednn",)
#: What a check uses unless told otherwise, by format of the model, where installed.
DEFAULT_MODEL_TARGETS = {
    "keras": (
        *DEFAULT_TARGETS,
        "keras-tensorflow+onnxruntime",
        "keras-tensorflow+openvino",
        "keras-tensorflow+litert",
    ),
    "onnx": ("onnxruntime", "onnxruntime+unoptimised", "openvino", "onnx-reference"),
    "torch": ("torch", "torch+compile", "torch+onnxruntime"),
    "litert": ("litert", "litert+reference", "openvino"),
    "openvino": ("openvino",),
    "savedmodel": ("tensorflow", "openvino"),
}
#: Our own float64 semantics: consulted whatever targets are asked for.
REFERENCE = Target(name="reference", library="reference", backend="", mode="eager")


def builtin_targets() -> dict[str, Target]:
    """The targets Assay knows without configuration, by name."""
    found = {
        item.name: Target(
            name=item.name,
            library=library.name,
            backend=item.backend,
            mode=item.mode,
            env=item.env,
            extra=item.extra,
            adapter=library.adapter,
        )
        for library in libraries().values()
        for item in library.targets
    }
    return {**found, REFERENCE.name: REFERENCE}


def resolve(
    names: Sequence[str], known: Mapping[str, Target], cases: bool = False
) -> tuple[Target, ...]:
    """The targets of these names, in order and without repeats.

    With ``cases`` each must execute cases: runtimes of whole models are refused.
    """
    found = {}
    for name in names:
        try:
            target = known[name]
        except KeyError:
            raise TargetError(
                f"{unknown('target', name, known)} (assay doctor shows all)"
            ) from None
        check_library(target)
        if cases and target.only_models:
            raise TargetError(f"{name} runs whole models only: use it with assay check.")
        found[target.name] = target
    return tuple(found.values())


#: Libraries of the worker's that nobody hunts with: it is for tests of hosts.
_OTHERS = ("selftest",)


def check_library(target: Target) -> None:
    """``TargetError`` for a library that is not known, or a mode that it does not have."""
    known = libraries().get(target.library)
    if known is None:
        if target.library in _OTHERS:
            return
        raise TargetError(f"{target.name}: {unknown('library', target.library, libraries())}")
    modes = {item.mode for item in known.targets if item.backend == target.backend}
    if modes and target.mode not in modes:
        raise TargetError(f"{target.name}: {unknown('mode', target.mode, sorted(modes))}")
