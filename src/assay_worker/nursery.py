"""A process that has imported a library, and brings forth workers that need not import it.

It runs nothing of the library itself. ``fork`` copies one thread only: where importing the
library started others, each worker is a process of its own from the beginning instead.
"""

import array
import gc
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
import traceback

from assay_worker.process import die_with, leave
from assay_worker.serve import prepared, serve

#: A message and the descriptors with it are no larger than this.
_MESSAGE = 1 << 16
_MOST_DESCRIPTORS = 16


def run(options, descriptor):
    """Bear a worker for each message of the host, until it closes the channel."""
    channel = socket.socket(fileno=descriptor)
    ready = prepared(options)
    if ready.adapter is not None:
        ready.adapter.anticipate()
    forking = _threads() == 1
    # What is imported stays in memory that all workers share. Python 3.6 cannot.
    getattr(gc, "freeze", gc.collect)()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    _tell(channel, {"loaded": time.process_time()})
    while True:
        readable = select.select([channel, woken], [], [])[0]
        if woken in readable:
            os.read(woken, 1 << 12)
            for told in _gone():
                _tell(channel, told)
        if channel in readable:
            text, descriptors = _received(channel)
            if not text:
                return 0
            mother = os.getpid()
            process = os.fork()
            if process == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                # Whoever holds these open seems to be the nursery.
                channel.close()
                os.close(woken)
                os.close(wake)
                _live(ready if forking else None, json.loads(text), descriptors, mother)
            for item in descriptors:
                os.close(item)
            _tell(channel, {"born": process})


def _threads():
    """How many there are; 0 where the system does not say."""
    directory = "/proc/self/task"
    return len(os.listdir(directory)) if os.path.isdir(directory) else 0


def _tell(channel, message):
    channel.send(json.dumps(message).encode("utf-8"))


def _received(channel):
    """A message and the descriptors that came with it; an empty one at the end."""
    found = array.array("i")
    room = socket.CMSG_LEN(_MOST_DESCRIPTORS * found.itemsize)
    text, ancillary = channel.recvmsg(_MESSAGE, room)[:2]
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    for item in found:
        os.set_inheritable(item, False)
    return text.decode("utf-8"), list(found)


def _gone():
    """What is to be told of workers that ended."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            return
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        yield {"gone": process, "code": code}


def _live(ready, options, descriptors, mother):
    """The life of a worker. Does not return."""
    code = 1
    try:
        os.setsid()
        die_with(mother)
        log = descriptors.pop()
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.environ["TMPDIR"] = options["scratch"]
        tempfile.tempdir = None  # it may be known already, as the nursery's own
        options = dict(options, parent=mother, descriptors=descriptors)
        if ready is None:
            for item in descriptors:
                os.set_inheritable(item, True)
            main = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
            os.execv(sys.executable, [sys.executable, main, json.dumps(options)])
        code = serve(options, ready, *descriptors)
    except BaseException:  # the loop of the nursery goes on in another process only
        traceback.print_exc()
    leave(code)
