"""The few lines that a person would type to see a fault."""

import re

from assay.ir import Array, Constant, Dot, Explicit, Finding, Recipe, platform_of
from assay.ir.model import model_of
from assay.ir.suite import suite_case_of
from assay.reproduce.asking import Asking
from assay.reproduce.draws import is_draw
from assay.reproduce.program import CannotReproduce, Program
from assay.reproduce.sides import REFERENCE, sides_of
from assay.reproduce.speaking import Speaker, speaker_of

#: What is longer is no few lines: the script has it.
_LINES, _WIDTH = 7, 110
_COMMENT = 88
#: So many elements are shown, else the one that differs most.
_ELEMENTS = 6
_ASSIGNED = re.compile(r"(\w+) = (.*)", re.DOTALL)
#: How a backend of Keras differentiates by one argument, beside the import that it needs.
_GRADIENTS = {
    "tensorflow": (
        "import tensorflow as tf",
        "{x} = tf.Variable({array})",
        "with tf.GradientTape() as tape: y = {call}",
        "print(tape.gradient(y, {x}))",
    ),
    "torch": (
        "import torch",
        "{x} = torch.tensor({array}, requires_grad=True)",
        "{call}.sum().backward(); print({x}.grad)",
    ),
    "jax": ("import jax", "print(jax.grad(lambda {x}: {call}.sum())({array}))"),
}


def short(finding: Finding, arrays: dict[str, Array]) -> str:
    """A few lines, the last with what they give and what is right; "" if it takes more.

    They ask what the script asks; nothing is run here.
    """
    if finding.others or is_draw(finding.op) or _whole(finding):
        return ""
    if finding.kind not in ("error", "crash", "validation", "inconsistency", "nan"):
        return ""
    try:
        sides = sides_of(finding, arrays)
        speaker = speaker_of(finding, sides)
        asking = Asking(finding, arrays, sides, speaker)
        numbers = finding.kind in ("inconsistency", "nan")
        program = asking.program(weights=numbers)
        lines = _asked(finding, speaker, program)
        told = _told(finding, arrays, sides.faulty[0])
    except CannotReproduce:
        return ""
    if not lines or speaker.dialect.builds or speaker.mode != "eager":
        return ""
    lines = [*_imports(finding, speaker, lines), *lines, f"# {told}"]
    fits = len(lines) <= _LINES and all(len(line) <= _WIDTH and "\n" not in line for line in lines)
    return "\n".join(lines) if fits else ""


def _whole(finding: Finding) -> bool:
    """Is it about a model, or a case that has one?"""
    return model_of(finding.case) is not None or suite_case_of(finding.case) is not None


def _imports(finding: Finding, speaker: Speaker, lines: list[str]) -> list[str]:
    """The backend, and the modules that the lines name."""
    text = "\n".join(lines)
    first, *others = speaker.dialect.imports
    used = [module for module in others if f"{module.rpartition(' ')[2]}." in text]
    modules = ", ".join([first, *used, *(["numpy as np"] if "np." in text else [])])
    if not speaker.chooses_backend:
        return [f"import {modules}"]
    backend = platform_of(finding, speaker.sides.faulty[0]).backend
    chosen = f'import os; os.environ["{speaker.dialect.chosen}"] = "{backend}"'
    return [chosen, f"import {modules}"]


def _asked(finding: Finding, speaker: Speaker, program: Program) -> list[str]:
    """The call with its tensors in it; none if it does not go into a few lines."""
    arrays = dict(_assigned(line, speaker) for line in program.tensors)
    if finding.stage in ("build", "forward"):
        lines = [*program.objects, *program.calls, f"print({program.result})"]
        return _inlined(lines, arrays)
    loss, where = finding.case.loss, finding.evidence.where
    name = program.names.get(where.removeprefix("gradient:input:"), "")
    if finding.stage != "gradient" or name not in arrays or program.calls:
        return []
    if not (isinstance(loss, Dot) and _is_one(loss.upstream[0])):
        return []  # what comes back depends on what goes in
    template = _GRADIENTS.get(platform_of(finding, speaker.sides.faulty[0]).backend)
    if template is None or not speaker.chooses_backend or program.objects:
        return []
    array = arrays.pop(name)
    (call,) = _inlined([program.result], arrays)
    return [line.format(x=name, array=array, call=call) for line in template]


def _is_one(recipe: Recipe) -> bool:
    if isinstance(recipe, Explicit):
        return bool((recipe.array == 1).all())
    return isinstance(recipe, Constant) and recipe.value == 1


def _assigned(line: str, speaker: Speaker) -> tuple[str, str]:
    """The name and the array of a line that makes a tensor; Keras takes the array as it is."""
    found = _ASSIGNED.fullmatch(line)
    if found is None:
        raise CannotReproduce("a tensor is made in several lines")
    name, code = found.groups()
    before, _, after = speaker.dialect.tensor.partition("{}")
    if speaker.chooses_backend and code.startswith(before) and code.endswith(after):
        code = code[len(before) : len(code) - len(after)]
    return name, " ".join(code.split())


def _inlined(lines: list[str], arrays: dict[str, str]) -> list[str]:
    """The lines with each tensor where it is used, if it is used once; else assigned before."""
    text = "\n".join(lines)
    before = []
    for name, code in arrays.items():
        word = re.compile(rf"(?<![\w.]){name}(?!\w|\s*=[^=])")
        if len(word.findall(text)) == 1:
            text = word.sub(lambda _, code=code: code, text)  # type: ignore[misc]
        else:
            before.append(f"{name} = {code}")
    return [*before, *text.split("\n")]


def _told(finding: Finding, arrays: dict[str, Array], faulty: str) -> str:
    """What the lines give, and what is right."""
    seen = {item.target: item for item in finding.evidence.observations}
    match finding.kind:
        case "crash":
            return f"the process dies: {finding.evidence.message}; it should not"
        case "error":
            raised = seen[faulty].summary if faulty in seen else finding.evidence.message
            return f"raises {_cut(raised)}; others work"
        case "validation":
            return f"accepted; others say {_cut(finding.evidence.message)}"
    where, position = finding.evidence.where, finding.evidence.position
    names = [faulty, *(finding.evidence.believed or finding.targets), REFERENCE]
    known = [arrays[f"{name}/{where}"] for name in names if f"{name}/{where}" in arrays]
    if len(known) < 2:
        raise CannotReproduce("the answers that differ are not stored")
    wrong, right = known[0], next((a for a in known[1:] if not _same(a, known[0])), known[-1])
    if wrong.shape != right.shape:
        return f"shape {wrong.shape}; right: {right.shape}"
    if wrong.size <= _ELEMENTS:
        return f"gives {_numbers(wrong)}; right: {_numbers(right)}"
    place = list(position)
    return f"element {place} is {_numbers(wrong[position])}; right: {_numbers(right[position])}"


def _same(first: Array, second: Array) -> bool:
    return first is second or (first.shape == second.shape and bool((first == second).all()))


def _numbers(array: Array) -> str:
    return " ".join(str(array.tolist()).split())


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _COMMENT else f"{line[: _COMMENT - 1]}…"
