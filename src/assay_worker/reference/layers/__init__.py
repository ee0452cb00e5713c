"""What layers mean."""

# Imported for their registrations.
from assay_worker.reference.layers import (  # noqa: F401
    activation,
    attention,
    convolution,
    core,
    image_colors,
    merging,
    normalization,
    padding,
    pooling,
    preprocessing,
    recurrent,
    regularization,
    reshaping,
    resizing,
    spectrograms,
    transposed_convolution,
    wrappers,
)
