"""Optimizers: a variable after one step with a gradient, from fresh state.

Written from the papers the documentation names, for the first step: moments
start at zero, the step count is one.
"""

import inspect

import numpy as np

from assay_worker.reference.registry import Undocumented, reference

#: Every optimizer has these beside its own.
_COMMON = (
    ("learning_rate", 0.001),
    ("weight_decay", None),
    ("clipnorm", None),
    ("clipvalue", None),
    ("global_clipnorm", None),
    ("use_ema", False),
    ("ema_momentum", 0.99),
    ("ema_overwrite_frequency", None),
    ("loss_scale_factor", None),
    ("gradient_accumulation_steps", None),
)


def _clipped(g, clipnorm, clipvalue, global_clipnorm):
    """The gradient within its limits; of one variable the global norm is its own."""
    if [clipnorm, clipvalue, global_clipnorm].count(None) < 2:
        raise ValueError("expected one of clipnorm, clipvalue and global_clipnorm")
    norm = global_clipnorm if clipnorm is None else clipnorm
    if clipvalue is not None:
        return np.clip(g, -clipvalue, clipvalue)
    if norm is None:
        return g
    if not np.isfinite(g).all() and global_clipnorm is not None:
        # tf.clip_by_global_norm: "the entries are all set to NaN to signal that an error occurred".
        return np.full_like(g, np.nan)
    if not np.isfinite(g).all():
        raise Undocumented("a gradient that is not finite has no norm to clip to")
    length = np.sqrt(np.sum(g * g))
    return g * norm / length if length > norm else g


def _optimizer(name, **defaults):
    """Register a step ``function(x, g, learning_rate, ...)`` with what all optimizers share."""

    def register(function):
        own = list(inspect.signature(function).parameters.values())[3:]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        described = [inspect.Parameter(item, kind) for item in ("x", "g")]
        described += own
        described += [
            inspect.Parameter(item, kind, default=defaults.get(item, value))
            for item, value in _COMMON
            if item not in [parameter.name for parameter in own]
        ]
        own_names = [parameter.name for parameter in own]

        def step(x, g, **values):
            if isinstance(x, (list, tuple)):
                return several(x, g, values)
            if values["use_ema"] and values["ema_overwrite_frequency"] is not None:
                raise Undocumented("where the first moving average starts is not documented")
            accumulate = values["gradient_accumulation_steps"]
            if accumulate is not None:
                if not isinstance(accumulate, int) or accumulate < 2:
                    raise ValueError("expected at least two steps; received %r" % (accumulate,))
                return x  # the first of several steps only gathers
            if values["loss_scale_factor"]:
                g = g / values["loss_scale_factor"]
            g = _clipped(g, values["clipnorm"], values["clipvalue"], values["global_clipnorm"])
            rate = values["learning_rate"]
            if values["weight_decay"] is not None and "weight_decay" not in own_names:
                x = x - rate * values["weight_decay"] * x  # decoupled (Loshchilov, Hutter, 2019)
            return function(x, g, rate, **{key: values[key] for key in own_names})

        def several(variables, gradients, values):
            """Variables step each for itself, but for the norm of all gradients together."""
            limit = values["global_clipnorm"]
            if limit is not None:
                values = dict(values, global_clipnorm=None)
                together = np.concatenate([np.ravel(g) for g in gradients])
                _clipped(together, values["clipnorm"], values["clipvalue"], limit)
                length = np.sqrt(np.sum(together * together))
                gradients = [g * limit / length if length > limit else g for g in gradients]
            return tuple(step(x, g, **values) for x, g in zip(variables, gradients))

        step.__signature__ = inspect.Signature(described)
        reference("keras.optimizers." + name)(step)
        return function

    return register


@_optimizer("SGD", learning_rate=0.01)
def sgd(x, g, rate, momentum=0.0, nesterov=False):
    """x + velocity; velocity = -rate * g on the first step."""
    if not 0.0 <= momentum <= 1.0:
        raise ValueError("expected momentum from 0 to 1; received %r" % (momentum,))
    velocity = -rate * g
    return x + momentum * velocity + velocity if nesterov and momentum else x + velocity


