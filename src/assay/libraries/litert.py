"""LiteRT: models of .tflite files, on three sets of kernels. It has no words of its own."""

from assay.libraries._base import Library, Offered

_MODES = ("optimised", "unoptimised", "reference")
LIBRARY = Library(
    name="litert",
    root="litert",
    targets=tuple(
        Offered(
            "litert" if mode == "optimised" else f"litert+{mode}",
            mode=mode,
            extra="litert",
            modules=("ai_edge_litert",),
        )
        for mode in _MODES
    ),
    models_only=True,
)
