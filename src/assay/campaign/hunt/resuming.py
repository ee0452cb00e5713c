"""The campaign of a hunt: a new one, or one that is resumed, if nothing changed since."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay import __version__
from assay.campaign.hunt.options import HuntOptions
from assay.errors import AssayError
from assay.ir import Machine, content_hash, to_json, to_plain
from assay.sources import Source
from assay.sources.mutate import NAME as MUTATE
from assay.store import Campaign, Store
from assay.targets import Target

#: Among a campaign's statistics: what its targets were made of.
DEFINITIONS = "definitions"
_NAMES = {
    "assay": "Assay's version",
    "catalogues": "the catalogue of calls",
    "witnesses": "--witnesses",
    "preset": "--preset",
    "usual": "the choice of techniques",
    "mutate": "[mutate]",
}


def campaign_of(
    store: Store,
    options: HuntOptions,
    sources: Sequence[Source],
    versions: Mapping[str, Mapping[str, str]],
    machines: Mapping[str, Machine],
) -> Campaign:
    """The campaign to go on with, or a new one.

    ``AssayError`` if the one to resume was hunted with other versions or settings, unless that
    is asked for: its trials would not mean the same.
    """
    config = _config(options, sources)
    if not options.resume:
        return store.start_campaign(options.seed, config, versions, machines)
    found = store.find_campaign(content_hash(config)) or _unfinished(store, options.seed)
    if found is None:
        return store.start_campaign(options.seed, config, versions, machines)
    changes = [*_settings(found, config, options.targets), *_versions(found.versions, versions)]
    if changes and not options.force:
        raise AssayError(
            f"campaign {found.id} cannot be resumed as it was: {'; '.join(changes)}. "
            "Start a new hunt without --resume, or go on all the same with --force."
        )
    return found


def definitions(targets: Sequence[Target]) -> dict[str, str]:
    """A hash of what each target is made of, its prelude included."""
    return {target.name: _hash(target) for target in targets}


def _hash(target: Target) -> str:
    prelude = Path(target.prelude)
    change = prelude.read_bytes() if target.prelude and prelude.is_file() else b""
    return hashlib.sha256(to_json(target).encode() + change).hexdigest()[:16]


def _config(options: HuntOptions, sources: Sequence[Source]) -> dict[str, Any]:
    config: dict[str, Any] = {
        "seed": options.seed,
        "techniques": [source.name for source in sources],
        "targets": [target.name for target in options.targets],
        "assay": __version__,
    }
    if options.ops:
        config["ops"] = list(options.ops)
    chosen = options.chosen
    if not options.techniques:
        config["usual"] = True  # so that resuming it makes no catalogue
    elif chosen.rules:
        config["rules"] = list(chosen.rules)
    if chosen.inputs:
        config["inputs"] = chosen.inputs
    if chosen.tolerance is not None:
        config["tolerance"] = list(chosen.tolerance)
    if chosen.drawing != "usual":
        config["drawing"] = chosen.drawing
    if chosen.snapshots:
        config["catalogues"] = options.chosen.digests
    if not options.witnesses:
        config["witnesses"] = False
    if MUTATE in options.techniques:
        config["mutate"] = to_plain(options.mutation)
    if options.preset:
        config["preset"] = options.preset
    return config


def _unfinished(store: Store, seed: int) -> Campaign | None:
    """The newest campaign with this seed that has not ended."""
    found = [
        campaign
        for campaign in store.campaigns()
        if campaign.seed == seed
        and not campaign.finished
        and campaign.config.get("techniques") != ["check"]
    ]
    return found[-1] if found else None


def _settings(
    campaign: Campaign, config: Mapping[str, Any], targets: Sequence[Target]
) -> Iterator[str]:
    for name in sorted({*campaign.config, *config}):
        then, now = campaign.config.get(name), config.get(name)
        if then != now:
            yield f"{_NAMES.get(name, f'--{name}')} was {_shown(then)} and is {_shown(now)}"
    before = campaign.statistics.get(DEFINITIONS, {})
    for name, made_of in definitions(targets).items():
        if before.get(name, made_of) != made_of:
            yield f"the configuration or the prelude of {name} has changed"


def _versions(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    changes = {
        f"{library} was {then} and is {now[target].get(library, 'not there')}"
        for target, libraries in before.items()
        if target in now
        for library, then in libraries.items()
        if now[target].get(library) != then
    }
    yield from sorted(changes)


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
