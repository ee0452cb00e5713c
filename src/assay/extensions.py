"""Parts that other distributions add through entry points."""

from importlib.metadata import entry_points
from typing import Any

from assay.errors import AssayError


def load(group: str) -> dict[str, Any]:
    """What installed distributions offer under an entry-point group, by name.

    Raises ``AssayError`` naming the distribution when one cannot be loaded: a
    part that silently stayed away would look like a part that found nothing.
    """
    loaded: dict[str, Any] = {}
    for point in sorted(entry_points(group=group), key=lambda item: (item.name, item.value)):
        owner = point.dist.name if point.dist is not None else "an unknown distribution"
        if point.name in loaded:
            raise AssayError(
                f'two distributions offer "{point.name}" under {group}; the second is {owner}. '
                "Uninstall one of them."
            )
        try:
            loaded[point.name] = point.load()
        except Exception as error:  # foreign code may raise anything at import
            raise AssayError(
                f'cannot load "{point.name}" ({point.value}) of {owner}, offered under {group}: '
                f"{type(error).__name__}: {error}. Repair or uninstall {owner}."
            ) from error
    return loaded
