"""Custom layers of a Keras model: what the user's prelude defines."""

import inspect
import sys


def custom_objects(keras, registered):
    """What a prelude defines of the custom objects of a model, by all names they may have.

    ``registered`` are the names in the file (PLACE>NAME, or NAME). The prelude need not
    decorate them with ``register_keras_serializable``.
    """
    prelude = vars(sys.modules["prelude"]) if "prelude" in sys.modules else {}
    # Old files do not say what is custom: all classes, but none in place of Keras' own.
    found = {
        name: value
        for name, value in prelude.items()
        if inspect.isclass(value)
        and value.__module__ == "prelude"
        and not hasattr(keras.layers, name)
    }
    for full in registered:
        name = full.rpartition(">")[2]
        if name in prelude:
            found[full] = found[name] = prelude[name]
    return found
