"""Optimizers: the value of a variable after one step with a gradient."""

from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.keras._common import flag
from assay.ops.shapes import same_shape, unchanged

#: Large enough that a wrong step is seen beside the value.
_RATE = parameter("learning_rate", 0.1, (0.1, 0.5, 1.0), (0.0, 1e-3, 2.0), ("fast",))
_BETA_1 = parameter("beta_1", 0.9, (0.9, 0.5), (0.0, 0.99), ("slow",))
_BETA_2 = parameter("beta_2", 0.999, (0.999, 0.9), (0.0, 0.5), ("slow",))
_EPSILON = parameter("epsilon", 1e-7, (1e-7, 1e-3), (1e-10, 0.1), ("small",))
_RHO = parameter("rho", 0.9, (0.9, 0.95), (0.0, 0.5), ("slow",))
_ACCUMULATOR = parameter("initial_accumulator_value", 0.1, (0.1, 1.0), (0.0,), ("full",))
_MOMENTUM = parameter("momentum", 0.0, (0.0, 0.9), (1.0, 0.5), ("fast", -0.5, 1.5))
_STRENGTH: dict[str, Any] = {"valid": (0.0, 0.1), "boundary": (1.0,), "invalid": ("strong",)}


_CLIPPINGS = ("clipnorm", "clipvalue", "global_clipnorm")


def _clip(name: str) -> Parameter:
    """At most one of the three may be given."""

    def make(value: float) -> Choice:
        def draw(context: Context) -> float:
            if any(context.params.get(key) is not None for key in _CLIPPINGS):
                raise Invalid("one clipping is enough")
            return value

        return Choice(repr(value), make=draw)

    return parameter(name, None, (make(0.5), None), (make(1.0), make(1e-3)), ("short",))


def _common(decay: float | None = None) -> tuple[Parameter, ...]:
    return (
        parameter("weight_decay", decay, (0.1, decay), (0.0, 1.0), ("strong",)),
        _clip("clipnorm"),
        _clip("clipvalue"),
        _clip("global_clipnorm"),
        parameter("loss_scale_factor", None, (None,), (2.0, 1024.0), ("large",)),
        parameter("gradient_accumulation_steps", None, (None,), (2,), (1, "two")),
        flag("use_ema", False),
    )


def _rule(params: Params, shapes: Shapes) -> Shapes:
    given = [name for name in _CLIPPINGS if params.get(name) is not None]
    if len(given) > 1:
        raise Invalid(f"only one of {given}")
    if not all(shapes[0]):
        raise Invalid("no variable is empty")
    return unchanged(params, shapes)


def _optimizer(name: str, *parameters: Parameter, rate: bool = True) -> OpSpec:
    return OpSpec(
        name=f"keras.optimizers.{name}",
        rule=_rule,
        tensors=(
            Tensor(ranks=(1, 2, 3), domain=_VALUE),
            Tensor(ranks=(1, 2, 3)),
        ),
        parameters=(_RATE, *parameters) if rate else parameters,
        companions=same_shape,
        differentiable=False,
        impossible=("batch_0",),
    )


#: Of a trained variable; gradients may be anything.
_VALUE = Domain(-2.0, 2.0, classes=("zero", "negative_zero", "one", "tied", "tiny", "large_mean"))


def _nested(name: str, **params: object) -> dict[str, object]:
    return {"$op": f"keras.optimizers.{name}", "params": params}


_INNER = (
    Choice("SGD", _nested("SGD", learning_rate=0.5)),
    Choice("Adam", _nested("Adam", learning_rate=0.5)),
)
_MAPS = tuple(
    Choice(item.label, _nested("OptimizerMap", default_optimizer=item.value)) for item in _INNER
)

SPECS = (
    _optimizer("SGD", _MOMENTUM, flag("nesterov", False), *_common()),
    _optimizer(
        "RMSprop",
        _RHO,
        parameter("momentum", 0.0, (0.0, 0.9), (0.5,), ("fast",)),
        _EPSILON,
        flag("centered", False),
        *_common(),
    ),
    _optimizer("Adagrad", _ACCUMULATOR, _EPSILON, *_common()),
    _optimizer("Adadelta", _RHO, _EPSILON, *_common()),
    _optimizer("Adam", _BETA_1, _BETA_2, _EPSILON, flag("amsgrad", False), *_common()),
    _optimizer("AdamW", _BETA_1, _BETA_2, _EPSILON, flag("amsgrad", False), *_common(0.004)),
    _optimizer("Adamax", _BETA_1, _BETA_2, _EPSILON, *_common()),
    _optimizer("Nadam", _BETA_1, _BETA_2, _EPSILON, *_common()),
    _optimizer("Lion", parameter("beta_1", 0.9, (0.9, 0.5), (0.99,), (0.0, 1.5)), *_common()),
    _optimizer("Lamb", _BETA_1, _BETA_2, _EPSILON, *_common()),
    _optimizer(
        "ScheduleFreeAdamW",
        _BETA_1,
        _BETA_2,
        _EPSILON,
        parameter("warmup_steps", 0, (0, 10), (1,), ("few",)),
        *_common(),
    ),
    _optimizer(
        "Adafactor",
        parameter("beta_2_decay", -0.8, (-0.8, -0.5), (0.0,), ("slow",)),
        parameter("epsilon_1", 1e-30, (1e-30, 1e-3), (0.1,), ("small",)),
        parameter("epsilon_2", 1e-3, (1e-3, 0.1), (1.0,), ("small",)),
        parameter("clip_threshold", 1.0, (1.0, 0.5), (10.0,), ("high",)),
        flag("relative_step", True),
        *_common(),
    ),
    _optimizer(
        "Ftrl",
        parameter("learning_rate_power", -0.5, (-0.5, -1.0), (0.0,), (0.5,)),
        _ACCUMULATOR,
        parameter("l1_regularization_strength", 0.0, **_STRENGTH),
        parameter("l2_regularization_strength", 0.0, **_STRENGTH),
        parameter("l2_shrinkage_regularization_strength", 0.0, **_STRENGTH),
        parameter("beta", 0.0, (0.0, 0.5), (1.0,), ("more",)),
        *_common(),
    ),
    _optimizer(
        "Muon",
        parameter("momentum", 0.95, (0.95, 0.5), (0.0,), ("fast",)),
        parameter("ns_steps", 5, (5, 3), (1,), ("many",)),
        flag("nesterov", True),
        parameter("rms_rate", 0.2, (0.2, None), (1.0,), ("high",)),
        _EPSILON,
        parameter("weight_decay", 0.004, (0.1, None), (0.0,), ("strong",)),
        parameter("adam_weight_decay", 0.004, (0.1, None), (0.0,), ("strong",)),
        _clip("clipnorm"),
        _clip("clipvalue"),
    ),
    _optimizer(
        "LossScaleOptimizer",
        parameter("inner_optimizer", valid=_INNER, invalid=("no_such_optimizer", None)),
        parameter("initial_scale", 32768.0, (32768.0, 2.0), (1.0, 0.5), ("large",)),
        parameter("dynamic_growth_steps", 2000, (2000, 2), (1,), ("soon",)),
        rate=False,
    ),
    _optimizer(
        "MultiOptimizer",
        parameter("optimizer_map", valid=_MAPS, invalid=("no_such_optimizer", None)),
        rate=False,
    ),
)
