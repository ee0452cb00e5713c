"""Inputs and outputs of a Keras model, as far as its configuration tells them."""

from typing import Any

from assay.ir.check import TensorSpec


def inputs_of(config: dict[str, Any]) -> tuple[TensorSpec, ...]:
    """The inputs of a functional or sequential model, of Keras 3 or 2."""
    layers = _layers(config)
    if not layers:
        return ()
    if config.get("class_name") == "Sequential":
        first = _settings(layers[0])
        spec = _spec(first, "")
        if layers[0].get("class_name") == "InputLayer":
            spec = _spec(first, str(first.get("name", "")))
        return () if spec is None else (spec,)
    names = _references(_settings(config).get("input_layers"))
    own = {str(item.get("name") or _settings(item).get("name")): item for item in layers}
    found = [
        _spec(_settings(own[name]), name)
        for name in names
        if name in own and own[name].get("class_name") == "InputLayer"
    ]
    specs = tuple(item for item in found if item is not None)
    return specs if len(specs) == len(names) else ()


def outputs_of(config: dict[str, Any]) -> tuple[str, ...]:
    """The names of its outputs: the layers that give them.

    Nothing where they are not that plain: the output of a nested model is called otherwise.
    """
    layers = _layers(config)
    if not layers:
        return ()
    names = _references(_settings(config).get("output_layers"))
    if config.get("class_name") == "Sequential":
        names = [str(_settings(layers[-1]).get("name", ""))]
    own = {str(item.get("name") or _settings(item).get("name")): item for item in layers}
    plain = all(name in own and not _layers(own[name]) for name in names)
    return tuple(names) if plain and len(set(names)) == len(names) else ()


def _layers(config: dict[str, Any]) -> list[dict[str, Any]]:
    body = config.get("config")
    layers = body.get("layers") if isinstance(body, dict) else body
    if not isinstance(layers, list):
        return []
    return [item for item in layers if isinstance(item, dict)]


def _settings(layer: dict[str, Any]) -> dict[str, Any]:
    settings = layer.get("config")
    return settings if isinstance(settings, dict) else {}


def _references(value: Any) -> list[str]:
    """Names of layers in [NAME, 0, 0], a list or a dict of such, in the order of Keras."""
    if isinstance(value, dict):
        return [name for key in sorted(value) for name in _references(value[key])]
    if isinstance(value, list):
        if len(value) >= 3 and isinstance(value[0], str) and isinstance(value[1], int):
            return [value[0]]
        return [name for item in value for name in _references(item)]
    return []


def _spec(settings: dict[str, Any], name: str) -> TensorSpec | None:
    shape = settings.get("batch_shape", settings.get("batch_input_shape"))
    dtype = settings.get("dtype", "float32")
    if isinstance(dtype, dict):  # the policy of a layer
        dtype = dtype.get("config", {}).get("name") if isinstance(dtype.get("config"), dict) else 0
    if not isinstance(shape, list) or not all(n is None or type(n) is int for n in shape):
        return None
    if not isinstance(dtype, str) or "mixed" in dtype:
        return None
    return TensorSpec(name, tuple(shape), dtype)
