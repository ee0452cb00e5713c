"""Which kernels a library uses: what it would choose by the machine, and targets therefore set.

A finding must mean the same everywhere. What can be pinned without testing something else than
people run, is pinned here, by backend; the rest is recorded (see ``assay.ir.machine``) and told in
docs/machines.md. A target of one's own may set other values.
"""

from collections.abc import Mapping

from assay.ir import Platform

#: TensorFlow turns oneDNN on where the CPU has AVX512_VNNI, and its numbers, refusals and crashes
#: are others then.
PINNED: Mapping[str, dict[str, str]] = {"tensorflow": {"TF_ENABLE_ONEDNN_OPTS": "0"}}
#: The other kernels of a backend, by the mode that has them.
OTHER_KERNELS: Mapping[str, Mapping[str, dict[str, str]]] = {
    "tensorflow": {"onednn": {"TF_ENABLE_ONEDNN_OPTS": "1"}}
}
#: Tile registers (AMX) and instructions for half precision give other digits there, and a machine
#: that only claims to have them fails at oneDNN's kernels: SIGILL, "could not create a primitive"
#: of anything from then on. Whoever sets something else gets that.
INSTRUCTIONS = {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE"}
#: Workers compute with one thread each: sums do not depend on the number of cores, and several
#: share the machine.
THREADS = {
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}
#: Variables that choose kernels: of a target's environment, scripts set these.
CHOOSING = (
    "ATEN_CPU_CAPABILITY",
    "DNNL_MAX_CPU_ISA",
    "MKL_CBWR",
    "MKL_ENABLE_INSTRUCTIONS",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
)


def pinned(library: str, backend: str, mode: str = "eager") -> dict[str, str]:
    """The environment that a target of this kind has unless it says otherwise."""
    computes = backend or library
    return {**PINNED.get(computes, {}), **OTHER_KERNELS.get(computes, {}).get(mode, {})}


def chosen(platform: Platform) -> dict[str, str]:
    """The variables that a script must set to get the kernels of a target.

    Records of before do not say: those targets had what is pinned today.
    """
    told = platform.environment or pinned(platform.library, platform.backend, platform.mode)
    return {name: value for name, value in sorted(told.items()) if name in CHOOSING}


def contrary(first: Platform, second: Platform) -> bool:
    """Do they need different kernels of one library, which one process cannot have?"""
    mine, other = chosen(first), chosen(second)
    return any(other.get(name, value) != value for name, value in mine.items())
