"""What is wrong, in one line a maintainer understands."""

import re

from assay.ir import Finding, disputed_shapes, platform_of
from assay.ir.model import model_of
from assay.ir.suite import suite_case_of
from assay.libraries import Library, libraries
from assay.reproduce.literals import keywords_code
from assay.reproduce.model import model_title
from assay.reproduce.sides import REFERENCE, Sides
from assay.reproduce.suite import suite_title
from assay.reproduce.trigger import trigger
from assay_worker import random_properties
from assay_worker.rules import rule as rule_of

_WAYS = {"config": "after from_config(get_config())", "save": "after saving and loading"}
#: An exception's name at the beginning of a message.
_EXCEPTION = re.compile(r"^([A-Za-z_]\w*): ")
_FINITE = re.compile(r"-?\d[\d.e+-]*")
_SHAPES = re.compile(r"shape (\[.*\]) where others have (\[.*\])")


def exception_name(message: str) -> str:
    """The exception a message begins with; "" if it names none."""
    found = _EXCEPTION.match(message)
    return found.group(1) if found else ""


def title(finding: Finding, sides: Sides) -> str:
    """The op, what it does wrong, and on which backends; of a model, the layer."""
    if suite_case_of(finding.case) is not None:
        return suite_title(finding)
    if model_of(finding.case) is not None:
        return model_title(finding, sides)
    return f"{trigger(finding)} {_fault(finding, sides)}{_place(finding, sides)}"


def responsibility(finding: Finding) -> str:
    """Which parameters make the difference, and which of those given do not; "" if not known."""
    reduction = finding.reduction
    if finding.intent == "invalid":  # the parameter that should be refused is the title
        return ""
    given = {name: value for name, value in finding.params.items() if name in finding.responsible}
    left_out = [name for name in finding.responsible if name not in finding.params]
    named = [*keywords_code(given), *(f"the default {name}" for name in left_out)]
    idle = [name for name in finding.params if reduction and name in reduction.irrelevant]
    parts = []
    if named:
        together = " (together)" if reduction and reduction.together else ""
        # Of a number there are always values that were not tried.
        tried = "other values that were tried do not show it"
        parts.append(f"depends on {' and '.join(named)}{together}: {tried}")
    if idle:
        parts.append(f"{', '.join(idle)}: other values show it too")
    if reduction and reduction.partial:
        parts.append(f"{', '.join(reduction.partial)}: some other values show it, some do not")
    return "; ".join(parts)


def undecided(finding: Finding) -> str:
    """What a reader must know where backends contradict each other and nobody is blamed."""
    if finding.blamed or finding.kind not in ("inconsistency", "nan", "precision"):
        return ""
    reason = finding.evidence.reason.strip().removeprefix("undecidable: ")
    return f"backends disagree; who is right is undecided{f': {reason}' if reason else ''}"


def versions(finding: Finding, target: str) -> str:
    """``keras 3.15.1, torch 2.13.0``."""
    known = finding.versions.get(target, {})
    return ", ".join(f"{name} {version}" for name, version in known.items() if name != "python")


def _place(finding: Finding, sides: Sides) -> str:
    if finding.kind == "equivalence" and not sides.sound:
        return ""
    platforms = [platform_of(finding, target) for target in sides.faulty]
    keras = all(item.library in ("keras", "keras2") and item.eager for item in platforms)
    # Two targets of a platform may show it: it is named once.
    names = list(dict.fromkeys(item.backend if keras else item.identity for item in platforms))
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if keras:
        return f" on the {listed} backend{'s' if len(names) > 1 else ''}"
    library = libraries().get(listed)
    # The op's own name says it.
    told = library is not None and len(_sharing(library)) == 1 and _speaks(library, finding.op)
    return "" if told else f" on {listed}"


def _speaks(library: Library, op: str) -> bool:
    return op.partition(".")[0] == library.root


def _sharing(library: Library) -> list[str]:
    """The libraries with the same words."""
    return [name for name, other in libraries().items() if other.root == library.root]


def _fault(finding: Finding, sides: Sides) -> str:
    evidence = finding.evidence
    stage = "" if finding.stage in ("build", "forward") else f" in the {finding.stage}"
    match finding.kind:
        case "crash":
            if evidence.message == "timeout":
                return f"does not return{stage}"
            return f"kills the process ({evidence.message}){stage}"
        case "error":
            names = sorted(raised(finding, sides))
            return f"raises {' or '.join(names) or 'an exception'}{stage}"
        case "validation":
            suspects = ", ".join(finding.responsible)
            return f"accepts an invalid {suspects}" if suspects else "accepts an invalid call"
        case "nondeterminism":
            return f"gives different results in two runs{stage}"
        case "equivalence" if finding.rule:
            told = evidence.message.partition(": ")[2]
            name = exception_name(told)
            return f"{f'raises {name}' if name else f'gives {told}'} ({_says(finding.rule)})"
        case "equivalence":
            way = _WAYS.get(finding.round_trip, "")
            name = exception_name(evidence.message)
            return f"raises {name} {way}" if name else f"gives {evidence.message}"
    if evidence.message:
        return f"gives {_wrong_shape(finding)}{stage}"
    lacking = _lacking(finding)
    if lacking:
        return f"breaks what holds for every draw ({lacking}){stage}"
    # Where all implementations are blamed, or have no gradient, the reference has the right value.
    wrong, right = _value(finding, sides.faulty), _value(finding, (*sides.sound, REFERENCE))
    if not finding.blamed or finding.category == "convention":
        return f"gives {wrong} where others give {right}{stage}"
    if _telling(wrong) or _telling(right) or _at_a_point(finding):
        return f"gives {wrong} instead of {right}{stage}"
    if finding.stage == "gradient":
        return f"has a wrong gradient ({wrong} instead of {right})"
    return f"gives wrong numbers ({wrong} instead of {right}){stage}"


def _says(rule: str) -> str:
    return str(rule_of(rule).says)


def _wrong_shape(finding: Finding) -> str:
    """``the wrong shape ([] instead of [1, 1])``; what else differs as it is told."""
    message = finding.evidence.message
    found = _SHAPES.fullmatch(message)
    if found is None or not finding.blamed:
        return message
    voted = (found[1], found[2])
    rule = disputed_shapes(finding) if finding.evidence.voted is not None else None
    return "the wrong shape ({} instead of {})".format(*(rule or voted))


def _telling(shown: str) -> bool:
    """Is it no accident of a value: NaN, infinity, words?"""
    return not _FINITE.fullmatch(shown)


def _at_a_point(finding: Finding) -> bool:
    """Is it known for which arguments it is wrong, so that the answer is no accident?"""
    return finding.cause is not None and "0" in finding.cause.values


def raised(finding: Finding, sides: Sides) -> set[str]:
    """Names of the exceptions that the faulty targets raised."""
    observed = [o.summary for o in finding.evidence.observations if o.target in sides.faulty]
    return {name for summary in observed if (name := exception_name(summary))}


def _lacking(finding: Finding) -> str:
    """The property that a random draw lacks; "" for anything else."""
    names, position = random_properties.names(finding.op), finding.evidence.position
    return names[position[0]] if len(position) == 1 and position[0] < len(names) else ""


def _value(finding: Finding, targets: tuple[str, ...]) -> str:
    """A number that one of the targets gives, in their order; words, if none gives one."""
    shown = [o for target in targets for o in finding.evidence.observations if o.target == target]
    numbers = [f"{item.value:.6g}" for item in shown if item.value is not None]
    words = [item.summary for item in shown if item.summary.startswith("no gradient")]
    return [*numbers, *words, "another result"][0]
