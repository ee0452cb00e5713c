"""The catalogue of a target: read, or made if it is to be."""

from collections.abc import Callable

from assay.campaign.catalogues.building import OnProgress, build
from assay.catalogue import storing
from assay.catalogue.records import Snapshot
from assay.errors import AssayError, TargetError
from assay.execute import Hello, Supervisor
from assay.libraries import libraries
from assay.targets import Target
from assay_worker.catalogue import HARVESTS


def check_harvest(target: Target) -> None:
    """``AssayError`` for a target of whose library no catalogue can be made."""
    if target.library not in HARVESTS:
        known = ", ".join(sorted(HARVESTS))
        raise AssayError(
            f"{target.name}: no catalogue can be made of {target.library}; there are those of "
            f"{known}."
        )


def installed_version(target: Target) -> str:
    """The version of a target's library, as the library itself says; ``TargetError`` if absent."""
    with Supervisor([target], standbys=False) as supervisor:
        answer = supervisor.start()[target.name]
    if not isinstance(answer, Hello):
        raise TargetError(f"{target.name}: {answer.message}. (assay doctor shows all)")
    known = libraries().get(target.library)
    names = [target.library, *(target.modules if known is not None else ())]
    for name in names:
        if name in answer.versions:
            return answer.versions[name]
    raise TargetError(f"{target.name}: it does not say which version of {target.library} it has.")


def catalogue_of(
    target: Target,
    make: bool = True,
    fresh: bool = False,
    on_progress: OnProgress = lambda progress: None,
    on_wait: Callable[[], None] = lambda: None,
) -> Snapshot:
    """The catalogue of the version that is installed, made if there is none and ``make``.

    ``AssayError`` if there is none, or only those of other versions or another Assay.
    """
    check_harvest(target)
    version = installed_version(target)
    if fresh:
        return build(target, version, on_progress, on_wait, fresh=True)
    try:
        found = storing.load(target.library, version)
    except storing.Stale:
        if not make:
            raise
        return build(target, version, on_progress, on_wait, fresh=True)
    if found is not None:
        return found
    if make:
        return build(target, version, on_progress, on_wait)
    others = storing.versions(target.library)
    having = f" (there are those of {', '.join(others)})" if others else ""
    raise AssayError(
        f"there is no catalogue of {target.library} {version} yet{having}. "
        f"Make it with: assay apis {target.name} --build"
    )