@_optimizer("RMSprop")
def rmsprop(x, g, rate, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False):
    """The gradient by the root of its mean square."""
    square = (1.0 - rho) * g * g
    if centered:
        if rho == 0.0:
            # What remains of the square is rounding, of which each takes the root.
            raise Undocumented("the variance of a single gradient is zero, up to rounding")
        square = square - ((1.0 - rho) * g) ** 2
    return x - rate * g / np.sqrt(square + epsilon)


@_optimizer("Adagrad")
def adagrad(x, g, rate, initial_accumulator_value=0.1, epsilon=1e-7):
    """The gradient by the root of all squares so far."""
    return x - rate * g / np.sqrt(initial_accumulator_value + g * g + epsilon)


@_optimizer("Adadelta")
def adadelta(x, g, rate, rho=0.95, epsilon=1e-7):
    """The gradient times the root of earlier steps by the root of gradients."""
    return x - rate * np.sqrt(epsilon) / np.sqrt((1.0 - rho) * g * g + epsilon) * g


def _moments(g, beta_1, beta_2):
    return (1.0 - beta_1) * g, (1.0 - beta_2) * g * g


@_optimizer("Adam")
@_optimizer("AdamW", weight_decay=0.004)
def adam(x, g, rate, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False):
    """With "epsilon hat": rate corrected for both biases. AMSGrad differs later."""
    first, second = _moments(g, beta_1, beta_2)
    rate = rate * np.sqrt(1.0 - beta_2) / (1.0 - beta_1)
    return x - rate * first / (np.sqrt(second) + epsilon)


