"""What computes and differentiates: tensors in and out, gradients, compiled modes, once each.

A library (see ``assay_worker.libraries``) says how a call is made; its engine runs it.
"""

import importlib

#: Engine name -> module and class; whoever is not here computes without gradients.
_ENGINES = {
    "tensorflow": ("assay_worker.engines.tensorflow", "TensorFlowEngine"),
    "torch": ("assay_worker.engines.torch", "TorchEngine"),
    "jax": ("assay_worker.engines.jax", "JaxEngine"),
}


def create(name, conversions=None):
    """The engine of that name; ``conversions`` replace its own way from arrays to tensors."""
    module, kind = _ENGINES.get(name, ("assay_worker.engines._base", "Engine"))
    return getattr(importlib.import_module(module), kind)(conversions)
