"""One model on several targets: loaded, run, opened layer by layer.

What several files hold is one model here, too: everybody is asked with the inputs of the first
file, and answers with outputs in its order.
"""

import copy
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from assay.errors import TargetError
from assay.execute import (
    Answer,
    Death,
    Hello,
    InternalWorkerError,
    Limits,
    StartFailure,
    Supervisor,
    request_for,
    traces_of,
)
from assay.gaps import real
from assay.ir import Array, Case, Explicit, Graph, Input, Node
from assay.ir.check import LayerFacts, LayerSpec, ModelSpec
from assay.localize.outside import Seen
from assay.models import ModelError, ModelFile, size_of, unfit
from assay.models.matching import Matching, matched
from assay.targets import REFERENCE, Target

#: Lines of OpenVINO's messages that only say where in its source it was.
_PLACE = re.compile(r"(Exception from|Check '|FrontEnd API failed)[^ ]*.*:(\d+:)?$")
#: Where OpenVINO says which ops it does not convert.
_SUMMARY = "-- Conversion is failed for"
#: A large model may take minutes to compile; a batch of it too.
#: A worker that is replaced would lose its model.
LIMITS = Limits(run_seconds=900.0, memory_bytes=12 << 30, retires=False)
#: Bytes of a model that only one target holds at a time: each needs several times as much.
LARGE_BYTES = 1 << 30


class Failed(msgspec.Struct, frozen=True):
    """Why a target has no answer. ``cause`` says what its process died of, if it did."""

    message: str
    cause: str = ""

    @property
    def died(self) -> bool:
        """Did the target's process die?"""
        return bool(self.cause)


class Bound(msgspec.Struct, frozen=True):
    """How an arm that names its inputs and outputs otherwise is asked, and what it answers."""

    inputs: Matching
    outputs: Matching


class _Room:
    """Is there room for one target's model only, and whose is it?"""

    narrow = False
    holder = ""


