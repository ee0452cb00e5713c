"""Assay from Python: what the commands do, without a terminal, a signal or an exit code."""

from collections.abc import Sequence

from assay.campaign.check.checking import check as run_check
from assay.campaign.check.request import Arrays, requested
from assay.campaign.events import CheckFinished
from assay.config import load
from assay.errors import AssayError
from assay.ir.check import Check


def check(
    model: str,
    data: str | Arrays | None = None,
    *,
    targets: Sequence[str] | None = None,
    store: str | None = None,
    instances: int = 16,
    seed: int = 0,
    preset: str | None = None,
    percent: float = 0.0,
    trust: bool = False,
    architecture: str = "",
    config: str | None = None,
) -> Check:
    """Is a model the same on several targets? What ``assay check`` says, as a record.

    ``model`` is the path of a file or ``zoo:NAME``; ``data`` the path of a data set, or
    arrays: by name (``x`` or the names of the model's inputs, ``y`` for labels), in the order
    of the inputs, or the only one. Without data, ``instances`` are drawn by ``seed``.
    ``targets`` and ``store`` are those of the configuration unless given. What is inconsistent
    is in the store afterwards; ``Check.findings`` has the ids. May run in any thread.
    Raises ``AssayError`` for what cannot be checked.
    """
    if instances < 1:
        raise AssayError(f"instances must be at least 1; received {instances}.")
    request = requested(
        load(config),
        str(model),
        data,
        targets=tuple(targets or ()),
        instances=instances,
        seed=seed,
        preset=preset,
        percent=percent,
        trust=trust,
        architecture=architecture,
        store=store,
    )
    for event in run_check(request):
        if isinstance(event, CheckFinished):
            return event.check
    raise AssertionError("a check ends with its result or with an error")
