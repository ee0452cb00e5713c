"""What ``rewrite`` draws from: catalogues of the targets' libraries, and the rules asked for."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, cast, get_args

import msgspec

from assay.campaign.catalogues import BuildProgress, aliases_of, catalogue_of, same_as
from assay.campaign.hunt.vocabulary import matching
from assay.catalogue import storing
from assay.catalogue.chosen import Chosen, Drawing
from assay.catalogue.corrections import Corrections, corrected, read
from assay.catalogue.records import Snapshot
from assay.errors import AssayError
from assay.libraries import SHARED, Vocabulary
from assay.suggest import closest, unknown
from assay.targets import Target
from assay_worker.catalogue import HARVESTS
from assay_worker.rules import NAMES, rules

TECHNIQUE = "rewrite"
#: Told while the catalogue of a target is made.
OnBuild = Callable[[Target, BuildProgress], None]


def silent(target: Target, progress: BuildProgress) -> None:
    """For whoever does not care."""


def drawing_named(name: str) -> Drawing:
    """The way of drawing inputs with that name; ``AssayError`` if there is none."""
    for known in get_args(Drawing):
        if name == known:
            return cast(Drawing, known)
    raise AssayError(unknown("drawing", name, get_args(Drawing), "Available"))


def check_rewriting(asked: Chosen, techniques: Sequence[str], cases: int | None) -> None:
    """``AssayError`` for a rule that does not exist, or settings that nobody would use."""
    for name in asked.rules:
        if name not in NAMES:
            raise AssayError(unknown("rule", name, NAMES, "Available"))
    if asked.tolerance is not None and not all(x >= 0 and isfinite(x) for x in asked.tolerance):
        shown = ",".join(f"{number:g}" for number in asked.tolerance)
        raise AssayError(f"--tolerance takes two numbers from 0 on; received {shown}.")
    settings = {
        "--rules": bool(asked.rules),
        "--inputs": bool(asked.inputs),
        "--tolerance": asked.tolerance is not None,
        "--drawing": asked.drawing != "usual",
    }
    given = next((name for name, there in settings.items() if there), "")
    if given and TECHNIQUE not in techniques:
        verb = "are those" if given == "--rules" else "is an option"
        raise AssayError(f"{given} {verb} of rewrite. Add --technique rewrite.")
    if asked.inputs and tuple(techniques) != (TECHNIQUE,):
        raise AssayError("--inputs ends a hunt by rewrite alone. Leave other techniques out.")
    if asked.inputs and cases is not None:
        raise AssayError("--inputs and --cases both end a hunt. Leave one of them out.")


def chosen_for(
    asked: Chosen,
    techniques: Sequence[str],
    ops: Sequence[str],
    targets: Sequence[Target],
    vocabulary: Vocabulary,
    on_build: OnBuild = silent,
    corrections: str = "",
) -> tuple[Chosen, list[str]]:
    """What is drawn from: catalogues, else a library's vocabulary; and lines about what is not.

    Where ``techniques`` name rewriting, catalogues are made that are not there. Without any, it
    has its share of a hunt with what there is, by rules that are quick. ``asked`` has the
    settings, ``corrections`` is a user's file, see ``assay.catalogue.corrections``.
    ``AssayError`` for a pattern in ``ops`` that nobody knows.
    """
    if techniques and TECHNIQUE not in techniques:
        return asked, []
    known = read(corrections, frozenset(HARVESTS)) if corrections else Corrections()
    if techniques:
        able, told = targets, []
        whole = {
            target.name: catalogue_of(target, on_progress=partial(on_build, target))
            for target in targets
            if target.library in HARVESTS
        }
    else:
        whole, without = catalogues_there(targets)
        none = [name for name, why in without.items() if not why]
        told = [_left_out(none)] if none else []
        told += [f"rewrite leaves out {name}: {why}" for name, why in without.items() if why]
        able = [target for target in targets if _has_share(target, whole)]
        asked = msgspec.structs.replace(asked, rules=quick_rules())
    whole = {name: corrected(snapshot, known) for name, snapshot in whole.items()}
    names = {entry.api for snapshot in whole.values() for entry in snapshot.entries}
    further: dict[str, str] = {}
    for pattern in ops if whole else ():
        if matching(pattern, names) or matching(pattern, vocabulary):
            continue
        meant = _meant(pattern, [target for target in targets if target.name in whole], names)
        if not meant:
            near = closest(pattern.strip("*"), [*names, *vocabulary])
            hint = f' Did you mean "{near}"?' if near else ""
            raise AssayError(f'no API or op matches "{pattern}".{hint} (assay apis lists them)')
        told.append(same_as(meant, names))
        further |= meant
    ops = [*ops, *sorted(set(further.values()))]
    return msgspec.structs.replace(
        asked,
        libraries={target.name: target.library for target in able},
        snapshots={name: _only(snapshot, ops) for name, snapshot in whole.items()},
    ), told


def chosen_again(config: Mapping[str, Any], targets: Sequence[Target]) -> Chosen:
    """What a campaign rewrote that had no catalogues."""
    usual = config.get("usual", False)
    able = [target for target in targets if not usual or _has_share(target, {})]
    return Chosen(
        libraries={target.name: target.library for target in able},
        rules=quick_rules() if usual else tuple(config.get("rules", ())),
    )


def quick_rules() -> tuple[str, ...]:
    """The rules that compile nothing: what a hunt of all techniques has time for."""
    return tuple(rule.name for rule in rules() if not (rule.compiles or rule.dear))


def catalogues_there(targets: Sequence[Target]) -> tuple[dict[str, Snapshot], dict[str, str]]:
    """The catalogues of targets that are there already, and the targets that have none.

    With why what is there is not read (damaged, of another version …); "" if nothing is.
    """
    found: dict[str, Snapshot] = {}
    without: dict[str, str] = {}
    for target in targets:
        if target.library not in HARVESTS or target.mode != "eager":
            continue
        if not storing.versions(target.library):
            without[target.name] = ""
            continue
        try:
            found[target.name] = catalogue_of(target, make=False)
        except AssayError as error:
            without[target.name] = str(error)
    return found, without


def _meant(pattern: str, targets: Sequence[Target], names: Collection[str]) -> dict[str, str]:
    """What a pattern means that no name of a catalogue matches: other names, with those there."""
    known: dict[str, str] = {}
    for target in {target.library: target for target in targets}.values():
        known |= aliases_of(target)
    return {path: known[path] for path in matching(pattern, known) if known[path] in names}


def _left_out(targets: Sequence[str]) -> str:
    return (
        f"rewrite leaves out {', '.join(targets)}, of which there is no catalogue: "
        f"assay apis {targets[0]} --build"
    )


def _has_share(target: Target, catalogues: Mapping[str, Snapshot]) -> bool:
    """Is there something to draw from, and is the plain call what the rules take it for?"""
    return target.mode == "eager" and (target.library == SHARED or target.name in catalogues)


def _only(snapshot: Snapshot, patterns: Sequence[str]) -> Snapshot:
    """The APIs that patterns name; all without any."""
    if not patterns:
        return snapshot
    names = [entry.api for entry in snapshot.entries]
    wanted = {name for pattern in patterns for name in matching(pattern, names)}
    entries = tuple(entry for entry in snapshot.entries if entry.api in wanted)
    return msgspec.structs.replace(snapshot, entries=entries)