class Models:
    """A model file loaded on every target that can, or several files on an arm each.

    A target that fails is left out from then on; ``failures`` says why.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        targets: Sequence[Target],
        waiting: Callable[[tuple[str, ...]], None] | None = None,
    ) -> None:
        self.supervisor = supervisor
        #: Hears who is still at work, whenever that changes.
        self._waiting = waiting
        self._targets = {target.name: target for target in targets}
        self.hellos: dict[str, Hello] = {}
        self.versions: dict[str, dict[str, str]] = {}
        self.failures: dict[str, Failed] = {}
        self.specs: dict[str, ModelSpec] = {}
        self.cpu_seconds: dict[str, float] = {}
        self._states: dict[tuple[str, int], dict[str, Array] | None] = {}
        self._load_requests: dict[str, dict[str, Any]] = {}
        self.bound: dict[str, Bound] = {}
        self._among: tuple[str, ...] | None = None
        self._room = _Room()

    @property
    def names(self) -> tuple[str, ...]:
        """The targets that hold the model, in order."""
        among = self.specs if self._among is None else self._among
        return tuple(name for name in among if name not in self.failures)

    def alike(self, one: str, two: str) -> bool:
        """Do both hold the same layers by the same names? Then they can be asked about each."""
        paths = [self._load_requests[name]["path"] for name in (one, two)]
        return paths[0] == paths[1] and self.specs[one].words == self.specs[two].words

    def held_by(self, names: Sequence[str]) -> list[ModelSpec]:
        """The models that these hold, each file once."""
        found: dict[str, ModelSpec] = {}
        for name in names:
            if name in self.specs:
                found.setdefault(self._load_requests[name]["path"], self.specs[name])
        return list(found.values())

    def peers(self, name: str) -> "Models":
        """The same, but only of the targets whose layers are those of this one."""
        found = copy.copy(self)
        found._among = tuple(other for other in self.names if self.alike(name, other))
        return found

    @property
    def spec(self) -> ModelSpec:
        """The model as the first target sees it."""
        return self.specs[self.names[0]]

    def forget(self) -> None:
        """Drop what is kept of earlier instances."""
        self._states.clear()

    def hides_layers(self, target: str) -> bool:
        """Must the model be compiled again to see inside?"""
        return self._targets[target].hides_layers

    def bases(self, shaky: Iterable[str], most: int) -> tuple[str, ...]:
        """Targets to measure on, each of another implementation, those that show their layers
        first; never one of ``shaky``.

        Where some name their layers otherwise, only the others: those that do cannot run them
        one by one, and moving the inputs alone tells less of what rounding does.
        """
        able = [name for name in self.names if name not in set(shaky)]
        chosen: dict[str, str] = {}
        for name in sorted(able, key=self.hides_layers):
            chosen.setdefault(self._targets[name].implementation, name)
        shown = [name for name in chosen.values() if not self.hides_layers(name)]
        moving = [n for n in shown if self.bound and not self.specs[n].words]
        return tuple(moving or shown or chosen.values())[:most]

    def votes(self, target: str, op: str) -> str:
        """The implementation that computes an op on a target."""
        return self._targets[target].votes_as(op)

    def start(self) -> None:
        """Start every target; note those that cannot."""
        for _ in self.starting():
            pass

    def starting(self) -> Iterator[tuple[str, ...]]:
        """The same; gives who is left whenever that changes."""
        yield from self.supervisor.starting()
        for name, hello in self.supervisor.started().items():
            if isinstance(hello, Hello):
                self.hellos[name] = hello
                self.versions[name] = hello.versions
            elif name != REFERENCE.name:
                self.failures[name] = Failed(f"cannot start: {_first_line(hello.message)}")

    def build(self, name: str, seed: int, path: str) -> None:
        """Have the first Keras target build a model of the zoo and save it."""
        builders = [
            target
            for target in self._targets
            if target in self.versions and self._targets[target].library == "keras"
        ]
        if not builders:
            raise TargetError("models of the zoo are built by Keras; no Keras target can start.")
        request = {"do": "model", "action": "zoo", "name": name, "seed": seed, "path": path}
        result = self._ask({builders[0]: request})[builders[0]]
        if isinstance(result, Failed):
            raise TargetError(f"{builders[0]} cannot build zoo:{name}: {result.message}")

    def load(self, file: ModelFile, others: Mapping[str, ModelFile] | None = None) -> None:
        """Load the file on every target; ``others`` says which hold another one.

        ``ModelError`` if the inputs or outputs of two files cannot be matched.
        """
        held = others or {}
        wanted = [n for n in self._targets if n in self.versions and n != REFERENCE.name]
        self._load_requests = {
            name: {**_loading(held.get(name, file)), "arrays": bool(held)} for name in wanted
        }
        self.bound = {}
        files = {item.path for item in (file, *held.values())}
        self._room.narrow = any(size_of(path) >= LARGE_BYTES for path in files)
        for name, result in self._ask(self._load_requests).items():
            if isinstance(result, Failed):
                message = f"cannot load the model: {result.message}"
                self.failures[name] = Failed(message, result.cause)
                continue
            spec = msgspec.convert(result["description"], ModelSpec)
            problem = unfit(spec.inputs, spec.outputs, spec.left_out)
            if problem:
                self.failures[name] = Failed(problem)
            else:
                self.specs[name] = spec
        digests: dict[str, str] = {}
        for name in self.names:
            path, digest = self._load_requests[name]["path"], self.specs[name].digest
            if digest != digests.setdefault(path, digest):
                # Never compared: the arms would not be asked the same question.
                self.failures[name] = Failed("loaded other weights than the first target")
        self._bind(file, held)

    def _bind(self, file: ModelFile, others: Mapping[str, ModelFile]) -> None:
        """Match inputs and outputs with those of the first file that somebody holds."""
        own = [name for name in self.names if others.get(name, file).path == file.path]
        base = next(iter(own or self.names), "")
        for name in self.names:
            if self.alike(base, name):
                continue
            files = [others.get(arm, file) for arm in (base, name)]
            first, spec = map(_as_called, (self.specs[base], self.specs[name]), files)
            paths = [one.path for one in files]
            one, two = (
                f"{os.path.basename(path)} on {target}"
                for path, target in zip(paths, (base, name), strict=True)
            )
            try:
                self.bound[name] = Bound(
                    matched(spec.inputs, first.inputs, "inputs", (two, one)),
                    matched(first.outputs, spec.outputs, "outputs", (one, two)),
                )
            except ModelError as error:
                if paths[0] != paths[1]:
                    raise
                self.failures[name] = Failed(str(error))

    def slow(self, target: str) -> bool:
        """Is it so slow that it runs few instances only?"""
        return self._targets[target].slow

    def predict(
        self, inputs: Sequence[Array], names: Sequence[str] | None = None
    ) -> dict[str, list[Array]]:
        """The outputs of every target, or of these; a target that fails is left out."""
        outputs = {}
        asked = self.names if names is None else [name for name in self.names if name in names]
        for name, result in self._run(asked, inputs).items():
            if isinstance(result, Failed):
                self.failures[name] = result
            else:
                outputs[name] = result
        return outputs

    def _run(
        self, names: Sequence[str], inputs: Sequence[Array]
    ) -> dict[str, list[Array] | Failed]:
        """The outputs of these targets, which work at the same time, or why there are none."""
        singly = [n for n in names if n in self.bound and self.bound[n].inputs.singly]
        whole = [name for name in names if name not in singly]
        answers = self._ask({name: self._asked("predict", name, inputs) for name in whole})
        found = {name: self._outputs(name, answers[name]) for name in whole}
        parts: dict[str, list[list[Array]]] = {name: [] for name in singly}
        for place in range(len(inputs[0]) if singly else 0):
            one = [array[place : place + 1] for array in inputs]
            left = [name for name in singly if name not in found]
            answers = self._ask({name: self._asked("predict", name, one) for name in left})
            for name, answer in answers.items():
                result = self._outputs(name, answer)
                if isinstance(result, Failed):
                    found[name] = result
                else:
                    parts[name].append(result)
        for name in singly:
            if name not in found:
                found[name] = [np.concatenate(items) for items in zip(*parts[name], strict=True)]
        return {name: found[name] for name in names}

    def _asked(
        self, action: str, name: str, inputs: Sequence[Array], **more: object
    ) -> dict[str, Any]:
        """A request with inputs as the target has them."""
        bound = self.bound.get(name)
        given = list(inputs) if bound is None else bound.inputs.made(inputs)
        return {"do": "model", "action": action, "inputs": given, **more}

    def _outputs(self, name: str, result: dict[str, Any] | Failed) -> list[Array] | Failed:
        if isinstance(result, Failed):
            return result
        outputs: list[Array] = result["outputs"]
        bound = self.bound.get(name)
        return _compared(outputs, bound)

    def predict_on(self, target: str, inputs: Sequence[Array]) -> list[Array] | None:
        """The outputs of one target, None if it fails."""
        result = self.attempt(target, inputs)
        return None if isinstance(result, Failed) else result

    def attempt(self, target: str, inputs: Sequence[Array]) -> list[Array] | Failed:
        """The outputs of one target, or why it has none; it stays among the others."""
        return self._run([target], inputs)[target]

    def loads(self, target: str) -> Failed | None:
        """Load the model on one target once more; why it cannot."""
        self._make_room(target)
        result = self._answers({target: self._load_requests[target]})[target]
        return result if isinstance(result, Failed) else None

    def nudged(
        self, target: str, inputs: Sequence[Array], copies: int, factor: float
    ) -> list[list[Array]]:
        """Outputs of a target run layer by layer, twice; then, ``copies`` times, with inputs and
        every layer's output moved by about ``factor`` ULP. Empty if it cannot do that.
        """
        bound = self.bound.get(target)
        parts = [list(inputs)]
        if bound is not None and bound.inputs.singly:
            parts = [[array[n : n + 1] for array in inputs] for n in range(len(inputs[0]))]
        found: list[list[list[Array]]] = []
        for part in parts:
            request = self._asked("nudged", target, part, copies=copies, factor=factor)
            result = self._ask({target: request})[target]
            runs = [] if isinstance(result, Failed) else list(result["copies"])
            if not runs:
                return []
            found.append([_compared(outputs, bound) for outputs in runs])
        if len(found) == 1:
            return found[0]
        return [
            [np.concatenate(items) for items in zip(*runs, strict=True)]
            for runs in zip(*found, strict=True)
        ]

    def states(self, target: str, instance: int, inputs: Sequence[Array]) -> dict[str, Array]:
        """Every tensor of the model by name for one instance; empty if the target fails."""
        key = (target, instance)
        if key not in self._states:
            for other in [other for other in self._states if other[1] != instance]:
                del self._states[other]
            result = self._ask({target: self._asked("states", target, inputs)})[target]
            self._states[key] = None if isinstance(result, Failed) else result["arrays"]
        return self._states[key] or {}

    def facts(self, target: str) -> tuple[LayerFacts, ...]:
        """What every layer of a target's model was made with; empty if it does not tell."""
        names = [layer.name for layer in self.specs[target].layers]
        request = {"do": "model", "action": "facts", "layers": names}
        result = self._ask({target: request})[target]
        if isinstance(result, Failed):
            return ()
        return tuple(msgspec.convert(item, LayerFacts) for item in result["facts"])

    def seen(self, target: str, inputs: Sequence[Array]) -> Seen | None:
        """What a target's layers hand on while the model runs as a whole; None if unknown."""
        request = {"do": "model", "action": "seen", "inputs": list(inputs)}
        result = self._ask({target: request})[target]
        found = {} if isinstance(result, Failed) else result["seen"]
        return Seen(found["read"], found["gave"], found["outputs"]) if found else None

    def alone(
        self, targets: Sequence[str], layers: Sequence[LayerSpec], arrays: Mapping[str, Array]
    ) -> dict[str, dict[str, Array]]:
        """Each of these layers alone on exactly these arrays, on several targets."""
        needed = {name for layer in layers for name in layer.inputs}
        masks = {name for name in arrays if name.removeprefix("mask of ") in needed}
        given = {name: array for name, array in arrays.items() if name in needed | masks}
        request = {
            "do": "model",
            "action": "alone",
            "layers": [layer.name for layer in layers],
            "arrays": given,
        }
        answers = self._ask(dict.fromkeys(targets, request))
        return {
            name: {} if isinstance(result, Failed) else result["arrays"]
            for name, result in answers.items()
        }

    def reference(
        self, target: str, layer: LayerSpec, arrays: Mapping[str, Array]
    ) -> dict[str, Array]:
        """What Assay's own float64 reference says of a layer alone; empty if it claims nothing."""
        if REFERENCE.name not in self.versions:
            return {}
        case = self.layer_case(target, layer, arrays)
        if case is None:
            return {}
        (trace,) = traces_of(REFERENCE.name, self.supervisor.ask(REFERENCE.name, request_for(case)))
        if trace.status != "ok":
            return {}
        outputs = list(trace.outputs().values())
        return dict(zip(layer.outputs, outputs, strict=False))

    def layer_case(self, target: str, layer: LayerSpec, arrays: Mapping[str, Array]) -> Case | None:
        """A layer with its weights as a case of its own, on these arrays.

        None for what is not that plain: a custom layer, one that reads a mask, a node of
        another format.
        """
        request = {"do": "model", "action": "layer", "layer": layer.name}
        result = self._ask({target: request})[target]
        if isinstance(result, Failed) or not result["layer"]:
            return None
        if any("mask of " + name in arrays for name in layer.inputs):
            return None
        return _case(layer, result["layer"], arrays)

    def _ask(self, requests: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any] | Failed]:
        """What these targets say, all at once; of a large model one after the other."""
        if not self._room.narrow:
            return self._together(requests)
        found: dict[str, dict[str, Any] | Failed] = {}
        for name in sorted(requests, key=lambda name: name != self._room.holder):
            self._make_room(name)
            found |= self._together({name: requests[name]})
        return {name: found[name] for name in requests}

    def _make_room(self, target: str) -> None:
        """Have whoever else holds a large model let it go; it is loaded again when asked for."""
        if self._room.narrow and self._room.holder not in ("", target):
            self._answers({self._room.holder: {"do": "model", "action": "forget"}})
        self._room.holder = target

    def _together(
        self, requests: Mapping[str, dict[str, Any]]
    ) -> dict[str, dict[str, Any] | Failed]:
        answers = self._answers(requests)
        lost = [n for n, item in answers.items() if not isinstance(item, Failed) and "lost" in item]
        if lost:
            # It was let go, or the process that had loaded it died.
            reloaded = self._answers({name: self._load_requests[name] for name in lost})
            answers.update(reloaded)
            ready = [name for name in lost if not isinstance(reloaded[name], Failed)]
            answers.update(self._answers({name: requests[name] for name in ready}))
        return answers

    def _answers(
        self, requests: Mapping[str, dict[str, Any]]
    ) -> dict[str, dict[str, Any] | Failed]:
        answers: dict[str, dict[str, Any] | Failed] = {}
        for name, answer in self.supervisor.ask_all(requests, waiting=self._waiting).items():
            result = answers[name] = _result(name, answer)
            if not isinstance(result, Failed):
                spent = self.cpu_seconds.get(name, 0.0) + result["cpu_seconds"]
                self.cpu_seconds[name] = spent
        return answers


