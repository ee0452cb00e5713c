"""Errors that a user can act on."""


class AssayError(Exception):
    """Something the user can put right: what was expected, received, and what to do.

    The message is one line, without a leading "assay:". The command line prints
    it and exits with code 2.
    """


class StoreError(AssayError):
    """The store cannot be used: not ours, read-only, full, or of a newer version."""


class TargetError(AssayError):
    """A target is unknown, cannot start, or too few of them remain."""


class Interrupted(Exception):
    """The user pressed Ctrl-C; everything judged so far is stored."""
