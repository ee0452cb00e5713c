"""What a user may choose of ``mutate``: the ``[mutate]`` table of a configuration, checked."""

from typing import get_args

from assay.config import MutateConfig
from assay.errors import AssayError
from assay.ir import Goal, Level
from assay.search import strategies
from assay.sources.mutate.seeds import MODELS
from assay.suggest import unknown


def checked(given: MutateConfig, where: str) -> MutateConfig:
    """The settings, or ``AssayError`` naming the first that cannot be."""
    for name, known in (("models", MODELS), ("levels", get_args(Level)), ("goals", get_args(Goal))):
        for item in getattr(given, name):
            if item not in known:
                raise AssayError(f"{where}.{name}: {unknown(name[:-1], item, known, 'Available')}")
        if not getattr(given, name) and name != "models":
            raise AssayError(f"{where}.{name} is empty. Name at least one of {', '.join(known)}.")
    if given.strategy not in strategies():
        told = unknown("strategy", given.strategy, strategies(), "Available")
        raise AssayError(f"{where}.strategy: {told}")
    lowest = {"variants": 1, "population": 2, "parents": 1, "failing": 1}
    lowest |= dict.fromkeys(("searched", "inputs", "layers", "generations"), 0)
    for count, least in lowest.items():
        if getattr(given, count) < least:
            raise AssayError(
                f"{where}.{count} must be at least {least}; received {getattr(given, count)}."
            )
    for name in ("varied", "invalid", "crossover", "mutation"):
        if not 0 <= getattr(given, name) <= 1:
            raise AssayError(
                f"{where}.{name} must be from 0 to 1; received {getattr(given, name):g}."
            )
    if given.mutation == 0:
        raise AssayError(f"{where}.mutation must be above 0: only mutated children go on.")
    if given.parents >= given.population:
        raise AssayError(
            f"{where}.parents must be fewer than the population of {given.population}; "
            f"received {given.parents}."
        )
    for name in ("noise", "bound", "weight_bound"):
        if not getattr(given, name) >= 0 or (name == "noise" and not given.noise):
            limit = "above 0" if name == "noise" else "at least 0"
            raise AssayError(f"{where}.{name} must be {limit}; received {getattr(given, name):g}.")
    return given