def _as_called(spec: ModelSpec, file: ModelFile) -> ModelSpec:
    """A model with its outputs as the file calls them, not by the layers that write them."""
    if len(file.outputs) != len(spec.outputs):
        return spec
    pairs = zip(spec.outputs, file.outputs, strict=True)
    outputs = tuple(msgspec.structs.replace(item, name=name) for item, name in pairs)
    return msgspec.structs.replace(spec, outputs=outputs)


def _compared(outputs: Sequence[Array], bound: Bound | None) -> list[Array]:
    """Outputs as they are compared: in the order of the first file, in real numbers."""
    return [real(array) for array in (bound.outputs.answered(outputs) if bound else outputs)]


def _loading(file: ModelFile) -> dict[str, Any]:
    return {
        "do": "model",
        "action": "load",
        "path": file.path,
        "format": file.format,
        "trust": file.trust,
        "architecture": file.architecture,
        "custom": list(file.custom),
    }


def _result(name: str, answer: Answer) -> dict[str, Any] | Failed:
    if isinstance(answer, StartFailure):
        return Failed(f"cannot start: {_first_line(answer.message)}")
    if isinstance(answer, Death):
        what = {"timeout": "no answer before the deadline", "memory": "ran out of memory"}
        message = what.get(answer.cause, f"the process died: {answer.cause}")
        return Failed(message, answer.cause)
    if "internal" in answer:
        problem = answer["internal"]
        raise InternalWorkerError(
            f"{name}: {problem['exception']}: {problem['message']}\n{problem['stack']}"
        )
    result: dict[str, Any] = answer["model"]
    if "failure" in result:
        failure = result["failure"]
        kind = failure["exception"].removeprefix("builtins.")
        return Failed(f"{kind}: {_first_line(failure['message'])}")
    return result


def _first_line(text: str) -> str:
    """The first line that says something: some libraries begin with where they were."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if not _PLACE.match(line)]
    first = (telling or lines or ["no reason was given"])[0]
    summary = next((line for line in lines if line.startswith(_SUMMARY)), "")
    return f"{first} {summary.removeprefix('-- ')}".strip()[:300]


def _case(layer: LayerSpec, plain: dict[str, Any], arrays: Mapping[str, Array]) -> Case:
    """The layer as a case of one node of its name, with its own weights."""
    names = [f"x{place}" for place in range(len(layer.inputs))]
    own = layer.name.replace(":", "_")
    while own in names:
        own += "_"
    inputs = tuple(
        Input(name, arrays[tensor].shape, arrays[tensor].dtype.name)
        for name, tensor in zip(names, layer.inputs, strict=True)
    )
    arguments = (tuple(names),) if plain["listed"] else tuple(names)
    node = Node(own, plain["op"], arguments, plain["params"])
    return Case(
        graph=Graph(inputs, (node,), (own,)),
        inputs={
            name: Explicit(arrays[tensor]) for name, tensor in zip(names, layer.inputs, strict=True)
        },
        explicit_weights={own: tuple(Explicit(array) for array in plain["weights"])},
    )
