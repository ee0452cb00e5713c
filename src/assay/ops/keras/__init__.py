"""The vocabulary of Keras 3: a folder or module per namespace of its public paths, mostly tables.

``keras.layers.Dense`` is in ``layers``, ``keras.ops.sum`` in ``ops``, each in the module of what
it is about. The reference has the same folders and modules.
"""

from assay.ops._base import OpSpec
from assay.ops.keras import (
    activations,
    constraints,
    layers,
    losses,
    metrics,
    ops,
    optimizers,
    random,
    regularizers,
    utils,
)

_NAMESPACES = (
    activations,
    constraints,
    layers,
    losses,
    metrics,
    ops,
    optimizers,
    random,
    regularizers,
    utils,
)


def specs() -> list[OpSpec]:
    """Every op spec of Keras, in order of names: which module it is in decides nothing."""
    found = (spec for namespace in _NAMESPACES for spec in namespace.SPECS)
    return sorted(found, key=lambda spec: spec.name)
