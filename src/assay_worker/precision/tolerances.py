"""The tolerances that a library's own tests grant, as the installed library has them."""

import importlib
import inspect


def tolerance(library, op, dtype):
    """``{"rtol", "atol", "source"}`` for an op in a format, or why there is none: ``{"why"}``."""
    read = {"torch": _torch, "jax": _jax, "keras": _keras}.get(library)
    if read is None:
        return {"why": "%s ships no tolerances of its tests" % library}
    try:
        return read(op, dtype)
    except (ImportError, AttributeError, KeyError) as error:
        return {"why": "this version of %s has none where it should: %s" % (library, error)}


def _torch(op, dtype):
    """What an operator's entry in PyTorch's tables overrides, the loosest; else the default."""
    from assay_worker.catalogue.torch_tables import tables

    torch = importlib.import_module("torch")
    wanted = getattr(torch, dtype)
    granted = []
    for entry in tables().operators.get(op, ()):
        for place in entry.decorators:
            if getattr(place, "device_type", None) not in (None, "cpu"):
                continue
            for each in getattr(place, "decorators", None) or [place]:
                own = getattr(each, "d", {}).get(wanted)
                if own is not None and hasattr(own, "rtol"):
                    test = getattr(place, "test_name", None) or "all tests"
                    granted.append((float(own.rtol), float(own.atol), test))
    if granted:
        rtol, atol, _ = max(granted)
        tests = ", ".join(sorted({test for _, _, test in granted}))
        return {"rtol": rtol, "atol": atol, "source": "OpInfo (%s)" % tests}
    comparison = importlib.import_module("torch.testing._comparison")
    rtol, atol = comparison.default_tolerances(wanted)
    return {"rtol": float(rtol), "atol": float(atol), "source": "torch.testing"}


def _jax(op, dtype):
    """One number for both, by format."""
    numpy = importlib.import_module("jax.numpy")
    found = importlib.import_module("jax._src.public_test_util").default_tolerance()
    each = float(found[numpy.dtype(getattr(numpy, dtype))])
    return {"rtol": each, "atol": each, "source": "jax.test_util"}


def _keras(op, dtype):
    """The defaults of its test case, the same for all formats."""
    case = importlib.import_module("keras.src.testing.test_case").TestCase
    known = inspect.signature(case.assertAllClose).parameters
    return {
        "rtol": float(known["rtol"].default),
        "atol": float(known["atol"].default),
        "source": "keras.src.testing",
    }
