"""What a build of a catalogue asks of a worker.

``list``: what there is to look at. ``aliases``: other names of it. ``probe``: calls of some
sources, ``guess``: of APIs without a sample. Each item of a request is looked at on its own; the
marker says at which, so that one that kills the process is known.
"""

import signal

from assay_worker import marker
from assay_worker.catalogue import harvest_of
from assay_worker.catalogue.probing import Prober
from assay_worker.catalogue.trying import Invalid, told

#: Seconds of the clock that a second of CPU may take at most: what waits for ever is ended, too.
_CLOCK = 20.0


def answer(adapter, request):
    """The answer to a request of a build."""
    harvest = harvest_of(adapter.spoken, adapter)
    if request["step"] == "list":
        names = list(harvest.names())
        undefined = {name: harvest.undefined(name) for name in names}
        return {
            "names": names,
            "sources": list(harvest.sources()),
            "undefined": {name: why for name, why in undefined.items() if why},
        }
    if request["step"] == "aliases":
        return {"aliases": harvest.aliases()}
    look = {"probe": _source, "guess": _guessed}[request["step"]]
    names = set(request["names"])
    most = min(request["calls"], harvest.most_calls or request["calls"])
    return {"items": [look(harvest, item, names, most) for item in request["items"]]}


def _source(harvest, item, names, most):
    """The calls in a source, by API; of ``only`` some APIs, ``without`` some."""
    source = item["key"]
    marker.mark("collect", "%s\t" % source)
    with _Limited(harvest):
        try:
            samples = harvest.collect(source)
        except Exception as error:  # an example may raise anything
            return {"key": source, "apis": {}, "problem": told(error)}
    by_api = {}
    for sample in samples:
        if sample.api in names and _wanted(sample.api, item):
            by_api.setdefault(sample.api, []).append(sample)
    found = {api: _probed(harvest, api, by_api[api], item, most, source) for api in sorted(by_api)}
    return {"key": source, "apis": found, "problem": ""}


def _guessed(harvest, item, names, most):
    """The calls of an API that were guessed."""
    api = item["key"]
    if not _wanted(api, item):
        return {"key": api, "apis": {}, "problem": ""}
    marker.mark("collect", "%s\t" % api)
    with _Limited(harvest):
        try:
            samples = harvest.guesses(api)
        except Exception as error:  # registries and signatures may be anything
            return {"key": api, "apis": {}, "problem": told(error)}
    if not samples:
        return {"key": api, "apis": {}, "problem": "no sample was found"}
    found = _probed(harvest, api, samples, item, most, "guess")
    if found["problem"]:
        found["problem"] = "no guess works: " + found["problem"]
    return {"key": api, "apis": {api: found}, "problem": ""}


def _wanted(api, item):
    only = item.get("only")
    return (only is None or api in only) and api not in item.get("without", ())


def _probed(harvest, api, samples, item, most, source):
    with _Limited(harvest) as limited:
        where, avoid = item["key"], item.get("avoid", ())
        try:
            return Prober(harvest, api, avoid, where, limited.begin).probed(samples, most, source)
        except Invalid as reason:
            return {"calls": [], "undefined": "", "problem": str(reason)}


class _Limited(object):
    """The kernel ends the process if what is inside takes too long, wherever it is.

    What hangs in native code hears nothing else.
    """

    def __init__(self, harvest):
        self._seconds = harvest.step_seconds

    def begin(self):
        """The time begins now."""
        self._set(self._seconds)

    def __enter__(self):
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        self.begin()
        return self

    def __exit__(self, *exception):
        self._set(0.0)

    def _set(self, seconds):
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds * _CLOCK)
