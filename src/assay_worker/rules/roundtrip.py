"""What undoes a function gives back its argument."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def first_argument(function):
    def first(*args, **kwargs):
        return args[0] if args else next(iter(kwargs.values()))

    return first


def torch_undone(function):
    import torch

    def negative(value):
        return tuple(-v for v in value) if isinstance(value, (list, tuple)) else -value

    back = {
        "flip": lambda y, x, *rest, **named: torch.flip(y, *rest, **named),
        "fliplr": lambda y, x: torch.fliplr(y),
        "flipud": lambda y, x: torch.flipud(y),
        "roll": lambda y, x, shifts, *rest, **named: torch.roll(
            y, negative(shifts), *rest, **named
        ),
        "rot90": lambda y, x, k=1, *rest, **named: torch.rot90(y, -k, *rest, **named),
        "frexp": lambda y, x: torch.ldexp(*y),
        "unbind": lambda y, x, dim=0: torch.stack(y, dim),
        "chunk": lambda y, x, chunks, dim=0: torch.cat(y, dim),
        "split": lambda y, x, size, dim=0: torch.cat(y, dim),
        "tensor_split": lambda y, x, size, dim=0: torch.cat(y, dim),
        "pixel_shuffle": lambda y, x, factor: torch.pixel_unshuffle(y, factor),
        "pixel_unshuffle": lambda y, x, factor: torch.pixel_shuffle(y, factor),
        "channel_shuffle": lambda y, x, n: torch.channel_shuffle(y, x.shape[-3] // n),
        "view_as_real": lambda y, x: torch.view_as_complex(y),
        "view_as_complex": lambda y, x: torch.view_as_real(y),
        "transpose": lambda y, x, a, b: torch.transpose(y, a, b),
        "movedim": lambda y, x, a, b: torch.movedim(y, b, a),
        "moveaxis": lambda y, x, a, b: torch.moveaxis(y, b, a),
        "swapaxes": lambda y, x, a, b: torch.swapaxes(y, a, b),
        "fft_fft": lambda y, x, *rest, **named: torch.fft.ifft(y, *rest, **named),
        "fft_ifft": lambda y, x, *rest, **named: torch.fft.fft(y, *rest, **named),
        "fft_fftshift": lambda y, x, *rest, **named: torch.fft.ifftshift(y, *rest, **named),
        "fft_ifftshift": lambda y, x, *rest, **named: torch.fft.fftshift(y, *rest, **named),
    }[function.__name__]

    def second(*args, **kwargs):
        result = back(function(*args, **kwargs), *args, **kwargs)
        return result.to(args[0].dtype) if result.dtype.is_complex == args[0].is_complex() else (
            result.real.to(args[0].dtype))  # fmt: skip

    return second


def tensorflow_undone(function):
    import tensorflow as tf

    back = {
        tf.io.encode_png: lambda y, x: tf.io.decode_png(y, dtype=x.dtype),
        tf.io.serialize_tensor: lambda y, x: tf.io.parse_tensor(y, x.dtype),
        tf.signal.fft: lambda y, x: tf.signal.ifft(y),
        tf.signal.ifft: lambda y, x: tf.signal.fft(y),
        tf.signal.fft2d: lambda y, x: tf.signal.ifft2d(y),
        tf.signal.ifft2d: lambda y, x: tf.signal.fft2d(y),
        tf.signal.fft3d: lambda y, x: tf.signal.ifft3d(y),
        tf.signal.ifft3d: lambda y, x: tf.signal.fft3d(y),
        tf.signal.fftshift: lambda y, x, axes=None: tf.signal.ifftshift(y, axes),
        tf.signal.ifftshift: lambda y, x, axes=None: tf.signal.fftshift(y, axes),
        tf.image.flip_left_right: lambda y, x: tf.image.flip_left_right(y),
        tf.image.flip_up_down: lambda y, x: tf.image.flip_up_down(y),
        tf.image.transpose: lambda y, x: tf.image.transpose(y),
        tf.image.rot90: lambda y, x, k=1: tf.image.rot90(y, (4 - k) % 4),
        tf.image.rgb_to_yuv: lambda y, x: tf.image.yuv_to_rgb(y),
        tf.image.rgb_to_yiq: lambda y, x: tf.image.yiq_to_rgb(y),
        tf.unstack: lambda y, x, num=None, axis=0: tf.stack(y, axis),
        tf.split: lambda y, x, sizes, axis=0: tf.concat(y, axis),
        tf.reverse: lambda y, x, axis: tf.reverse(y, axis),
        tf.roll: lambda y, x, shift, axis: tf.roll(y, tf.negative(shift), axis),
        tf.nn.space_to_depth: lambda y, x, size: tf.nn.depth_to_space(y, size),
        tf.nn.depth_to_space: lambda y, x, size: tf.nn.space_to_depth(y, size),
        tf.linalg.matrix_transpose: lambda y, x: tf.linalg.matrix_transpose(y),
        tf.linalg.adjoint: lambda y, x: tf.linalg.adjoint(y),
        tf.math.invert_permutation: lambda y, x: tf.math.invert_permutation(y),
    }[function]

    def second(*args, **kwargs):
        named = {key: value for key, value in kwargs.items() if key != "name"}
        if not args:
            args = (named.pop(next(iter(named))),)
        result = back(function(*args, **named), *args, **named)
        # A single picture is decoded as one; a stack of them, and its shape, is lost.
        return tf.reshape(result, args[0].shape)

    return second


def jax_undone(function):
    import jax
    import jax.numpy as jnp

    def negative(value):
        return tuple(-v for v in value) if isinstance(value, tuple) else -value

    back = {
        "flip": lambda y, x, axis=None: jnp.flip(y, axis),
        "fliplr": lambda y, x: jnp.fliplr(y),
        "flipud": lambda y, x: jnp.flipud(y),
        "roll": lambda y, x, shift, axis=None: jnp.roll(y, negative(shift), axis),
        "rot90": lambda y, x, k=1, axes=(0, 1): jnp.rot90(y, -k, axes),
        "frexp": lambda y, x: jnp.ldexp(*y),
        "modf": lambda y, x: y[0] + y[1],
        "divmod": lambda y, x, other: y[0] * other + y[1],
        "unstack": lambda y, x, axis=0: jnp.stack(y, axis),
        "split": lambda y, x, sizes, axis=0: jnp.concatenate(y, axis),
        "array_split": lambda y, x, sizes, axis=0: jnp.concatenate(y, axis),
        "moveaxis": lambda y, x, source, destination: jnp.moveaxis(y, destination, source),
        "swapaxes": lambda y, x, axis1, axis2: jnp.swapaxes(y, axis1, axis2),
        "matrix_transpose": lambda y, x: jnp.matrix_transpose(y),
        "fft": lambda y, x, n=None, axis=-1, norm=None: jnp.fft.ifft(y, n, axis, norm),
        "ifft": lambda y, x, n=None, axis=-1, norm=None: jnp.fft.fft(y, n, axis, norm),
        "fftshift": lambda y, x, axes=None: jnp.fft.ifftshift(y, axes),
        "ifftshift": lambda y, x, axes=None: jnp.fft.fftshift(y, axes),
        "rev": lambda y, x, dimensions: jax.lax.rev(y, dimensions),
    }[function.__name__]

    def second(*args, **kwargs):
        result = back(function(*args, **kwargs), *args, **kwargs)
        real = not jnp.issubdtype(args[0].dtype, jnp.complexfloating)
        return (jnp.real(result) if real else result).astype(args[0].dtype)

    return second


class Roundtrip(Rule):
    """Lossless formats of files, permutations, transforms that have an inverse."""

    name = "roundtrip"
    eagle = 13
    says = "x ≡ the inverse of f, of f(x)"
    domain = "functions with an inverse in the same library; PNG of 8 and 16 bits"
    programs = {"torch": torch_undone, "tensorflow": tensorflow_undone, "jax": jax_undone}
    firsts = {"torch": first_argument, "tensorflow": first_argument, "jax": first_argument}
    #: A number that is infinite or huge is lost among others by a transform.
    special = False
    refusal = r"missing \d+ required|unexpected keyword|positional argument|" + Rule.refusal
    names = {
        "torch": tuple("torch." + name for name in (
            "flip", "fliplr", "flipud", "roll", "rot90", "frexp", "unbind", "chunk", "split",
            "tensor_split", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "view_as_real",
            "view_as_complex", "transpose", "movedim", "moveaxis", "swapaxes", "fft.fft",
            "fft.ifft", "fft.fftshift", "fft.ifftshift", "nn.functional.pixel_shuffle",
            "nn.functional.pixel_unshuffle", "nn.functional.channel_shuffle")),
        "tensorflow": tuple("tf." + name for name in (
            "io.encode_png", "io.serialize_tensor", "signal.fft", "signal.ifft", "signal.fft2d",
            "signal.ifft2d", "signal.fft3d", "signal.ifft3d", "signal.fftshift",
            "signal.ifftshift", "image.flip_left_right", "image.flip_up_down", "image.transpose",
            "image.rot90", "image.rgb_to_yuv", "image.rgb_to_yiq", "unstack", "split", "reverse",
            "roll", "nn.space_to_depth", "nn.depth_to_space", "linalg.matrix_transpose",
            "linalg.adjoint", "math.invert_permutation")),
        "jax": tuple("jax.numpy." + name for name in (
            "flip", "fliplr", "flipud", "roll", "rot90", "frexp", "modf", "divmod", "unstack",
            "split", "array_split", "moveaxis", "swapaxes", "matrix_transpose", "fft.fft",
            "fft.ifft", "fft.fftshift", "fft.ifftshift")) + ("jax.lax.rev",),
    }  # fmt: skip

    def applies(self, facts):
        """Of transforms, those of as many numbers as there are; of pictures, one."""
        if facts.api not in self.names.get(facts.library, ()) or not facts.inputs:
            return False
        if facts.has("out") or any(item["dtype"] == "bfloat16" for item in facts.inputs):
            return False
        own = facts.api.rpartition(".")[2]
        if "fft" in own and "shift" not in own:
            # What is no float comes back as one, and is cut off where it was rounded.
            whole = any(item["dtype"].startswith(("int", "uint", "bool")) for item in facts.inputs)
            return given(facts, "n", 1) is None and not whole
        if own == "tensor_split" and len(facts.inputs) > 1:
            return False  # at places in any order
        if own == "encode_png":
            return len(facts.inputs[0]["shape"]) == 3 and 0 not in facts.inputs[0]["shape"]
        # Numbers that are no multiples of each other are a quotient and a rest up to rounding.
        return own != "divmod" or not facts.floating


RULE = Roundtrip()
