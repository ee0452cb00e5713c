"""The reference: what ops mean, in float64, from documentation and mathematics.

Nothing but NumPy and SciPy. One short function per op, registered by its public
path with ``@reference``; see ``registry`` for what a function may ask for.
Folders and modules are those of the op specs, in ``assay/ops/keras``.
"""

from assay_worker.reference.registry import (
    Operation,
    Undocumented,
    Unsupported,
    Weight,
    names,
    reference,
)

# Imported for their registrations.
from assay_worker.reference import (  # noqa: F401  # isort: skip
    activations,
    constraints,
    layers,
    losses,
    metrics,
    ops,
    optimizers,
    random,
    regularizers,
    special,
    utils,
)

__all__ = ["Operation", "Undocumented", "Unsupported", "Weight", "names", "reference"]
