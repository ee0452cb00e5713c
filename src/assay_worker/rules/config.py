"""A layer made anew of its configuration is the same layer."""

from assay_worker.rules._base import Rule


def kept(layer, result):
    """Its results, and a number for each argument of its constructor that it has as it was."""
    import inspect
    import zlib

    import numpy as np

    def plain(value):
        several = isinstance(value, (tuple, list))
        return all(map(plain, value)) if several else isinstance(value, (bool, int, float, str))

    numbers = []
    for name in sorted(inspect.signature(type(layer).__init__).parameters):
        value = getattr(layer, name, None)
        # The name is given by whoever makes a layer.
        if plain(value) and name not in ("name", "self"):
            numbers.append(zlib.crc32(repr(value).encode()) % 2**20)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    return results + [np.array(numbers, "int32")]


def as_it_is(function):
    def first(*args, **kwargs):
        return kept(function, function(*args, **kwargs))

    return first


def made_anew(function):
    def second(*args, **kwargs):
        twin = type(function).from_config(function.get_config())
        twin(*args, **kwargs)
        # Random ones and those that count their calls have their weights before the call.
        twin.set_weights(function.get_weights())
        return kept(twin, twin(*args, **kwargs))

    return second


class Config(Rule):
    """Its results, and every plain argument of its constructor."""

    name = "config"
    says = "layer ≡ from_config(get_config())"
    domain = "layers of Keras that remember nothing between calls"
    programs = {"keras": made_anew}
    firsts = {"keras": as_it_is}
    helpers = (kept,)

    def applies(self, facts):
        """Layers."""
        return facts.api.startswith("keras.layers.") and "'stateful': True" not in str(facts.params)


RULE = Config()
