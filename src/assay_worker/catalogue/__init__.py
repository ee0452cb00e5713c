"""What an installed library can be asked: harvested from it, as calls that worked."""

import importlib

#: Module and class of each library's harvest.
HARVESTS = {
    "jax": "assay_worker.catalogue.jax:JaxHarvest",
    "tensorflow": "assay_worker.catalogue.tensorflow:TensorFlowHarvest",
    "torch": "assay_worker.catalogue.torch:TorchHarvest",
}


def harvest_of(library, adapter):
    """The harvest of a library that an adapter has imported, the same one each time."""
    known = adapter.__dict__.setdefault("_harvests", {})
    if library in known:
        return known[library]
    if library not in HARVESTS:
        raise LookupError(
            "no catalogue is made of %r; expected one of %s" % (library, sorted(HARVESTS))
        )
    module, _, name = HARVESTS[library].partition(":")
    known[library] = getattr(importlib.import_module(module), name)(adapter)
    return known[library]
