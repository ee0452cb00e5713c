"""How far a script goes with its program: the call, the loss, or the gradient."""

import sys
import textwrap

import msgspec

from assay.ir import Array, Case, Finding
from assay.ir.transform import ending_with
from assay.libraries import Dialect
from assay.reproduce import gradients
from assay.reproduce.program import (
    BFLOAT16,
    CannotReproduce,
    Program,
    filled,
    program_of,
    upstream_code,
)
from assay.reproduce.sides import REFERENCE, Sides
from assay.reproduce.speaking import Speaker


class Asking(msgspec.Struct, frozen=True):
    """A finding with what was stored of it, about to become a script.

    ``thorough``: ask for everything the worker was asked, where less usually does. ``sides``
    has those faulty targets that the script is about. ``absent`` is the code of how it ends
    where the fault is not.
    """

    finding: Finding
    arrays: dict[str, Array]
    sides: Sides
    speaker: Speaker
    thorough: bool = False
    absent: str = "1"

    @property
    def dialect(self) -> Dialect:
        """How the script is written."""
        return self.speaker.dialect

    @property
    def case(self) -> Case:
        """The case in the words of the script."""
        return self.speaker.case(self.finding)

    def program(
        self,
        case: Case | None = None,
        weights: bool = True,
        invariant: int | None = None,
        named: bool = False,
    ) -> Program:
        """The case, or another, as code; see ``program_of``."""
        asked = self.case if case is None else case
        return program_of(asked, self.dialect, self.speaker.mode, weights, invariant, named)

    @property
    def python(self) -> tuple[int, ...]:
        """The version of Python that the script is for; nothing older than ours if not known."""
        known = self.finding.versions.get(self.sides.faulty[0], {}).get("python", "")
        return tuple(map(int, known.split(".")[:2])) if known else sys.version_info[:2]

    def array(self, expression: str) -> str:
        """The code of a tensor's array."""
        return filled(self.dialect.array, expression)

    def numbers(self, expression: str) -> str:
        """The same of what the case gives: in float32 where that may be what arrays lack."""
        told = BFLOAT16 in str(self.finding.params)
        if told or any(item.dtype == BFLOAT16 for item in self.case.graph.inputs):
            if self.dialect.widened:
                return filled(self.dialect.widened, expression)
            return self.array(expression) + '.astype("float32")'
        return self.array(expression)


class Measured(msgspec.Struct, frozen=True):
    """Lines that come first, and the expression of the array that differs.

    ``asking`` are the lines that ask the program, before each answer.
    """

    before: list[str]
    actual: str
    asking: list[str] = []


_ZEROS = 'np.zeros({}, "float32")'


class _Differentiated(msgspec.Struct, frozen=True):
    """The helper, the arguments of its call, the loss as a function, the upstream gradients."""

    helper: list[str]
    arguments: str
    loss: list[str]
    upstream: list[str]


def inside(*lines: str) -> list[str]:
    """Lines of a block."""
    return [textwrap.indent(line, "    ") for line in lines]


def asked(asking: Asking) -> tuple[list[str], list[str]]:
    """Lines that prepare the program, and those that ask it; the last is an expression.

    Layers keep their initial weights unless the script is thorough: what raises,
    raises with any.
    """
    program = asking.program(weights=asking.thorough)
    prepared, made = list(program.tensors), list(program.objects)
    if not graded(asking):
        return prepared, [*made, *program.calls, program.result]
    steps = _differentiated(asking, program, measuring=False)
    if asking.finding.stage == "loss":
        loss = f"loss({', '.join(program.differentiable)})"
        return [*prepared, *steps.upstream], [*made, *steps.loss, loss]
    prepared += [*steps.upstream, "", *steps.helper, ""]
    # A layer has no weights to differentiate by before its first call.
    built = [*program.calls, program.result] if program.layers else []
    return prepared, [*made, *built, *steps.loss, f"gradient({steps.arguments})"]


def measured(asking: Asking) -> Measured:
    """The array of the evidence, computed as the worker did."""
    where = asking.finding.evidence.where
    head, _, rest = where.partition(":")
    if head == "output":
        return _output(asking, output_place(where))
    program = asking.program()
    if head == "gradient" and rest.startswith("output:"):
        program = _from_within(program, rest.removeprefix("output:"))
    before = [*program.tensors, *program.objects]
    if head == "state":
        (layer,) = program.layers[-1:]
        (node,) = asking.finding.case.graph.nodes[-1:]
        # What a recurrent layer remembers is not among its weights.
        known = "variables" if node.params.get("stateful") else f"{layer}.weights"
        states = f"[w for w in {known} if not w.trainable]"
        place = rest.rpartition(":")[2]
        return Measured(before, f"{states}[{place}]", [*program.calls, program.result])
    steps = _differentiated(asking, program, measuring=True)
    before += steps.upstream
    if head == "loss":
        arguments = ", ".join(program.differentiable)
        return Measured([*before, *steps.loss], f"loss({arguments})")
    index = _gradient_place(rest, program)
    before += ["", *steps.helper, "", *steps.loss]
    code = f"gradient({steps.arguments})[{index}]"
    if not may_be_cut(asking):
        return Measured(before, code)
    shape = next(a.shape for n, a in asking.arrays.items() if n.endswith(f"/{where}"))
    cut = f"{filled(asking.dialect.tensor, _ZEROS.format(shape))} if found is None else found"
    if asking.speaker.chooses_backend:
        cut = f"keras.ops.zeros({shape}) if found is None else found"
    told = ["if found is None:", '    print("no gradient (None), which counts as zeros")']
    return Measured(before, cut, [f"found = {code}", *told])


