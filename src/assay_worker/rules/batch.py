"""Members of a batch give by themselves what they give in the batch."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import batch_of, given


def torch_members(function):
    import torch

    name = getattr(function, "__name__", type(function).__name__)
    pairs = ("Bilinear", "CosineSimilarity", "PairwiseDistance", "bilinear", "grid_sample",
             "pairwise_distance")  # fmt: skip
    matrices = name.startswith("linalg_") or hasattr(torch.linalg, name) or "_solve" in name
    # So many tensors are a batch: the first, the first two, or all.
    count = 9 if matrices else 2 if name in pairs else 1

    def second(*args, **kwargs):
        if not args:
            raise NotImplementedError("the batch has a name, and no place")
        batch = args[0].shape[0]

        def member(place, value, at):
            splits = isinstance(value, torch.Tensor) and place < count
            return value[at : at + 1] if splits else value

        alone = [
            function(*[member(i, value, at) for i, value in enumerate(args)], **kwargs)
            for at in range(batch)
        ]
        if isinstance(alone[0], (tuple, list)):
            return tuple(torch.cat(pieces) for pieces in zip(*alone))
        return torch.cat(alone)

    return second


def tensorflow_members(function):
    import tensorflow as tf

    # Of these every tensor is a batch; of others the first.
    several = "cross_entropy" in function.__name__ or any(
        function is getattr(tf.linalg, name) for name in dir(tf.linalg)
    )

    def second(*args, **kwargs):
        names = list(kwargs)
        given = list(args) + [kwargs[name] for name in names]
        tensors = [i for i, value in enumerate(given) if isinstance(value, tf.Tensor)]
        splits = tensors if several else tensors[:1]
        alone = []
        for at in range(given[splits[0]].shape[0]):
            own = [v[at : at + 1] if i in splits else v for i, v in enumerate(given)]
            alone.append(function(*own[: len(args)], **dict(zip(names, own[len(args) :]))))
        if isinstance(alone[0], (tuple, list)):
            return tuple(tf.concat(pieces, 0) for pieces in zip(*alone))
        return tf.concat(alone, 0)

    return second


def jax_members(function):
    import jax.numpy as jnp

    several = hasattr(jnp.linalg, function.__name__)

    def second(*args, **kwargs):
        alone = []
        for at in range(args[0].shape[0]):
            own = [x[at : at + 1] if several or i == 0 else x for i, x in enumerate(args)]
            alone.append(function(*own, **kwargs))
        if isinstance(alone[0], tuple):
            return tuple(jnp.concatenate(pieces) for pieces in zip(*alone))
        return jnp.concatenate(alone)

    return second


def keras_members(function):
    import keras

    def second(inputs, **kwargs):
        batch = inputs.shape[0]
        alone = [function(inputs[at : at + 1], **kwargs) for at in range(batch)]
        if isinstance(alone[0], (tuple, list)):
            return [keras.ops.concatenate(pieces) for pieces in zip(*alone)]
        return keras.ops.concatenate(alone)

    return second


class Batch(Rule):
    """One after the other, in batches of one."""

    name = "batch"
    eagle = 15
    says = "f of a batch ≡ f of its members, one by one"
    domain = (
        "layers and functions that document a batch as their first axis, unless they train; "
        "functions of matrices on stacks of them"
    )
    programs = {
        "torch": torch_members,
        "tensorflow": tensorflow_members,
        "jax": jax_members,
        "keras": keras_members,
    }
    #: Kernels for other sizes may multiply infinities by the zeros of a padding.
    special = False
    #: Layers of Keras that take a single example as well, and know it by its number of axes.
    takes_one = (
        "AutoContrast", "CategoryEncoding", "CenterCrop", "Equalization", "Resizing",
        "ContrastLimitedAdaptiveHistogramEqualization", "HashedCrossing", "Hashing",
        "MelSpectrogram", "STFTSpectrogram", "Solarization",
    )  # fmt: skip

    def applies(self, facts):
        """There must be two members, and nothing that makes one result of all."""
        if facts.library == "keras":
            shapes = [item["shape"] for item in facts.inputs]
            alone = len(shapes) == 1 and len(shapes[0]) > 1 and shapes[0][0] > 1
            space, _, own = facts.api.rpartition(".")
            told = given(facts, "axis", "axis")
            axes = told if isinstance(told, (list, tuple)) else [told]
            first = alone and any(axis in (0, -len(shapes[0])) for axis in axes)
            rows = space == "keras.layers" and own not in self.takes_one and not first
            return rows and alone and not given(facts, "stateful", "stateful")
        if batch_of(facts) < 2 or facts.has("out"):
            return False
        if facts.api.endswith((".instance_norm",)):
            return given(facts, "use_input_stats", 5) in (None, True)
        return not (facts.has("track_running_stats") or facts.has("running_mean"))


RULE = Batch()
