"""Ends of a worker's process: with its parent, and without a library's farewell."""

import os
import sys


def die_with(parent):
    """Ask the kernel to kill us when the parent dies: a hung library cannot see the pipe end."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes
    import signal

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def leave(code):
    """End at once: library finalizers may hang or crash at exit; nothing of ours is left to do."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
