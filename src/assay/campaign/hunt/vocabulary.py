"""What the vocabulary holds, and which targets can run which op."""

import fnmatch
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

from assay.campaign.hunt.options import HuntOptions
from assay.errors import AssayError, TargetError
from assay.execute import Hello, Supervisor, request_for, traces_of
from assay.ir import Trial, content_hash
from assay.libraries import Vocabulary
from assay.ops import OpSpec
from assay.sources import create
from assay.suggest import closest
from assay.targets import Target

#: Cases meant to be valid that an op gets; it works on a target that runs one of them.
TRIES = 4
_ASKED_AT_MOST = 40


def select(patterns: Sequence[str], vocabulary: Vocabulary) -> Vocabulary:
    """The ops that one of the patterns names; all of them if there is no pattern.

    A pattern is an op's name, a shell pattern, or else a part of names in any
    case. ``AssayError`` for a pattern that names nothing.
    """
    chosen: set[str] = set()
    for pattern in patterns:
        found = matching(pattern, vocabulary)
        if not found:
            short = {name.rpartition(".")[2]: name for name in vocabulary}
            near = closest(pattern.strip("*"), short) or closest(pattern, vocabulary)
            hint = f' Did you mean "{near}"?' if near else ""
            raise AssayError(
                f'no op matches "{pattern}".{hint} '
                f"{len(vocabulary)} ops were looked at; assay ops lists all."
            )
        chosen |= found
    return vocabulary.only(chosen) if patterns else vocabulary


def selected(options: HuntOptions, vocabulary: Vocabulary) -> Vocabulary:
    """What the options of a hunt name; nothing, if that is all in catalogues."""
    if not options.chosen.snapshots:
        return select(options.ops, vocabulary)
    named = {name for pattern in options.ops for name in matching(pattern, vocabulary)}
    return vocabulary.only(named) if options.ops else vocabulary


def matching(pattern: str, names: Collection[str]) -> set[str]:
    """The names that a pattern means; see ``select``."""
    if pattern in names:
        return {pattern}
    if any(character in pattern for character in "*?["):
        return set(fnmatch.filter(names, pattern))
    return {name for name in names if pattern.lower() in name.lower()}


class OpEntry(msgspec.Struct, frozen=True):
    """An op of the vocabulary. ``works`` is empty unless targets were probed.

    What ``library``, ``form`` and the rest say is in ``assay.libraries.Entry``.
    """

    name: str
    family: str
    library: str
    form: str
    means: str
    batched: bool
    since: str
    until: str
    reference: bool
    parameters: dict[str, dict[str, Any]]
    works: dict[str, bool] = {}


def entries(
    vocabulary: Vocabulary, works: Mapping[str, dict[str, bool]] | None = None
) -> tuple[OpEntry, ...]:
    """Every op, sorted by family and name."""
    # Numpy and scipy only; imported here because listing ops is all that needs it.
    from assay_worker.reference import names

    with_reference = frozenset(names())
    known = {name: vocabulary.entry(name) for name in vocabulary}
    found = [
        OpEntry(
            name=spec.name,
            family=spec.family,
            library=known[spec.name].root,
            form=known[spec.name].form,
            means=known[spec.name].means,
            batched=known[spec.name].batched,
            since=known[spec.name].since,
            until=known[spec.name].until,
            reference=known[spec.name].means in with_reference,
            parameters={
                item.name: {
                    "required": item.required,
                    "default": item.default,
                    "valid": [choice.label for choice in item.valid],
                    "boundary": [choice.label for choice in item.boundary],
                    "invalid": [choice.label for choice in item.invalid],
                }
                for item in spec.parameters
            },
            works=(works or {}).get(spec.name, {}),
        )
        for spec in vocabulary.values()
    ]
    return tuple(sorted(found, key=lambda entry: (entry.family, entry.name)))


def probe_ops(
    vocabulary: Mapping[str, OpSpec],
    targets: Sequence[Target],
    on_op: Callable[[str], None] | None = None,
) -> dict[str, dict[str, bool]]:
    """By op and target: did it run one of a few cases meant to be valid?"""
    works: dict[str, dict[str, bool]] = {}
    with Supervisor(targets, standbys=False) as supervisor:
        answers = supervisor.start()
        for target in targets:
            answer = answers[target.name]
            if not isinstance(answer, Hello):
                raise TargetError(f"{target.name}: {answer.message}. (assay doctor shows all)")
        for name, spec in vocabulary.items():
            cases = _cases(name, spec)
            works[name] = {target.name: _runs(supervisor, target, cases) for target in targets}
            if on_op is not None:
                on_op(name)
    return works


class Snapshot(msgspec.Struct, frozen=True):
    """What a target's library says of itself.

    ``ops`` are those of the vocabulary that it has, each with signature and documentation;
    ``tables`` its own registries. ``digest`` is of all of it: two that are alike offer the same.
    """

    target: str
    versions: dict[str, str]
    digest: str
    ops: dict[str, dict[str, str]]
    absent: tuple[str, ...]
    tables: dict[str, list[str]]


def snapshot(vocabulary: Vocabulary, target: Target) -> Snapshot:
    """Ask a target's worker what of a vocabulary its library has, and what else."""
    with Supervisor([target], standbys=False) as supervisor:
        hello = supervisor.start()[target.name]
        if not isinstance(hello, Hello):
            raise TargetError(f"{target.name}: {hello.message}. (assay doctor shows all)")
        request = {"do": "offers", "names": sorted(vocabulary), "whole": True}
        answer = supervisor.ask(target.name, request)
    if not isinstance(answer, dict) or "offers" not in answer:
        raise TargetError(f"{target.name} does not say what it offers.")
    ops = {
        name: {"signature": signature, "documentation": answer["documentation"].get(name, "")}
        for name, signature in answer["offers"].items()
    }
    digest = content_hash({"ops": ops, "tables": answer["tables"]})[:16]
    absent = tuple(sorted(set(vocabulary) - set(ops)))
    return Snapshot(target.name, hello.versions, digest, ops, absent, answer["tables"])


def _cases(name: str, spec: OpSpec) -> list[Trial]:
    source = create("single-op", 1, ("probe",), {name: spec})
    asked = (source.ask(index) for index in range(_ASKED_AT_MOST))
    return [trial for trial in asked if trial.intent == "valid"][:TRIES]


def _runs(supervisor: Supervisor, target: Target, trials: Sequence[Trial]) -> bool:
    for trial in trials:
        answer = supervisor.ask(target.name, request_for(trial.case, stage="forward"))
        if any(trace.status == "ok" for trace in traces_of(target.name, answer)):
            return True
    return False
