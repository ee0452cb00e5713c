"""Keras files (.keras, .h5) read as data: JSON and arrays, no deserialisation.

What could run code when Keras loads it is refused here, before any library sees
the file: Lambda layers, layers that load other programs, functions and classes
from outside Keras.
"""

import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from assay.models._base import ModelError, ModelFile
from assay.models.keras_inputs import inputs_of, outputs_of

#: Layers that run code or load programs when deserialised, and what they would do.
_RUNS_CODE = {
    "Lambda": "which would run code from the file",
    "__lambda__": "which would run code from the file",
    "TFSMLayer": "which would load a program from another file",
    "TorchModuleWrapper": "which would unpickle code",
    "JaxLayer": "which would run code",
    "FlaxLayer": "which would run code",
}
#: Modules whose objects compute and nothing else. ``keras.utils`` is not among them:
#: functions such as get_file have effects.
_MODULES = (
    "keras",
    "keras.activations",
    "keras.constraints",
    "keras.initializers",
    "keras.layers",
    "keras.models",
    "keras.ops",
    "keras.quantizers",
    "keras.regularizers",
)
_OLD_MODULES = ("tensorflow.keras", "tf_keras", "keras_tensor")
_LIMIT = 256 << 20
#: So many custom objects are named.
_LISTED = 4


def inspect_archive(path: str, trust: bool) -> ModelFile:
    """The model of a .keras archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "config.json" not in names:
                raise ModelError(
                    f"{path} is a zip archive, but no Keras model: it has no config.json."
                )
            if not any(name.endswith(".h5") for name in names):
                raise ModelError(f"{path} has no weights.")
            if archive.getinfo("config.json").file_size > _LIMIT:
                raise ModelError(f"{path}: config.json is larger than {_LIMIT >> 20} MB.")
            config = _json(path, archive.read("config.json"))
            damaged = archive.testzip()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ModelError(
            f"{path} is damaged or cut off ({error}). Save or copy it again."
        ) from None
    if damaged:
        raise ModelError(
            f"{path} is damaged: {damaged} does not match its checksum. Copy it again."
        )
    return _checked(path, config, trust)


def inspect_hdf5(path: str, trust: bool, architecture: str = "") -> ModelFile:
    """The model of an HDF5 file, of Keras 3 or older."""
    try:
        import h5py
    except ModuleNotFoundError:
        raise ModelError(f"reading {path} needs h5py. pip install h5py") from None
    try:
        with h5py.File(path, "r") as file:
            stored = file.attrs.get("model_config")
            weights_only = stored is None and ("layer_names" in file.attrs or "layers" in file)
    except (OSError, RuntimeError) as error:
        reason = str(error).split("(", 1)[-1].rstrip(")")
        raise ModelError(
            f"{path} is damaged or cut off ({reason}). Save or copy it again."
        ) from None
    if stored is None:
        if weights_only and architecture:
            checked = _checked(path, _json("the architecture", architecture), trust)
            return msgspec.structs.replace(checked, architecture=architecture)
        if weights_only:
            raise ModelError(
                f"{path} has weights only, no architecture. "
                "Add --architecture FILE with the JSON of model.to_json()."
            )
        raise ModelError(f"{path} is an HDF5 file, but no Keras model: it has no model_config.")
    return _checked(path, _json(path, stored), trust)


def _json(path: str, text: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: its configuration is not JSON ({error}).") from None
    if not isinstance(value, dict) or "class_name" not in value:
        raise ModelError(f"{path}: its configuration describes no Keras model.")
    return value


def _checked(path: str, config: dict[str, Any], trust: bool) -> ModelFile:
    try:
        custom = tuple(dict.fromkeys(_custom(config)))
        if not trust:
            _refuse_code(path, config, custom)
    except RecursionError:
        raise ModelError(f"{path}: its configuration is nested too deeply.") from None
    return ModelFile(
        path,
        "keras",
        _ids(config),
        trust=trust,
        inputs=inputs_of(config),
        outputs=outputs_of(config),
        custom=custom,
    )


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every serialised object in a configuration, without what is only used in training."""
    if isinstance(value, list):
        for item in value:
            yield from _objects(item)
    elif isinstance(value, dict):
        if "class_name" in value:
            yield value
        for key, item in value.items():
            if key != "compile_config":
                yield from _objects(item)


def _refuse_code(path: str, config: dict[str, Any], custom: tuple[str, ...]) -> None:
    for item in _objects(config):
        kind = str(item["class_name"])
        if kind in _RUNS_CODE:
            what = "a Lambda" if "ambda" in kind else f"a {kind}"
            raise ModelError(
                f"{path} contains {what} layer, {_RUNS_CODE[kind]}. If you trust it, add --trust."
            )
    if custom:
        raise ModelError(
            f"{path} contains {listing(custom)}, which is code outside of Keras. If you trust it: "
            f"put its definition into a file and add --prelude FILE --trust."
        )


def listing(custom: Sequence[str]) -> str:
    """Custom objects as they are told: MyLayer of mypackage."""
    told = []
    for item in custom:
        place, _, name = item.rpartition(">")
        told.append(f"{name} of {place}" if place else name)
    return ", ".join(told[:_LISTED]) + (", …" if len(told) > _LISTED else "")


def _custom(config: dict[str, Any]) -> Iterator[str]:
    """Registered names (PLACE>NAME, or NAME) of what is not Keras' own."""
    for item in _objects(config):
        module, name = item.get("module"), str(item["class_name"])
        if name == "function" and isinstance(item.get("config"), str):
            name = item["config"]
        registered = item.get("registered_name")
        if isinstance(registered, str) and ">" in registered:
            if not registered.startswith(("keras>", "Keras>")):
                yield registered
        elif module is not None and not _known(str(module)):
            yield f"{module}>{name}"
        elif module is None and isinstance(registered, str):
            # Keras' own objects have a module; what was defined in a script has none.
            yield registered


def _known(module: str) -> bool:
    if module.startswith(("keras.src.", "keras.engine.", "keras.layers.")):
        # Internal paths of Keras' own classes; functions with effects are in none of these.
        return not module.startswith(("keras.src.utils", "keras.src.saving", "keras.src.legacy"))
    return module in _MODULES or module.startswith(_OLD_MODULES)


def _ids(config: dict[str, Any]) -> dict[str, int]:
    """Inputs that go straight into an embedding, and how many ids it knows."""
    body = config.get("config", {})
    layers = body.get("layers", []) if isinstance(body, dict) else body
    found: dict[str, int] = {}
    previous = ""
    for layer in layers if isinstance(layers, list) else []:
        settings = layer.get("config", {}) if isinstance(layer, dict) else {}
        if not isinstance(settings, dict):
            continue
        name = str(layer.get("name") or settings.get("name", ""))
        if layer.get("class_name") == "Embedding" and isinstance(settings.get("input_dim"), int):
            for source in _inbound(layer.get("inbound_nodes")) or {previous}:
                found[source] = min(settings["input_dim"], found.get(source, 1 << 62))
        previous = name
    return found


def _inbound(nodes: Any) -> set[str]:
    """Names of layers that a layer reads, in the formats of Keras 2 and 3."""
    found: set[str] = set()
    if isinstance(nodes, list):
        if len(nodes) >= 3 and isinstance(nodes[0], str) and isinstance(nodes[1], int):
            return {nodes[0]}
        for item in nodes:
            found |= _inbound(item)
    elif isinstance(nodes, dict):
        if nodes.get("class_name") == "__keras_tensor__":
            return _inbound(nodes.get("config", {}).get("keras_history"))
        for item in nodes.values():
            found |= _inbound(item)
    return found
