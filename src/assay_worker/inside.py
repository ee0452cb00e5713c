"""What happens inside a library's call: its own functions, what each was given and gave.

A library of several backends has one front end: the calls that it makes are mostly the same on
each, and the first one that gives something else for the same inputs is where a fault lies.
"""

import os
import re
import sys
import traceback

import numpy as np

#: Beyond this many calls (a long recurrence) nothing more is recorded.
_CALLS = 3000
#: Of a larger array evenly spaced elements stand for all.
_ELEMENTS = 4096
#: How deep lists of tensors are looked into.
_NESTING = 3
#: Where packages lie.
_SITES = ("site-packages", "dist-packages")
#: A frame in a traceback that is told as text.
_TOLD = re.compile(r'File "([^"]+)", line \d+, in (\S+)\n *(.*)')


#: What a recorder is told of a function.
RECORDED, PASSED, CLOSED = "recorded", "passed", "closed"


class Recorder(object):
    """Records the calls of a package's functions; ``numpy`` turns a tensor into an array.

    ``interest`` says of a file (relative to the package's folder) and a function's name whether
    it is recorded; if not, what it calls counts as called by its caller (``PASSED``) or is of no
    interest either (``CLOSED``).
    """

    def __init__(self, folder, interest, is_tensor, numpy):
        self._folder = os.path.join(folder, "")
        self._interest = interest
        self._is_tensor = is_tensor
        self._numpy = numpy
        self._names = {}
        self._stack = []
        self._calls = []

    @property
    def calls(self):
        """The calls that were given or gave tensors: function, parent, inputs, outputs.

        ``parent`` is the index of the call they were made in, -1 of the outermost.
        """
        told = [bool(call["inputs"] or call["outputs"]) for call in self._calls]
        places = [sum(told[:index]) for index in range(len(told))]
        found = []
        for call in (call for call, tells in zip(self._calls, told) if tells):
            parent = call["parent"]
            while parent >= 0 and not told[parent]:
                parent = self._calls[parent]["parent"]
            found.append(dict(call, parent=places[parent] if parent >= 0 else -1))
        return found

    def __enter__(self):
        sys.setprofile(self._event)
        return self

    def __exit__(self, *exception):
        sys.setprofile(None)

    def _event(self, frame, event, value):
        if event == "call":
            self._stack.append(self._entered(frame))
        elif event == "return" and self._stack:
            index = self._stack.pop()
            if index is not None and index != CLOSED:
                self._calls[index]["outputs"] = self._arrays(value)

    def _entered(self, frame):
        """The index of the call's record; None of what is not recorded, ``CLOSED`` of a wall."""
        if CLOSED in self._stack:
            return None
        code = frame.f_code
        if code not in self._names:
            self._names[code] = self._name(code)
        name = self._names[code]
        if name is None or name == CLOSED or len(self._calls) >= _CALLS:
            return CLOSED if name == CLOSED else None
        above = [index for index in self._stack if index is not None]
        count = code.co_argcount + getattr(code, "co_kwonlyargcount", 0)
        count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
        given = [frame.f_locals.get(item) for item in code.co_varnames[:count]]
        self._calls.append(
            {
                "function": name,
                "parent": above[-1] if above else -1,
                "inputs": self._arrays(given),
                # What raises gives nothing.
                "outputs": [],
            }
        )
        return len(self._calls) - 1

    def _name(self, code):
        if not code.co_filename.startswith(self._folder) or code.co_name.startswith("<"):
            return None
        path = code.co_filename[len(self._folder) :].replace(os.sep, "/")
        name = getattr(code, "co_qualname", code.co_name).replace(".<locals>", "")
        interest = self._interest(path, name)
        if interest == RECORDED:
            return path + ":" + name
        return CLOSED if interest == CLOSED else None

    def _arrays(self, value):
        return arrays_in(value, self._is_tensor, self._numpy)


class Operators(object):
    """Records what an engine's operators are given and give; see ``Engine.operators``."""

    def __init__(self, engine):
        self.engine = engine
        self.calls = []

    def given(self, name, values):
        """An operator begins: the place of its record."""
        given = self._arrays(values)
        self.calls.append({"function": name, "parent": -1, "inputs": given, "outputs": []})
        return len(self.calls) - 1

    def gave(self, place, value):
        """It ended; what raises gives nothing."""
        self.calls[place]["outputs"] = self._arrays(value)

    def _arrays(self, value):
        return arrays_in(value, _has_elements, self.engine.numpy)


def _has_elements(value):
    return hasattr(value, "shape") and hasattr(value, "dtype")


def arrays_in(value, is_tensor, numpy, nesting=0):
    """The arrays of all tensors in a value, those in lists and dictionaries too."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value, key=str)]
    if isinstance(value, (list, tuple)):
        if nesting >= _NESTING:
            return []
        return [a for item in value for a in arrays_in(item, is_tensor, numpy, nesting + 1)]
    if not isinstance(value, np.ndarray) and not is_tensor(value):
        return []
    try:
        array = np.array(value if isinstance(value, np.ndarray) else numpy(value))
    except Exception:  # a tensor that has no numbers yet: it is being traced
        return []
    if array.dtype.kind not in "biufc":
        array = array.astype("float32") if array.dtype.names is None else np.zeros(0)
    if array.size > _ELEMENTS:
        array = array.reshape(-1)[:: -(-array.size // _ELEMENTS)]
    return [array]


def frames(error):
    """The frames of what was raised, outermost first: file within its package, function, line.

    Ours are left out. What was raised first stands for what was raised because of it.
    """
    seen = set()
    while error.__cause__ is not None and id(error) not in seen:
        seen.add(id(error))
        error = error.__cause__
    told = [
        (item.filename, item.name, item.line or "")
        for item in traceback.extract_tb(error.__traceback__)
    ]
    # Who builds first and runs later says in the message where a thing was built.
    told += _TOLD.findall(str(error))
    found = []
    for filename, function, line in told:
        path = _within_package(filename)
        if path:
            found.append({"file": path, "function": function, "line": line})
    return found


def _within_package(filename):
    """``keras/src/ops/numpy.py``; "" for a file that is in no package, or in ours."""
    parts = filename.replace(os.sep, "/").split("/")
    if "assay_worker" in parts:
        return ""
    for site in _SITES:
        if site in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(site) :])
    return ""
