"""The step ``cntk-mpi-stub``: what CNTK's wheel needs of OpenMPI 1.10 and nobody ships any more.

CNTK links against ``libmpi.so.12`` and ``libmpi_cxx.so.1`` even where it never talks to another
process. Both are compiled here from the symbols its libraries ask for: one process, rank 0.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from assay.errors import TargetError

#: What OpenMPI provides: its C functions, its own objects, and its C++ classes.
_OF_MPI = re.compile(r"(P?MPI_|ompi_|_Z\w*3MPI)\w*")
_OBJECT = re.compile(r"ompi_mpi_\w*(?<!intercept)|_ZT[IV]\w*")
#: A lone process: not initialised yet, given what it asks for, number 0 of 1.
_ANSWERS = {
    "MPI_Initialized": "int MPI_Initialized(int *flag) { *flag = 0; return 0; }",
    "MPI_Comm_rank": "int MPI_Comm_rank(void *c, int *rank) { *rank = 0; return 0; }",
    "MPI_Comm_size": "int MPI_Comm_size(void *c, int *size) { *size = 1; return 0; }",
    "MPI_Init_thread": (
        "int MPI_Init_thread(int *n, char ***v, int required, int *provided) "
        "{ *provided = required; return 0; }"
    ),
}
_LIBRARIES = ("libmpi.so.12", "libmpi_cxx.so.1")


def make_stub(prefix: Path) -> str:
    """Compile the pair into ``PREFIX/lib/mpi-stub``; a line for the log. Needs gcc and nm."""
    lacking = lacks()
    if lacking:
        raise TargetError(f"the step cntk-mpi-stub {lacking}")
    libraries = sorted(prefix.glob("lib/python3.*/site-packages/cntk/libs/*.so*"))
    if not libraries:
        raise TargetError(
            f"the step cntk-mpi-stub found no cntk/libs under {prefix}. Put cntk into pip, or "
            "leave the step out."
        )
    symbols = wanted(libraries)
    folder = prefix / "lib" / "mpi-stub"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "stub.c"
    source.write_text(program(symbols), encoding="utf-8")
    for name in _LIBRARIES:
        # Everything in the first; the loader only looks whether the second is there.
        text = [str(source)] if name == _LIBRARIES[0] else ["-x", "c", "/dev/null"]
        _run(
            [
                "gcc",
                "-shared",
                "-fPIC",
                "-w",
                f"-Wl,-soname,{name}",
                "-o",
                str(folder / name),
                *text,
            ]
        )
    return f"cntk-mpi-stub: {len(symbols)} symbols in {folder}"


def lacks() -> str:
    """What this machine lacks for it and how to get it; "" if nothing."""
    for tool, package in (("gcc", "gcc"), ("nm", "binutils")):
        if shutil.which(tool) is None:
            return f"needs {tool}, and there is none on the PATH: install {package}"
    return ""


def wanted(libraries: Iterable[Path]) -> tuple[str, ...]:
    """The symbols of OpenMPI that these libraries do not define, sorted."""
    asked: set[str] = set()
    for library in libraries:
        listed = _run(["nm", "-D", "--undefined-only", str(library)])
        names = (line.split()[-1].partition("@")[0] for line in listed.splitlines() if line.strip())
        asked.update(name for name in names if _OF_MPI.fullmatch(name))
    return tuple(sorted(asked))


def program(symbols: Iterable[str]) -> str:
    """The C text that defines each of them."""
    lines = []
    for name in symbols:
        if name in _ANSWERS:
            lines.append(_ANSWERS[name])
        elif _OBJECT.fullmatch(name):
            lines.append(f"char {name}[1024] __attribute__((aligned(64)));")
        else:
            lines.append(f"long {name}(void) {{ return 0; }}")
    return "\n".join(lines) + "\n"


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, encoding=sys.getfilesystemencoding(), check=False
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        raise TargetError(f"the step cntk-mpi-stub failed: {' '.join(command[:3])} …: {reason}")
    return done.stdout
