"""What ``rewrite`` draws from: catalogues of the targets' libraries, and the rules asked for."""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from assay.campaign.catalogues import BuildProgress, catalogue_of
from assay.campaign.hunt.vocabulary import matching
from assay.catalogue.chosen import Chosen
from assay.catalogue.corrections import Corrections, corrected, read
from assay.catalogue.records import Snapshot
from assay.errors import AssayError
from assay.libraries import Vocabulary
from assay.suggest import closest, unknown
from assay.targets import Target
from assay_worker.catalogue import HARVESTS
from assay_worker.rules import NAMES

TECHNIQUE = "rewrite"
#: Told while the catalogue of a target is made.
OnBuild = Callable[[Target, BuildProgress], None]


def silent(target: Target, progress: BuildProgress) -> None:
    """For whoever does not care."""


def check_rules(rules: Sequence[str], techniques: Sequence[str]) -> None:
    """``AssayError`` for a rule that does not exist, or rules that nobody would use."""
    for name in rules:
        if name not in NAMES:
            raise AssayError(unknown("rule", name, NAMES, "Available"))
    if rules and TECHNIQUE not in techniques:
        raise AssayError("--rules are those of rewrite. Add --technique rewrite.")


def chosen_for(
    techniques: Sequence[str],
    rules: Sequence[str],
    ops: Sequence[str],
    targets: Sequence[Target],
    vocabulary: Vocabulary,
    on_build: OnBuild = silent,
    corrections: str = "",
) -> Chosen:
    """What is drawn from: catalogues, made where there are none; else a library's vocabulary.

    ``corrections`` is a user's file, see ``assay.catalogue.corrections``.
    ``AssayError`` for a pattern in ``ops`` that neither knows.
    """
    if TECHNIQUE not in techniques:
        return Chosen()
    known = read(corrections, frozenset(HARVESTS)) if corrections else Corrections()
    whole = {
        target.name: corrected(catalogue_of(target, on_progress=partial(on_build, target)), known)
        for target in targets
        if target.library in HARVESTS
    }
    names = [entry.api for snapshot in whole.values() for entry in snapshot.entries]
    for pattern in ops:
        if not matching(pattern, names) and not matching(pattern, vocabulary):
            near = closest(pattern.strip("*"), [*names, *vocabulary])
            hint = f' Did you mean "{near}"?' if near else ""
            raise AssayError(f'no API or op matches "{pattern}".{hint} (assay apis lists them)')
    return Chosen(
        libraries={target.name: target.library for target in targets},
        snapshots={name: _only(snapshot, ops) for name, snapshot in whole.items()},
        rules=tuple(rules),
    )


def _only(snapshot: Snapshot, patterns: Sequence[str]) -> Snapshot:
    """The APIs that patterns name; all without any."""
    if not patterns:
        return snapshot
    names = [entry.api for entry in snapshot.entries]
    wanted = {name for pattern in patterns for name in matching(pattern, names)}
    entries = tuple(entry for entry in snapshot.entries if entry.api in wanted)
    return msgspec.structs.replace(snapshot, entries=entries)
