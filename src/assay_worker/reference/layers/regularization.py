"""Regularization layers: all of them hand their input on when not training."""

from assay_worker.reference.registry import Unsupported, reference


def _need_inference(call):
    if call.training:
        raise Unsupported("the reference does not know what a random layer draws")


@reference(
    "keras.layers.Dropout",
    "keras.layers.AlphaDropout",
    "keras.layers.GaussianDropout",
    "keras.layers.SpatialDropout1D",
    "keras.layers.SpatialDropout2D",
    "keras.layers.SpatialDropout3D",
)
def dropout(call, x, rate, seed=None, noise_shape=None):
    """x, when not training."""
    if not isinstance(rate, (int, float)) or not 0 <= rate <= 1:
        raise ValueError("expected a rate from 0 to 1; received %r" % (rate,))
    _need_inference(call)
    return x


@reference("keras.layers.GaussianNoise")
def gaussian_noise(call, x, stddev, seed=None):
    """x, when not training."""
    if not isinstance(stddev, (int, float)) or stddev < 0:
        raise ValueError("expected stddev >= 0; received %r" % (stddev,))
    _need_inference(call)
    return x


@reference("keras.layers.ActivityRegularization")
def activity_regularization(x, l1=0.0, l2=0.0):
    """x; the penalty is added to the loss of a model."""
    return x
