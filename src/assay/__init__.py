"""Assay: differential testing of deep-learning libraries."""

__version__ = "0.1.0"

TYPE_CHECKING = False  # as in typing, whose import would cost more than this package
if TYPE_CHECKING:
    from assay.api import check, hunt

__all__ = ["__version__", "check", "hunt"]


def __getattr__(name: str) -> object:
    """What ``assay.api`` offers: imported when first used, so that ``import assay`` is cheap."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("assay.api"), name)
