"""Directories for temporary files that go with their host, also when it was killed."""

import os
import shutil
import tempfile
from pathlib import Path

#: Every directory of ours begins so.
_PREFIX = "assay-"
#: The file inside that says whose it is.
_OWNER = ".assay-owner"


def scratch(purpose: str) -> "tempfile.TemporaryDirectory[str]":
    """A directory of this process, ``assay-PURPOSE-…``, removed when it is cleaned up.

    If the process is killed before, ``sweep`` of a later one removes it.
    """
    directory = tempfile.TemporaryDirectory(
        prefix=f"{_PREFIX}{purpose}-", ignore_cleanup_errors=True
    )
    Path(directory.name, _OWNER).write_text(_identity(os.getpid()), encoding="utf-8")
    return directory


def sweep() -> tuple[str, ...]:
    """Remove what processes left behind that are not there any more; says which directories.

    Directories without an owner's name, and those of another machine or container that shares
    the directory for temporary files, are left alone.
    """
    removed = []
    for owner in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_OWNER}"):
        try:
            said = owner.read_text(encoding="utf-8")
        except OSError:  # gone by now, or not ours to read
            continue
        space, _, rest = said.partition(" ")
        process = rest.partition(" ")[0]
        if space != _space() or not process.isdigit() or _identity(int(process)) == said:
            continue
        shutil.rmtree(owner.parent, ignore_errors=True)
        removed.append(str(owner.parent))
    return tuple(removed)


def _space() -> str:
    """Where process ids are counted: two containers may both have a process 7."""
    try:
        counted = os.readlink("/proc/self/ns/pid")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return os.uname().nodename
    return f"{boot}/{counted}"


def _identity(process: int) -> str:
    """A process by id and start: ids are used again. "" if there is none."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return f"{_space()} {process} {fields[19]}"
    except OSError:
        if os.path.isdir("/proc/self"):
            return ""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return f"{_space()} {process} "
