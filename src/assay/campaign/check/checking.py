"""``check``: one model on several targets, every pair compared, every difference located."""

import threading
import time
from collections.abc import Generator, Iterator, Mapping

import msgspec

from assay import __version__
from assay.campaign.check.comparing import Stop, comparable, compared
from assay.campaign.check.files import file_results
from assay.campaign.check.findings import Recorder
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import Request
from assay.campaign.events import (
    CheckFinished,
    CheckStarted,
    Event,
    FindingRecorded,
    Progressed,
    TargetChanged,
)
from assay.errors import TargetError
from assay.execute import Supervisor
from assay.models import ModelFile, inspect, sha256_of
from assay.models.keras_file import listing
from assay.store import open_store
from assay.targets import REFERENCE

#: The technique in a campaign's configuration.
TECHNIQUE = "check"
#: How Keras says that it does not know a class of the file.
_NOT_KNOWN = ("Could not locate", "Unknown layer", "Unknown object", "could not be deserialized")


def check(request: Request, stop: Stop | None = None) -> Iterator[Event]:
    """Run the check to its end; what it finds is in the store before the last event.

    ``stop`` is looked at between batches and pairs: ``Interrupted`` then, and nothing is
    recorded. A consistent check leaves a campaign without findings.
    """
    began = time.monotonic()
    watched = stop or threading.Event()
    targets = (*request.targets, REFERENCE)
    with (
        open_store(request.store) as store,
        Supervisor(targets, LIMITS, standbys=False) as supervisor,
    ):
        models = Models(supervisor, targets)
        file = yield from _started(request, models)
        data = request.dataset(models.spec.inputs, file.ids)
        digests = {one.path: sha256_of(one.path) for one in (file, *request.files.values())}
        campaign = store.start_campaign(
            request.seed,
            _config(request, models, digests),
            models.versions,
            {name: hello.machine for name, hello in models.hellos.items()},
        )
        yield CheckStarted(campaign.id, request.title, models.names, request.store, data.instances)
        result = yield from compared(request, models, data, watched)
        recorder = Recorder(request, file, digests, models, targets, campaign.id)
        found = yield from recorder.findings(result)
        elapsed = time.monotonic() - began
        statistics = {"verdict": result.check.verdict}
        fresh = store.record_trial(campaign.id, 0, found, statistics, elapsed)
        kept = [store.finding(finding.fingerprint) for finding, _ in found]
        files = file_results(request, models)
        store.finish_campaign(campaign.id, statistics, elapsed)
    for finding, new in zip(kept, fresh, strict=True):
        yield FindingRecorded(finding, new)
    ids = tuple(finding.id for finding in kept)
    told = msgspec.structs.replace(result.check, findings=ids, data_notes=data.said, files=files)
    yield CheckFinished(told, tuple(kept))


def _started(request: Request, models: Models) -> Generator[Event, None, ModelFile]:
    """Start the targets and load the model on them."""
    count = len(request.targets)
    for target in request.targets:
        yield TargetChanged(target.name, "starting")
    names = [target.name for target in request.targets]
    yield Progressed("starting targets", 0, count)
    for left in models.starting():
        waited = [name for name in names if name in left]
        if waited:
            yield Progressed(f"starting {', '.join(waited)}", count - len(waited), count)
    file = request.file
    if file is None:
        yield Progressed(f"building zoo:{request.zoo}", 0, 1)
        models.build(request.zoo, request.seed, request.zoo_path)
        file = inspect(request.zoo_path)
    able = [name for name in names if name not in models.failures]
    yield Progressed(f"loading the model on {', '.join(able)}", 0, 1)
    models.load(file, request.files)
    for target in request.targets:
        failure = models.failures.get(target.name)
        if failure is None:
            yield TargetChanged(target.name, "ready")
        else:
            yield TargetChanged(target.name, "left-out", message=failure.message)
    try:
        comparable(models)
    except TargetError as error:
        raise TargetError(f"{error}{_missing_code(file, models)}") from None
    return file


def _missing_code(file: ModelFile, models: Models) -> str:
    """What to do if Keras does not know a layer of the file."""
    said = " ".join(failure.message for failure in models.failures.values())
    if not any(words in said for words in _NOT_KNOWN):
        return ""
    what = listing(file.custom) if file.custom else "the layer"
    return f" Put the definition of {what} into a file and add --prelude FILE --trust."


def _config(request: Request, models: Models, digests: Mapping[str, str]) -> dict[str, object]:
    first, *others = digests.values()
    return {
        "techniques": [TECHNIQUE],
        "model": request.title,
        "sha256": first,
        **({"others": others} if others else {}),
        "data": request.data or ("arrays" if request.arrays is not None else "generated"),
        "targets": list(models.names),
        "preset": request.preset,
        "seed": request.seed,
        "assay": __version__,
    }
