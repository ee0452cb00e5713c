"""What was padded, cut to where it was, is as it was."""

from assay_worker.rules._base import Rule


def first_argument(function):
    def first(*args, **kwargs):
        return args[0] if args else next(iter(kwargs.values()))

    return first


def torch_cut(function):
    def second(input, *args, **kwargs):
        pad = args[0] if args else kwargs["pad"]
        result = function(input, *args, **kwargs)
        for place in range(0, len(pad), 2):
            axis = input.dim() - 1 - place // 2
            # What a negative number has cut off is gone.
            if pad[place] < 0 or pad[place + 1] < 0:
                raise NotImplementedError("it cuts")
            result = result.narrow(axis, pad[place], input.shape[axis])
        return result

    return second


def tensorflow_cut(function):
    import inspect

    import tensorflow as tf

    def second(*args, **kwargs):
        call = inspect.signature(function).bind(*args, **kwargs).arguments
        result = function(*args, **kwargs)
        if "offset_height" in call:
            size = call["image"].shape[-3:-1]
            own = (call["offset_height"], call["offset_width"], size[0], size[1])
            return tf.image.crop_to_bounding_box(result, *own)
        tensor = call["tensor"]
        before = [pair[0] for pair in call["paddings"]]
        return tf.slice(result, before, tensor.shape)

    return second


def jax_cut(function):
    import numpy as np

    def second(array, *args, **kwargs):
        if function.__module__.startswith("jax._src.lax"):
            config = args[1] if len(args) > 1 else kwargs["padding_config"]
            if any(low < 0 or high < 0 for low, high, _ in config):
                raise NotImplementedError("it cuts")
            ends = [(low, size, inside + 1) for (low, _, inside), size in zip(config, array.shape)]
            result = function(array, *args, **kwargs)
        else:
            width = args[0] if args else kwargs["pad_width"]
            pairs = np.broadcast_to(np.asarray(width), (array.ndim, 2))
            ends = [(int(low), size, 1) for (low, _), size in zip(pairs, array.shape)]
            result = function(array, *args, **kwargs)
        places = [
            slice(low, low + max(size * step - step + 1, 0), step) for low, size, step in ends
        ]
        return result[tuple(places)]

    return second


class Unpad(Rule):
    """Whatever the padding is made of."""

    name = "unpad"
    eagle = 14
    says = "x ≡ the inner part of x, padded"
    domain = "functions that pad by given numbers"
    programs = {"torch": torch_cut, "tensorflow": tensorflow_cut, "jax": jax_cut}
    firsts = {"torch": first_argument, "tensorflow": first_argument, "jax": first_argument}
    exact = True
    names = (
        "torch.nn.functional.pad", "torch.constant_pad_nd", "tf.pad",
        "tf.image.pad_to_bounding_box", "jax.numpy.pad", "jax.lax.pad",
    )  # fmt: skip

    def applies(self, facts):
        """See ``names``; NumPy's modes that smooth leave the inner part, too."""
        names = ("pad", "pad_width", "paddings", "padding_config", "1", "2")
        told = any(isinstance(facts.arguments.get(name), (list, tuple, int)) for name in names)
        boxed = facts.api == "tf.image.pad_to_bounding_box"
        return facts.api in self.names and (told or boxed)


RULE = Unpad()