def output_place(where: str) -> int:
    """``output:n0`` is the first output of n0, ``output:n0:1`` the second."""
    parts = where.split(":")
    return int(parts[2]) if len(parts) == 3 else 0


def _output(asking: Asking, place: int) -> Measured:
    case = ending_with(asking.case, asking.finding.evidence.where.split(":")[1])
    plain = asking.program(case)
    program = asking.program(case, invariant=place)
    before = [*program.tensors, *program.objects]
    factorised = program.result != plain.result
    # A thorough script also takes what one backend returns in a tuple of one.
    flat = filled(asking.dialect.items, program.result)
    flattens = asking.thorough and flat != program.result
    if factorised or not (flattens or _several_outputs(asking)):
        return Measured(before, program.result, [*program.calls])
    return Measured(before, f"{flat}[{place}]", [*program.calls])


def _gradient_place(rest: str, program: Program) -> int:
    """Which of the gradients that the helper gives."""
    kind, _, name = rest.partition(":")
    if kind == "weight":
        return len(program.differentiable) + int(name.rpartition(":")[2])
    if kind == "output":  # the only one that is asked for
        return 0
    return program.differentiable.index(program.names[name])


def _from_within(program: Program, node: str) -> Program:
    """The question as a function of a node's output: what comes before it is computed first."""
    name = program.names.get(node, node)
    places = [i for i, line in enumerate(program.calls) if line.startswith(f"{name} = ")]
    if not places:
        raise CannotReproduce(f"the gradient of {node} has no name in a script")
    ready = places[0] + 1
    return msgspec.structs.replace(
        program,
        objects=(*program.objects, *program.calls[:ready]),
        calls=program.calls[ready:],
        differentiable=(name,),
    )


def graded(asking: Asking) -> bool:
    """Does the question go on to the loss and its gradient?"""
    if asking.finding.stage in ("loss", "gradient"):
        return True
    case = asking.finding.case
    return asking.thorough and case.loss is not None and case.stage == "gradient"


def _differentiated(asking: Asking, program: Program, measuring: bool) -> _Differentiated:
    finding = asking.finding
    # What raises when it is differentiated, does so whatever the upstream gradient.
    simple = not measuring and not asking.thorough
    upstream, loss = upstream_code(asking.case, asking.dialect, outputs_of(asking), simple)
    if not asking.dialect.gradient:
        raise CannotReproduce(f"{asking.speaker.library.name} differentiates nothing")
    arguments = ", ".join(program.differentiable)
    if loss.count("result") == 1 and len(loss) + len(program.result) < 90:
        body = [*program.calls, f"return {loss.replace('result', program.result)}"]
    else:
        body = [*program.calls, f"result = {program.result}", f"return {loss}"]
    function = [f"def loss({arguments}):", *inside(*body)]
    of_weight = finding.evidence.where.startswith("gradient:weight")
    if program.layers and (finding.case.training or of_weight or not measuring):
        weights = f"[w for w in {program.layers[-1]}.weights if w.trainable]"
        helper = gradients.OF_WEIGHTS
        return _Differentiated(
            helper.splitlines(), f"loss, [{arguments}], {weights}", function, upstream
        )
    helper = asking.dialect.gradient
    if may_be_cut(asking):
        helper = helper.replace(*gradients.CUT)
    return _Differentiated(helper.splitlines(), f"loss, {arguments}", function, upstream)


def may_be_cut(asking: Asking) -> bool:
    """May the script get no gradient at all? Workers then say zero."""
    where = asking.finding.evidence.where
    stored = [array for name, array in asking.arrays.items() if name.endswith(f"/{where}")]
    return not asking.dialect.zeros and any(not array.any() for array in stored)


def _by_target(asking: Asking) -> dict[str, dict[str, Array]]:
    """The outputs of the last node by target and tensor name, sound targets first."""
    last = asking.finding.case.graph.nodes[-1].id
    found: dict[str, dict[str, Array]] = {target: {} for target in asking.sides.sound}
    for name, array in asking.arrays.items():
        target, _, rest = name.partition("/")
        head, _, tensor = rest.partition(":")
        if head == "output" and tensor.partition(":")[0] == last and target != REFERENCE:
            found.setdefault(target, {})[tensor] = array
    return {target: outputs for target, outputs in found.items() if outputs}


def containers(asking: Asking) -> dict[str, list[tuple[int, ...]]]:
    """The shapes of all outputs by target, if the two sides give different numbers of arrays."""
    if not asking.finding.evidence.where.startswith("output:") or not asking.sides.sound:
        return {}
    found = {
        target: [array.shape for array in outputs.values()]
        for target, outputs in _by_target(asking).items()
    }
    sides = (asking.sides.faulty[0], asking.sides.sound[0])
    counts = {len(found[target]) for target in sides if target in found}
    last = asking.finding.evidence.where.split(":")[1] == asking.finding.case.graph.nodes[-1].id
    return found if len(counts) == 2 and last else {}


def outputs_of(asking: Asking) -> dict[str, Array]:
    """The outputs of the case as some arm gave them, by tensor name."""
    return next(iter(_by_target(asking).values()), {})


def _several_outputs(asking: Asking) -> bool:
    return any(len(outputs) > 1 for outputs in _by_target(asking).values())
