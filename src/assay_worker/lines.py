"""Which lines of a library's Python code run in this worker: an option of hunts.

The host names a package and a directory in ``ASSAY_LINES``; coverage.py, which
must be installed beside the library, writes what it saw into that directory.
"""

import os
import time

#: Seconds between two times it is written down: a worker may be killed at any moment.
_INTERVAL = 1.0


class Lines(object):
    """Counts from the moment it is made; make it before the library is imported."""

    def __init__(self, package, directory):
        import coverage

        self._coverage = coverage.Coverage(
            data_file=os.path.join(directory, "lines"),
            data_suffix=True,
            source_pkgs=[package],
            config_file=False,
            messages=False,
        )
        self._coverage.start()
        self._saved = 0.0

    def between_requests(self):
        """Write down what ran so far, now and then."""
        if time.time() - self._saved > _INTERVAL:
            self._coverage.save()
            self._saved = time.time()


class NoLines(object):
    """Nobody asked."""

    def between_requests(self):
        """Nothing to do."""


def asked_for():
    """What the host asked for."""
    asked = os.environ.get("ASSAY_LINES", "")
    if not asked:
        return NoLines()
    package, _, directory = asked.partition("=")
    return Lines(package, directory)
