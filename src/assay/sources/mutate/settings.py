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
    lowest = {
        "variants": 1,
        "searched": 0,
        "inputs": 0,
        "layers": 0,
        "population": 2,
        "generations": 0,
    }
    for name, least in {**lowest, "parents": 1, "failing": 1}.items():
        if getattr(given, name) < least:
            raise AssayError(
                f"{where}.{name} must be at least {least}; received {getattr(given, name)}."
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
            least = "above 0" if name == "noise" else "at least 0"
            raise AssayError(f"{where}.{name} must be {least}; received {getattr(given, name):g}.")
    return given
