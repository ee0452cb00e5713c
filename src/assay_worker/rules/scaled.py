"""A picture of bytes gives what it gives as numbers between 0 and 1, made bytes again."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import words


def of_bytes(function):
    import tensorflow as tf

    def first(image, *args, **kwargs):
        picture = tf.cast(tf.math.floormod(image * 255, 256), tf.uint8)
        return function(picture, *args, **kwargs)

    return first


def of_fractions(function):
    import tensorflow as tf

    def second(image, *args, **kwargs):
        picture = tf.cast(tf.math.floormod(image * 255, 256), tf.uint8)
        fractions = tf.image.convert_image_dtype(picture, tf.float32)
        result = function(fractions, *args, **kwargs)
        return tf.image.convert_image_dtype(result, tf.uint8, saturate=True)

    return second


class Scaled(Rule):
    """As libraries document that pictures may be given."""

    name = "scaled"
    eagle = 9
    says = "image of 0 … 255 ≡ image of 0 … 1"
    domain = "functions of tf.image that move pixels, or document both kinds of pictures; floats"
    programs = {"tensorflow": of_fractions}
    firsts = {"tensorflow": of_bytes}
    special = False
    raising = False
    names = words(
        """
    flip_left_right flip_up_down transpose rot90 central_crop crop_to_bounding_box
    pad_to_bounding_box resize_with_crop_or_pad extract_patches grayscale_to_rgb
    adjust_brightness adjust_contrast adjust_saturation adjust_hue rgb_to_grayscale
    """
    )

    def applies(self, facts):
        """One picture, or a stack of them, as the first argument."""
        space, _, own = facts.api.rpartition(".")
        pictures = len(facts.inputs) == 1 and "0" in facts.arguments and facts.floating
        return space == "tf.image" and own in self.names and pictures


RULE = Scaled()
