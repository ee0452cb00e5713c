"""Environments that are said to be there: a folder with a manifest, and nothing else."""

from assay.targets.environments import places
from assay.targets.environments.definitions import Definition


def made(definition: Definition, modules: tuple[str, ...] = ()) -> str:
    """The folder of an environment that is said to be there."""
    prefix = places.home() / definition.address("3.11.7")
    prefix.mkdir(parents=True)
    places.write(
        places.Made(
            name=definition.name,
            made_of=definition.made_of,
            origin=definition.origin,
            version="3.11.7",
            base="/base",
            packages={"keras": "3.6.0"},
            modules=modules,
            seconds=1.0,
            bytes=5,
            prefix=str(prefix),
        )
    )
    return str(prefix)
