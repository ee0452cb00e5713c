"""Objects that went through their configuration or a file must compute the same.

Where all backends share the code that forgets a parameter, voting is blind;
only a round trip shows it.
"""

import copy
import os
import tempfile


def rebuilt(adapter, program, how):
    """A program whose objects are new, or None if the graph has none that can be rebuilt."""
    if how == "config":
        return _from_config(adapter, program)
    return _from_file(adapter, program)


def _has_config(value):
    return hasattr(value, "get_config") and hasattr(type(value), "from_config")


def _from_config(adapter, program):
    """Every object made again from ``get_config()``; weights are assigned as before."""
    again = copy.copy(program)
    again.steps = []
    made = 0
    for step in program.steps:
        new = copy.copy(step)
        # Metrics and optimizers are called through a wrapper.
        original = getattr(step.function, "object", step.function)
        if _has_config(original):
            new.function = adapter.callable(type(original).from_config(original.get_config()))
            new.weights = None
            made += 1
        again.steps.append(new)
    if _has_config(program.loss):
        again.loss = type(program.loss).from_config(program.loss.get_config())
        made += 1
    return again if made else None


def _from_file(adapter, program):
    """A model of the only layer, saved and loaded; its weights are those of the file."""
    keras = adapter.keras
    steps = program.steps
    if len(steps) != 1 or not isinstance(steps[0].function, keras.layers.Layer):
        return None
    (step,) = steps
    # A file holds configuration and weights; the states of stateful layers are neither.
    if step.node["arguments"] or getattr(step.function, "stateful", False):
        return None
    inputs = {
        item["name"]: keras.Input(batch_shape=tuple(item["shape"]), dtype=item["dtype"])
        for item in program.question.graph["inputs"]
    }
    positional, _ = step.arguments(inputs)
    model = keras.Model(list(inputs.values()), step.function(*positional))
    step.assign()  # a layer that trains has changed them
    handle, path = tempfile.mkstemp(suffix=".keras")
    os.close(handle)
    try:
        model.save(path)
        loaded = keras.saving.load_model(path, compile=False)
    finally:
        os.remove(path)
    names = list(inputs)

    def run(arrays, record):
        tensors = [adapter.engine.tensor(arrays[name]) for name in names]
        # Said only where it was said before: some layers train unless told otherwise.
        result = loaded(tensors, **step.keywords)
        outputs = result if isinstance(result, (list, tuple)) else [result]
        for place, output in enumerate(outputs):
            name = step.id if place == 0 else "%s:%d" % (step.id, place)
            record["output:" + name] = adapter.engine.numpy(output)

    return run