@_optimizer("Adamax")
def adamax(x, g, rate, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """By the infinity norm."""
    return x - rate * g / (np.abs(g) + epsilon)


@_optimizer("Nadam")
def nadam(x, g, rate, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """Adam that looks ahead, momentum by the schedule beta_1 * (1 - 0.5 * 0.96 ** t)."""
    now, following = [beta_1 * (1.0 - 0.5 * 0.96**step) for step in (1, 2)]
    first, second = _moments(g, beta_1, beta_2)
    ahead = following * first / (1.0 - now * following) + (1.0 - now) * g / (1.0 - now)
    return x - rate * ahead / (np.sqrt(second / (1.0 - beta_2)) + epsilon)


@_optimizer("Lion")
def lion(x, g, rate, beta_1=0.9, beta_2=0.99):
    """By the sign of the interpolated momentum."""
    if not 0.0 < beta_1 <= 1.0:
        raise ValueError("expected beta_1 above 0 and up to 1; received %r" % (beta_1,))
    return x - rate * np.sign((1.0 - beta_1) * g)


@_optimizer("Lamb")
def lamb(x, g, rate, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """Adam's direction, scaled by norm of the weights / norm of the direction."""
    direction = g / (np.abs(g) + epsilon)
    length, norm = np.sqrt(np.sum(x * x)), np.sqrt(np.sum(direction * direction))
    trust = length / norm if length > 0 and norm > 0 else 1.0
    return x - trust * rate * direction


@_optimizer("ScheduleFreeAdamW", learning_rate=0.0025)
def schedule_free_adamw(x, g, rate, beta_1=0.9, beta_2=0.999, epsilon=1e-8, warmup_steps=0):
    """On the first step average, iterate and the point between them are one."""
    if warmup_steps:
        rate = rate * min(1.0, 1.0 / warmup_steps)
    return x - rate * g / (np.abs(g) + epsilon)


def _rms(x):
    return np.sqrt(np.mean(x * x))


@_optimizer("Adafactor")
def adafactor(
    x,
    g,
    rate,
    beta_2_decay=-0.8,
    epsilon_1=1e-30,
    epsilon_2=0.001,
    clip_threshold=1.0,
    relative_step=True,
):
    """Shazeer and Stern, 2018: the second moment of a matrix from its rows and columns."""
    if relative_step:
        rate = min(rate, 1.0)  # 1 / sqrt(step)
    square = g * g + epsilon_1
    if x.ndim > 1:
        rows, columns = square.mean(axis=-1), square.mean(axis=-2)
        rows = rows / rows.mean(axis=-1, keepdims=True)
        square = rows[..., None] * columns[..., None, :]
    update = g / np.sqrt(square)
    update = update / max(1.0, _rms(update) / clip_threshold)
    return x - rate * max(epsilon_2, _rms(x)) * update


@_optimizer("Ftrl")
def ftrl(
    x,
    g,
    rate,
    learning_rate_power=-0.5,
    initial_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    l2_shrinkage_regularization_strength=0.0,
    beta=0.0,
):
    """McMahan et al., 2013, as documented."""
    if learning_rate_power > 0 or initial_accumulator_value < 0:
        raise ValueError("expected a power of at most 0 and an accumulator of at least 0")
    if not rate:
        raise Undocumented("the formula divides by the learning rate")
    if l2_shrinkage_regularization_strength:
        raise Undocumented("the formula of the shrunk gradient is not documented")
    before = initial_accumulator_value
    after = before + g * g
    power = -learning_rate_power
    z = g - (after**power - before**power) / rate * x
    strength = l1_regularization_strength
    divisor = (beta + after**power) / rate + l2_regularization_strength
    return np.where(np.abs(z) < strength, 0.0, (np.sign(z) * strength - z) / divisor)


@_optimizer("Muon")
def muon(
    x,
    g,
    rate,
    momentum=0.95,
    ns_steps=5,
    nesterov=True,
    rms_rate=0.2,
    epsilon=1e-7,
    weight_decay=0.004,
    adam_weight_decay=0.004,
    adam_beta_1=0.9,
    adam_beta_2=0.999,
    adam_lr_ratio=1,
    muon_a=3.4445,
    muon_b=-4.775,
    muon_c=2.0315,
):
    """Momentum made orthogonal by Newton-Schulz steps; AdamW for all but matrices."""
    if x.ndim != 2:
        rate = rate * adam_lr_ratio
        x = x - rate * (adam_weight_decay or 0.0) * x
        return adam(x, g, rate, adam_beta_1, adam_beta_2, epsilon)
    x = x - rate * (weight_decay or 0.0) * x
    # On the first step the momentum is a multiple of the gradient, whose length does not matter.
    update = _orthogonal(g, ns_steps, muon_a, muon_b, muon_c)
    if rms_rate is not None:
        update = update * rms_rate * np.sqrt(max(x.shape))
    return x - rate * update


def _orthogonal(g, steps, a, b, c):
    """Newton-Schulz: towards the nearest matrix with orthogonal rows (or columns)."""
    x = g / (np.sqrt(np.sum(g * g)) + 1e-7)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    for _ in range(steps):
        product = x @ x.T
        x = a * x + (b * product + c * product @ product) @ x
    return x.T if tall else x


def _nested(inner, x, g):
    return inner.run((x, g), {}, {}, True)[0]


@reference("keras.optimizers.LossScaleOptimizer")
def loss_scale_optimizer(x, g, inner_optimizer, initial_scale=32768.0, dynamic_growth_steps=2000):
    """The inner step with the gradient by the scale; none if the gradient is not finite."""
    if not hasattr(inner_optimizer, "run"):
        raise ValueError("expected an optimizer; received %r" % (inner_optimizer,))
    if not np.isfinite(g).all():
        return x
    return _nested(inner_optimizer, x, g / initial_scale)


@reference("keras.optimizers.OptimizerMap")
def optimizer_map(x, g, default_optimizer, optimizer_map=None):
    """The default optimizer's step: no other is mapped to a variable without a name."""
    return _nested(default_optimizer, x, g)


@reference("keras.optimizers.MultiOptimizer")
def multi_optimizer(x, g, optimizer_map, loss_scale_factor=None):
    """The step of the variable's optimizer."""
    if not hasattr(optimizer_map, "run"):
        raise ValueError("expected an optimizer map; received %r" % (optimizer_map,))
    return _nested(optimizer_map, x, g)
