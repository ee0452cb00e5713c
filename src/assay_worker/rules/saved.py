"""What was saved and loaded gives what it gave before."""

from assay_worker.rules._base import Rule


def torch_loaded(function):
    import io

    import torch

    def copied(value):
        file = io.BytesIO()
        torch.save(value, file)
        file.seek(0)
        return torch.load(file, weights_only=False)

    def second(*args, **kwargs):
        call = copied(function) if isinstance(function, torch.nn.Module) else function
        return call(*copied(args), **copied(kwargs))

    return second


def tensorflow_loaded(function):
    import shutil
    import tempfile

    import tensorflow as tf

    made = []

    def second(*args, **kwargs):
        given = list(args) + list(kwargs.values())
        places = [i for i, value in enumerate(given) if tf.is_tensor(value)]
        tensors = [given[place] for place in places]

        def again(*tensors):
            mine = list(given)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            return function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))

        if not made:
            module = tf.Module()
            specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
            module.call = tf.function(again, input_signature=specs)
            folder = tempfile.mkdtemp()
            try:
                tf.saved_model.save(module, folder)
                made.append(tf.saved_model.load(folder))
            finally:
                shutil.rmtree(folder)
        return made[0].call(*tensors)

    return second


def jax_loaded(function):
    import jax
    from jax import export

    made = []

    def second(*args, **kwargs):
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]
        tensors = [leaves[place] for place in places]

        def again(*tensors):
            mine = list(leaves)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            own, named = jax.tree_util.tree_unflatten(tree, mine)
            return function(*own, **named)

        if not made:
            exported = export.export(jax.jit(again))(*tensors)
            made.append(export.deserialize(exported.serialize()))
        return made[0].call(*tensors)

    return second


def keras_loaded(function):
    import os
    import shutil
    import tempfile

    import keras

    made = []

    def second(inputs):
        if not made:
            example = keras.Input(batch_shape=inputs.shape, dtype=inputs.dtype)
            model = keras.Model(example, function(example))
            folder = tempfile.mkdtemp()
            path = os.path.join(folder, "model.keras")
            try:
                model.save(path)
                made.append(keras.saving.load_model(path, compile=False))
            finally:
                shutil.rmtree(folder)
        return made[0](inputs)

    return second


class Saved(Rule):
    """PyTorch: tensors and modules as files; elsewhere the call itself."""

    name = "saved"
    eagle = 16
    says = "f ≡ f saved and loaded (torch.save, SavedModel, jax.export, .keras)"
    domain = (
        "calls with tensors, where the shape of the result does not depend on their values; layers "
        "of Keras with one input"
    )
    programs = {
        "torch": torch_loaded,
        "tensorflow": tensorflow_loaded,
        "jax": jax_loaded,
        "keras": keras_loaded,
    }
    raising = False
    compiles = True

    def applies(self, facts):
        """Something must be passed in; states of layers are in no file."""
        if facts.library != "keras":
            return bool(facts.inputs)
        alone = len(facts.inputs) == 1 and not facts.arguments
        return (
            facts.api.startswith("keras.layers.") and alone and "stateful" not in str(facts.params)
        )


RULE = Saved()
