"""What of this machine and process changes numbers: a library chooses its kernels by it."""

import os
import platform

import numpy as np

#: Instruction sets by which libraries choose kernels, the widest last; Linux's names.
FLAGS = (
    "sse4_1",
    "avx",
    "avx2",
    "fma",
    "f16c",
    "avx_vnni",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "amx_int8",
    "amx_bf16",
    "asimd",
    "asimddp",
    "bf16",
    "i8mm",
    "sve",
    "sve2",
)
#: Variables of the environment that choose kernels, their order of summation, or their precision.
VARIABLES = (
    "ATEN_CPU_CAPABILITY",
    "DNNL_MAX_CPU_ISA",
    "JAX_DEFAULT_MATMUL_PRECISION",
    "JAX_DISABLE_MOST_OPTIMIZATIONS",
    "JAX_ENABLE_X64",
    "MKL_CBWR",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_NUM_THREADS",
    "NPY_DISABLE_CPU_FEATURES",
    "OMP_NUM_THREADS",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_NUM_INTEROP_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
)
_CPUINFO = "/proc/cpuinfo"
#: A subnormal number of float32, of which the half is one, too.
_SUBNORMAL = np.array([1e-40], dtype="float32")


def describe(adapter):
    """Plain data for ``assay.ir.Machine``: the CPU, its flags, and what the library says it uses.

    What a library cannot be asked is told as such: a worker does not fail for it.
    """
    model, flags = _cpu()
    settings = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    settings.update(told("settings", adapter.settings))
    return {"cpu": model, "flags": [name for name in FLAGS if name in flags], "settings": settings}


def told(name, ask):
    """What ``ask`` gives; else why there is no answer, under that name."""
    try:
        return ask()
    except Exception as error:
        return {name: "not told: %s: %s" % (type(error).__name__, str(error)[:100])}


def subnormals(half):
    """Are numbers below the normal ones flushed to zero by ``half``, a function of an array?"""
    return "kept" if np.asarray(half(_SUBNORMAL)).any() else "flushed"


def _cpu():
    """The model's name and all flags of the first processor; empty where the system is silent."""
    model, flags = platform.processor() or platform.machine(), frozenset()
    if not os.path.exists(_CPUINFO):
        return model, flags
    with open(_CPUINFO) as file:
        lines = file.read().partition("\n\n")[0].splitlines()
    fields = {key.strip(): value.strip() for key, _, value in (x.partition(":") for x in lines)}
    known = fields.get("flags") or fields.get("Features") or ""
    return fields.get("model name", model), frozenset(known.split())
