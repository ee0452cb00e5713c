"""``check``: one model on several targets, every pair compared, every difference located."""

import threading
import time
from collections.abc import Generator, Iterator

import msgspec

from assay import __version__
from assay.campaign.check.comparing import Stop, comparable, compared, nobody_missing
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
from assay.execute import Supervisor
from assay.models import Dataset, ModelFile, generated, in_memory, inspect, open_data, sha256_of
from assay.store import open_store
from assay.targets import REFERENCE

#: The technique in a campaign's configuration.
TECHNIQUE = "check"


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
        data = _data(request, file, models)
        digest = sha256_of(file.path)
        campaign = store.start_campaign(
            request.seed,
            _config(request, models, digest),
            models.versions,
            {name: hello.machine for name, hello in models.hellos.items()},
        )
        yield CheckStarted(campaign.id, request.title, models.names, request.store, data.instances)
        result = yield from compared(request, models, data, watched)
        recorder = Recorder(request, file, digest, models, targets, campaign.id)
        found = yield from recorder.findings(result)
        elapsed = time.monotonic() - began
        statistics = {"verdict": result.check.verdict}
        fresh = store.record_trial(campaign.id, 0, found, statistics, elapsed)
        kept = [store.finding(finding.fingerprint) for finding, _ in found]
        store.finish_campaign(campaign.id, statistics, elapsed)
    for finding, new in zip(kept, fresh, strict=True):
        yield FindingRecorded(finding, new)
    ids = tuple(finding.id for finding in kept)
    yield CheckFinished(msgspec.structs.replace(result.check, findings=ids), tuple(kept))


def _started(request: Request, models: Models) -> Generator[Event, None, ModelFile]:
    """Start the targets and load the model on them."""
    count = len(request.targets)
    for target in request.targets:
        yield TargetChanged(target.name, "starting")
    yield Progressed("starting targets", 0, count)
    models.start()
    nobody_missing(request, models)
    file = request.file
    if file is None:
        yield Progressed(f"building zoo:{request.zoo}", 0, 1)
        models.build(request.zoo, request.seed, request.zoo_path)
        file = inspect(request.zoo_path)
    yield Progressed("loading the model", 0, count)
    models.load(file)
    for target in request.targets:
        failure = models.failures.get(target.name)
        if failure is None:
            yield TargetChanged(target.name, "ready")
        else:
            yield TargetChanged(target.name, "left-out", message=failure.message)
    nobody_missing(request, models)
    comparable(models)
    return file


def _data(request: Request, file: ModelFile, models: Models) -> Dataset:
    inputs = models.spec.inputs
    if request.arrays is not None:
        return in_memory(request.arrays, inputs)
    if request.data:
        return open_data(request.data, inputs)
    return generated(inputs, file.ids, request.instances, request.seed)


def _config(request: Request, models: Models, digest: str) -> dict[str, object]:
    return {
        "techniques": [TECHNIQUE],
        "model": request.title,
        "sha256": digest,
        "data": request.data or ("arrays" if request.arrays is not None else "generated"),
        "targets": list(models.names),
        "preset": request.preset,
        "seed": request.seed,
        "assay": __version__,
    }
