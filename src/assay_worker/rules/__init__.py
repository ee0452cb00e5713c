"""Rules of ``rewrite``: ways of computing the same thing, one file each."""

import importlib

#: Every rule, by the name of its file, as ``assay rules`` lists them.
NAMES = (
    "accumulated",
    "averaged",
    "batch",
    "bsr",
    "channels",
    "compile",
    "config",
    "constants",
    "csc",
    "csr",
    "dataset",
    "depthwise",
    "devices",
    "dilated",
    "dtype",
    "executed",
    "expanded",
    "export",
    "formula",
    "halves",
    "inplace",
    "interpreted",
    "jit",
    "linear",
    "masked",
    "method",
    "modes",
    "module",
    "moved",
    "out",
    "padding",
    "references",
    "refitted",
    "resumed",
    "roundtrip",
    "samename",
    "saved",
    "scaled",
    "scipy",
    "separable",
    "sparse",
    "split",
    "strided",
    "symbolic",
    "symmetric",
    "timemajor",
    "unpad",
    "vmap",
    "xla",
)


def rule(name):
    """The rule of that name; ``LookupError`` if there is none."""
    if name not in NAMES:
        raise LookupError("no rule is called %r; expected one of %s" % (name, ", ".join(NAMES)))
    return importlib.import_module("assay_worker.rules." + name).RULE


def rules():
    """Every rule."""
    return tuple(rule(name) for name in NAMES)
