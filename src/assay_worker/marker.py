"""Where the worker is, for a host that finds it dead.

One shared page holds ``stage`` and ``node`` of the step at work; it outlives
the process.
"""

import mmap

SIZE = 512
_page = None


def attach(descriptor):
    """Write marks to this file from now on."""
    global _page
    _page = mmap.mmap(descriptor, SIZE)


def mark(stage, node):
    """This step is at work now."""
    if _page is not None:
        text = ("%s\n%s\n" % (stage, node)).encode("utf-8")[:SIZE]
        _page[: len(text)] = text


def read(data):
    """``(stage, node)`` in a page's bytes."""
    stage, node, _ = (data.decode("utf-8", "replace") + "\n\n\n").split("\n", 2)
    return stage.strip("\0"), node.strip("\0")
