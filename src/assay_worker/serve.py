"""The worker's loop: a request, an answer, until the host closes the pipe."""

import os
import sys
import time
import traceback

from assay_worker import (
    HARVEST,
    PROTOCOL,
    individuals,
    libraries,
    lines,
    machine,
    marker,
    rewriting,
)
from assay_worker.catalogue import harvest_of, requests
from assay_worker.protocol import Arena, read_frame, write_all


def _data_bytes():
    """Private memory this process has allocated; 0 where the system does not say."""
    if not os.path.exists("/proc/self/statm"):
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")


def _limit_memory(allowance):
    """Let the process allocate ``allowance`` bytes more than it holds now; no core files."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if allowance and _data_bytes():
        limit = _data_bytes() + allowance
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


class PreludeError(Exception):
    """The user's file failed, not the library."""

    def __init__(self, path, error):
        text = "%s: %s" % (type(error).__name__, error)
        Exception.__init__(self, "the prelude %s failed: %s" % (path, text))
        self.cause = error


def _run_prelude(path):
    """Run a user's file; its names are reachable as ``prelude.NAME``."""
    import types

    module = types.ModuleType("prelude")
    module.__file__ = path
    sys.modules["prelude"] = module
    try:
        with open(path) as file:
            exec(compile(file.read(), path, "exec"), module.__dict__)
    except BaseException as error:  # SystemExit too
        raise PreludeError(path, error) from error


class Prepared(object):
    """A library that was imported, or what became of the attempt. Nothing of it has run yet."""

    def __init__(self, counted, adapter, problem):
        self.counted = counted
        self.adapter = adapter
        self.problem = problem


def prepared(options):
    """Import the library, run the prelude."""
    try:
        counted = lines.asked_for()
        adapter = libraries.load(
            options["library"], options["backend"], options["mode"], options.get("adapter", "")
        )
        if options["prelude"]:
            _run_prelude(options["prelude"])
        if os.environ.get(HARVEST):
            harvest_of(adapter.spoken, adapter).prepare()
        return Prepared(counted, adapter, None)
    except BaseException as error:  # SystemExit too: a library may call exit() at import
        return Prepared(None, None, _start_problem(error))


def _start_problem(error):
    cause = getattr(error, "cause", error)
    missing = getattr(cause, "name", None) if isinstance(cause, ModuleNotFoundError) else None
    return dict(_problem(error), ready=False, missing=missing or "")


def _hello(options, ready):
    """What is told first."""
    if ready.problem is not None:
        return ready.problem
    try:
        _limit_memory(options["memory"])
        hello = dict(ready.adapter.describe(), ready=True, protocol=PROTOCOL)
        hello["machine"] = machine.describe(ready.adapter)
        hello["cpu_seconds"] = time.process_time()
        return hello
    except BaseException as error:
        return _start_problem(error)


def _answer(adapter, request):
    what = request["do"]
    if what == "execute":
        sets = request.get("input_sets")
        variants = request.get("variants", ())
        return {"results": adapter.execute(request["case"], sets, variants)}
    if what == "sweep":
        asked = [request[name] for name in ("case", "draws", "rule", "tolerance")]
        return {"results": [rewriting.sweep(adapter, *asked)]}
    if what == "inside":
        started = time.process_time()
        rule = request.get("rule")
        case = request["case"]
        told = rewriting.inside(adapter, case, rule) if rule else adapter.inside(case)
        return dict(told, cpu_seconds=time.process_time() - started)
    if what == "offers":
        told = {"offers": adapter.offers(request["names"])}
        if request.get("whole"):
            told["documentation"] = adapter.documentation(sorted(told["offers"]))
            told["tables"] = adapter.tables()
        return told
    if what == "model":
        return adapter.desk().answer(request)
    if what == "catalogue":
        return requests.answer(adapter, request)
    if what == "suite":
        return adapter.suite(request)
    if what == "precision":
        # It needs SciPy, which old interpreters lack, and takes time that few workers need.
        from assay_worker.precision import requests as precision

        return precision.answer(adapter, request)
    if what == "individuals":
        return individuals.answer(adapter, request)
    if what == "echo":
        return {"echo": request["payload"]}
    raise ValueError("unknown request %r" % what)


def _problem(error):
    return {
        "exception": type(error).__name__,
        "message": str(error)[:4000],
        "stack": traceback.format_exc()[-8000:],
    }


def serve(options, ready, read_descriptor, write_descriptor, read_arena, write_arena, marks):
    """Answer requests until the pipe ends. Returns the exit code."""
    incoming, outgoing = Arena(read_arena), Arena(write_arena)
    marker.attach(marks)

    def send(message):
        write_all(write_descriptor, outgoing.pack(message))

    hello = _hello(options, ready)
    send(hello)
    if not hello["ready"]:
        return 1
    at_start = _data_bytes()
    while True:
        payload = read_frame(read_descriptor)
        if payload is None:
            return 0
        request = incoming.unpack(payload)
        try:
            answer = _answer(ready.adapter, request)
            send(dict(answer, id=request["id"], grown=_data_bytes() - at_start))
        except Exception as error:
            # Ours, not the library's: libraries' errors are results.
            send({"id": request["id"], "internal": _problem(error)})
        ready.counted.between_requests()
