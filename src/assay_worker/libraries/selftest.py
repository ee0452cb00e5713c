"""A small library that misbehaves on demand, for testing hosts and new techniques.

Its ops need nothing but numpy, so a worker starts in a moment on any
interpreter. Ops are named ``selftest.NAME``, or ``prelude.NAME`` for functions
of a prelude file.
"""

import ctypes
import importlib
import itertools
import os
import platform
import signal
import sys
import time

import numpy as np

from assay_worker.libraries._base import Adapter, at, call_arguments, tuples


def _kill(number):
    def die(*arrays):
        os.kill(os.getpid(), number)
        time.sleep(60)

    return die


def _segfault(*arrays):
    ctypes.string_at(0)


def _hang(*arrays):
    while True:
        time.sleep(3600)


def _allocate(*arrays):
    kept = []
    while True:
        kept.append(np.ones(1 << 24))


def _garbage(array):
    os.write(1, b"\x00garbage\n" * 1000)
    os.write(2, b"\xff\xfe garbage\n" * 1000)
    return array


def _fail(*arrays, **keywords):
    raise ValueError(keywords.get("message", "asked to fail"))


_calls = itertools.count()


def _uninitialised(array):
    return array + np.float32(next(_calls))


OPS = {
    "add": lambda first, second: first + second,
    "identity": lambda array: array,
    "scale": lambda array, factor=2.0: (array * factor).astype(array.dtype),
    "segfault": _segfault,
    "abort": _kill(signal.SIGABRT),
    "kill": _kill(signal.SIGKILL),
    "float_error": _kill(signal.SIGFPE),
    "exit": lambda array, code=3: os._exit(code),
    "hang": _hang,
    "allocate": _allocate,
    "garbage": _garbage,
    "fail": _fail,
    "uninitialised": _uninitialised,
}


class SelftestAdapter(Adapter):
    """Runs cases on the ops above; forward only."""

    def __init__(self, backend, mode):
        self.backend = backend

    def describe(self):
        """Versions of Python and numpy."""
        versions = {"numpy": np.__version__, "python": platform.python_version()}
        return {"versions": versions, "capabilities": ["forward"]}

    def offers(self, names):
        """See ``Adapter``."""
        return {name: "" for name in names if name.partition(".")[2] in OPS}

    def program(self, question):
        """Node by node, no weights but one per ``selftest.scale``."""

        def run(inputs, record):
            tensors = dict(inputs)
            for node in question.graph["nodes"]:
                with at("build", node["id"]):
                    root, _, name = node["op"].partition(".")
                    if root == "prelude":
                        function = getattr(importlib.import_module("prelude"), name)
                    else:
                        function = OPS[name]
                    question.weight(node["id"], 0, "kernel", (3, 2), "float32")
                with at("forward", node["id"]):
                    positional, keywords = call_arguments(node, tensors)
                    keywords.update(tuples(node["params"]))
                    tensors[node["id"]] = function(*positional, **keywords)
                    record["output:" + node["id"]] = np.asarray(tensors[node["id"]])
            sys.stdout.flush()

        return run
