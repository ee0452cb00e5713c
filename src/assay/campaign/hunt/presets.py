"""Settings of published methods, by name."""

from typing import NamedTuple

import msgspec

from assay.campaign.hunt.request import Request
from assay.catalogue.chosen import Drawing
from assay.config import MutateConfig
from assay.errors import AssayError
from assay.sources.mutate.seeds import MODELS
from assay.suggest import unknown
from assay_worker.rules import rules


class Preset(NamedTuple):
    """What a method has of its own; an option that is given replaces it."""

    technique: str
    rules: tuple[str, ...] = ()
    inputs: int | None = None
    tolerance: tuple[float, float] | None = None
    drawing: Drawing = "usual"
    mutation: MutateConfig | None = None


#: Inputs of each pair of programs, and how far apart they may be (EAGLE, ICSE 2022, section 4).
_EAGLE_INPUTS, _EAGLE_TOLERANCE = 400, (1e-2, 1e-5)


#: Seven models on three data sets: 500 variants each, on 10,000 inputs; 20 of them are searched
#: (Audee, ASE 2020, section 3). Sizes and rates of its populations are not published.
_AUDEE = MutateConfig(
    models=MODELS[:7],
    full=True,
    variants=500,
    searched=20,
    inputs=10_000,
    layers=0,
    bound=0.0,
    weight_bound=0.0,
    published=True,
)


def published_rules() -> tuple[str, ...]:
    """The rules that are of EAGLE's catalogue, but those that take seconds for each call."""
    return tuple(rule.name for rule in rules() if rule.eagle and not rule.dear)


def presets() -> dict[str, Preset]:
    """Every preset of a hunt."""
    return {
        "audee": Preset("mutate", mutation=_AUDEE),
        "muffin": Preset("synthesize-muffin"),
        "eagle": Preset(
            "rewrite", published_rules(), _EAGLE_INPUTS, _EAGLE_TOLERANCE, drawing="uniform"
        ),
    }


def with_variant(request: Request, preset: str | None, unit: bool) -> Request:
    """The request with what a preset or ``--unit`` stands for."""
    if preset is not None:
        return _with_preset(request, preset, unit)
    if not unit:
        return request
    if request.techniques not in ((), ("synthesize",)):
        raise AssayError(
            "--unit is a variant of synthesize; received --technique "
            f"{','.join(request.techniques)}. Use --technique synthesize."
        )
    return msgspec.structs.replace(request, techniques=("synthesize-unit",))


def _with_preset(request: Request, name: str, unit: bool) -> Request:
    known = presets()
    if name not in known:
        raise AssayError(unknown("preset", name, tuple(known), "Available"))
    preset = known[name]
    if unit or request.techniques not in ((), (preset.technique,)):
        given = "--unit" if unit else "--technique"
        raise AssayError(f"--preset {name} chooses the technique. Leave {given} out.")
    others = sorted(set(request.rules) - set(preset.rules))
    if preset.rules and others:
        raise AssayError(
            f"--preset {name} has published rules only; received {', '.join(others)}. "
            "assay rules NAME says whether one is."
        )
    end = request.cases is None and request.inputs is None
    if preset.mutation is not None:
        request = _with_mutation(request, preset.mutation)
    return msgspec.structs.replace(
        request,
        techniques=(preset.technique,),
        preset=name,
        rules=request.rules or preset.rules,
        inputs=preset.inputs if end else request.inputs,
        tolerance=preset.tolerance if request.tolerance is None else request.tolerance,
        drawing=request.drawing or preset.drawing,
    )


def _with_mutation(request: Request, published: MutateConfig) -> Request:
    """With the published numbers where the configuration has none of its own, and an end after
    all variants, if no other is told."""
    usual, given = MutateConfig(), request.mutation or MutateConfig()
    own = {
        field: getattr(given, field)
        for field in given.__struct_fields__
        if getattr(given, field) != getattr(usual, field)
    }
    mutation = msgspec.structs.replace(published, **own)
    endless = request.cases is None and request.budget_seconds is None
    all_of_them = mutation.variants * len(mutation.models)
    return msgspec.structs.replace(
        request, mutation=mutation, cases=all_of_them if endless else request.cases
    )
