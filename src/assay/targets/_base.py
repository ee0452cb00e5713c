"""What a target is, and where targets come from."""

from collections.abc import Mapping, Sequence

import msgspec

from assay.errors import TargetError
from assay.ir import Platform
from assay.suggest import unknown

#: Modes of Keras that export a model to another runtime.
EXPORT_MODES = ("onnxruntime", "openvino", "litert")
#: Libraries that run model files, no single ops.
MODEL_LIBRARIES = ("onnxruntime", "openvino", "onnx", "torch")


class Target(msgspec.Struct, frozen=True):
    """Interpreter + library + backend + execution mode.

    ``python`` is the interpreter's path, "" for Assay's own. ``prelude`` is a
    file run in the worker after import. ``env`` is added to the worker's
    environment. ``environment`` is what stands behind the @ of its name: an environment of
    Assay's, or an interpreter. ``extra`` names the pip extras that provide the target.
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
    def compiles(self) -> bool:
        """Does every new op and shape cost a compilation? JAX compiles even op by op."""
        return self.backend == "jax" or self.mode != "eager"

    @property
    def fuses(self) -> bool:
        """Are the ops of a graph compiled as one? Keras on OpenVINO is lazy even without a mode."""
        return self.backend == "openvino" or self.mode != "eager"

    @property
    def only_models(self) -> bool:
        """Does it execute whole models only, and no cases?"""
        return self.library in MODEL_LIBRARIES or self.mode in EXPORT_MODES

    @property
    def hides_layers(self) -> bool:
        """Must a model be compiled again to see inside? Then candidates are picked first."""
        return self.library in ("keras", "torch") and self.mode != "eager"

    @property
    def modules(self) -> tuple[str, ...]:
        """What its interpreter must be able to import."""
        if self.library == "torch" and self.mode == "onnxruntime":
            return ("torch", "onnxruntime", "onnxscript")
        found = (self.library, self.backend, *_RUNTIME_MODULES.get(self.mode, ()))
        return tuple(name for name in found if name)

    def platform(self, versions: Mapping[str, str]) -> Platform:
        """What it is made of, with the versions its worker told."""
        return Platform(self.library, self.backend, self.mode, dict(versions))

    def votes_as(self, op: str) -> str:
        """The implementation that computes ``op`` on this target."""
        if self.backend == "numpy" and any(word in op for word in _NUMPY_CALLS_JAX):
            return "jax"
        return self.implementation


#: What exporting to a runtime takes.
_RUNTIME_MODULES = {
    "onnxruntime": ("onnxruntime", "tf2onnx"),
    "openvino": ("openvino",),
    "litert": ("ai_edge_litert",),
}
#: Keras' NumPy backend calls JAX for convolutions and pooling.
_NUMPY_CALLS_JAX = ("conv", "Conv", "_pool", "Pooling")

_KERAS_MODES = {
    "tensorflow": ("graph", "xla"),
    "jax": ("jit",),
    "torch": ("compile",),
    "numpy": (),
    "openvino": (),
}
#: What a library would else choose by the machine it runs on, by backend: TensorFlow turns oneDNN
#: on where the CPU has AVX512_VNNI, and its numbers, refusals and crashes are others then. A
#: finding must mean the same everywhere; a target of one's own may set another value.
PINNED = {"tensorflow": {"TF_ENABLE_ONEDNN_OPTS": "0"}}
#: What a hunt uses unless told otherwise.
DEFAULT_TARGETS = ("keras-tensorflow", "keras-jax", "keras-torch")
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
}
#: Our own float64 semantics: consulted whatever targets are asked for.
REFERENCE = Target(name="reference", library="reference", backend="", mode="eager")


def builtin_targets() -> dict[str, Target]:
    """The targets Assay knows without configuration, by name."""
    targets = []
    for backend, modes in _KERAS_MODES.items():
        for mode in ("eager", *modes):
            name = f"keras-{backend}" + ("" if mode == "eager" else f"+{mode}")
            extra = "keras" if backend == "numpy" else f"keras,{backend}"
            env = PINNED.get(backend, {})
            targets.append(Target(name, "keras", backend, mode, env=env, extra=extra))
    for mode in EXPORT_MODES:
        extra = f"keras,tensorflow,{mode}"
        name = f"keras-tensorflow+{mode}"
        env = PINNED["tensorflow"]
        targets.append(Target(name, "keras", "tensorflow", mode, env=env, extra=extra))
    for name, library, mode in (
        ("onnxruntime", "onnxruntime", "optimised"),
        ("onnxruntime+unoptimised", "onnxruntime", "unoptimised"),
        ("openvino", "openvino", "eager"),
        ("onnx-reference", "onnx", "eager"),
        ("torch", "torch", "eager"),
        ("torch+compile", "torch", "compile"),
        ("torch+onnxruntime", "torch", "onnxruntime"),
    ):
        extra = "openvino,onnxruntime" if library == "openvino" else library
        extra = "onnxruntime" if library == "onnx" else extra
        targets.append(Target(name, library, "", mode, extra=extra))
    return {target.name: target for target in [*targets, REFERENCE]}


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
        if cases and target.only_models:
            raise TargetError(f"{name} runs whole models only: use it with assay check.")
        found[target.name] = target
    return tuple(found.values())
