"""What metrics mean."""

# Imported for their registrations.
from assay_worker.reference.metrics import (  # noqa: F401
    confusion,
    scores,
)
