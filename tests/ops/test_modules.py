"""A reader finds an op by its public path, and its meaning in the module of the same name."""

import functools
import importlib
import pkgutil
from pathlib import Path

from assay.ops import keras, specs
from assay_worker import reference
from assay_worker.reference.registry import _REGISTRY

#: Modules of the reference that mean no op by themselves.
_SHARED = {"arrays", "differences", "farmhash", "registry"}
#: Modules whose ops Keras does not have.
_NO_KERAS = {"special"}


def _modules(folder: str) -> set[str]:
    root = Path(folder)
    found = (path.relative_to(root).with_suffix("").parts for path in root.rglob("*.py"))
    return {".".join(parts) for parts in found if not parts[-1].startswith("_")}


def _described() -> dict[str, str]:
    """The module of each spec, without the package."""
    found = {}
    for module in pkgutil.walk_packages(keras.__path__, keras.__name__ + "."):
        if not module.ispkg:
            for spec in getattr(importlib.import_module(module.name), "SPECS", ()):
                found[spec.name] = module.name.removeprefix(keras.__name__ + ".")
    return found


def _meant(op: str) -> str:
    """The module of the function that says what an op means, without the package."""
    function = _REGISTRY[op].function
    while isinstance(function, functools.partial):
        function = function.func
    return str(function.__module__).removeprefix(reference.__name__ + ".")


def test_the_folder_of_a_spec_is_the_namespace_of_its_path() -> None:
    described = _described()
    assert set(described) == {name for name in specs() if name.startswith("keras.")}
    for op, module in described.items():
        assert module.split(".")[0] == op.split(".")[1], op


def test_the_meaning_of_an_op_is_in_the_module_of_its_spec() -> None:
    for op, module in _described().items():
        if op in reference.names():
            # Activations are the same functions in keras.activations and keras.ops.
            assert _meant(op) in (module, module.removeprefix("ops.")), op


def test_specs_and_reference_have_the_same_modules() -> None:
    described, meant = _modules(keras.__path__[0]), _modules(reference.__path__[0])
    assert {
        name for name in described if not name.endswith("excluded")
    } == meant - _SHARED - _NO_KERAS
