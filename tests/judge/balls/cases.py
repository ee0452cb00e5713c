"""Calls whose enclosures are compared with the float64 reference."""

from typing import Any

import numpy as np

from assay.judge.balls import formulas
from assay.judge.balls.registry import NoFormula, formula_of

#: Parameters of those that need some, and of others a second time.
_PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "spherical_jn": [{"n": 0}],
    "clip": [{"x_min": -1.0, "x_max": 0.7}],
    "threshold": [{"threshold": 0.5, "default_value": -1.0}],
    "Rescaling": [{"scale": 0.1, "offset": 0.3}, {"scale": -2.0}],
    "GaussianNoise": [{"stddev": 0.5}],
    "round": [{}, {"decimals": 2}, {"decimals": -1}],
    "gelu": [{"approximate": False}, {"approximate": True}],
    "elu": [{}, {"alpha": 0.5}],
    "celu": [{}, {"alpha": 2.0}],
    "ELU": [{}, {"alpha": 0.0}],
    "leaky_relu": [{}, {"negative_slope": 0.0}],
    "relu": [{}],
    "ReLU": [{}, {"max_value": 1.0, "negative_slope": 0.5, "threshold": 0.5}],
    "squareplus": [{}, {"b": 0.25}],
    "hard_shrink": [{}, {"threshold": 1.0}],
    "soft_shrink": [{}, {"threshold": 0.0}],
    "nan_to_num": [{}, {"nan": 1.5, "posinf": 3.0, "neginf": -3.0}],
    "Activation": [{"activation": "mish"}, {"activation": {"$op": "keras.activations.tanh"}}],
}


def elementwise(arguments: int) -> list[tuple[str, dict[str, Any]]]:
    """Every elementwise formula of so many arrays, with parameters."""
    found = []
    for op in formulas():
        name = op.rpartition(".")[2]
        default = {"rate": 0.5} if name.endswith("Dropout") else {}
        for params in _PARAMETERS.get(name, [default]):
            try:
                formula, _ = formula_of(op, params, arguments)
            except NoFormula:
                continue
            if formula.elementwise:
                found.append((op, params))
    return found


def draws(seed: int) -> Any:
    """float32 numbers: ordinary ones, of every size, and those where something happens."""
    random = np.random.default_rng(seed)
    wide = np.exp(random.uniform(-85.0, 85.0, 40)) * random.choice([-1.0, 1.0], 40)
    special = [
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 6.0, 1.5, 2.5, -2.5, np.inf,
        -np.inf, np.nan, 1e-40, -1e-40, 3.4e38, -3.4e38, 1e-7, 88.7, -103.0, 1e-20, 20.0, -20.0,
    ]  # fmt: skip
    parts = (random.normal(size=40) * 2, random.uniform(-1, 1, 40), wide, special)
    return np.concatenate(parts).astype("float32")


#: op, inputs (a shape, a list of them for one argument that is a list, or explicit numbers),
#: parameters, weights by shape.
WHOLE: list[tuple[str, list[Any], dict[str, Any], dict[str, Any]]] = [
    *(
        (f"keras.ops.{name}", [shape], {"axis": axis, "keepdims": keep}, {})
        for name in ("sum", "mean", "var", "std", "logsumexp", "amax", "amin", "max", "min")
        for shape, axis, keep in (
            ((7,), None, False), ((3, 4, 5), (0, 2), True), ((2, 6), -1, False),
        )
    ),
    ("keras.ops.prod", [(3, 4, 5)], {"axis": (0, 2)}, {}),
    ("keras.ops.ptp", [(3, 5)], {"axis": 1}, {}),
    ("keras.ops.max", [(3, 5)], {"axis": 1, "initial": 0.5}, {}),
    ("keras.ops.median", [(3, 6)], {"axis": 1}, {}),
    ("keras.ops.median", [(3, 5)], {"axis": None, "keepdims": True}, {}),
    ("keras.ops.average", [(3, 5)], {"axis": 1}, {}),
    ("keras.ops.average", [(3, 5)], {"axis": 1, "weights": np.array([1.0, 2, 0.5, 3, 1])}, {}),
    ("keras.ops.moments", [(3, 5, 2)], {"axes": (0, 1)}, {}),
    *(
        ("keras.ops.norm", [shape], {"ord": order, "axis": axis}, {})
        for shape, order, axis in (
            ((5,), None, None), ((5,), 1, None), ((5,), np.inf, None), ((5,), -np.inf, None),
            ((5,), 3, None), ((5,), 0, None), ((3, 4), None, None), ((3, 4), "fro", None),
            ((3, 4), 1, None), ((3, 4), np.inf, None), ((3, 4), -1, None), ((2, 3, 4), 2, 1),
            ((2, 3, 4), 1, (2, 0)), ((2, 3, 4), np.inf, (2, 0)), ((2, 3, 4), "fro", (1, 2)),
        )
    ),
    ("keras.ops.norm", [(2, 3, 4)], {"ord": 1, "axis": (1, 2), "keepdims": True}, {}),
    ("keras.ops.normalize", [(3, 4)], {}, {}),
    ("keras.ops.normalize", [(3, 4)], {"axis": 0, "order": 3}, {}),
    ("keras.layers.UnitNormalization", [(3, 4)], {"axis": -1}, {}),
    *(
        (op, [(2, 3, 4)], {"axis": axis}, {})
        for op in (
            "keras.ops.softmax", "keras.activations.softmax", "keras.ops.log_softmax",
            "keras.activations.log_softmax", "keras.layers.Softmax", "keras.ops.nn.softmax",
            "keras.ops.nn.log_softmax",
        )
        for axis in (-1, (0, 2))
    ),
    ("keras.ops.glu", [(3, 4)], {}, {}),
    ("keras.activations.glu", [(4, 3)], {"axis": 0}, {}),
    ("keras.ops.sparsemax", [(3, 5)], {}, {}),
    ("keras.activations.sparsemax", [(4, 3)], {"axis": 0}, {}),
    ("keras.ops.cumsum", [(3, 5)], {"axis": 1}, {}),
    ("keras.ops.cumsum", [(3, 5)], {}, {}),
    ("keras.ops.cumprod", [(3, 5)], {"axis": 0, "dtype": "float32"}, {}),
    ("keras.ops.diff", [(3, 5)], {"n": 2}, {}),
    ("keras.ops.diff", [(3, 5)], {"axis": 0}, {}),
    ("keras.ops.trapezoid", [(3, 5)], {"dx": 0.1}, {}),
    ("keras.ops.trapezoid", [(3, 5)], {"axis": 0, "x": np.array([0.0, 0.5, 2.0])}, {}),
    ("keras.ops.dot", [(5,), (5,)], {}, {}),
    ("keras.ops.dot", [(2, 3, 4), (5, 4, 6)], {}, {}),
    ("keras.ops.dot", [(3,), ()], {}, {}),
    ("keras.ops.inner", [(2, 4), (3, 4)], {}, {}),
    ("keras.ops.vdot", [(2, 3), (2, 3)], {}, {}),
    ("keras.ops.outer", [(3,), (4,)], {}, {}),
    ("keras.ops.matmul", [(2, 3, 4), (4, 5)], {}, {}),
    ("keras.ops.matmul", [(4,), (2, 4, 5)], {}, {}),
    ("keras.ops.matmul", [(3, 4), (4,)], {}, {}),
    ("keras.ops.tensordot", [(2, 3, 4), (4, 3, 2)], {"axes": [[1, 2], [1, 0]]}, {}),
    ("keras.ops.kron", [(2, 2), (3, 1)], {}, {}),
    ("keras.ops.einsum", [(2, 3), (3, 4)], {"subscripts": "ij,jk->ki"}, {}),
    ("keras.ops.trace", [(3, 4)], {"offset": 1}, {}),
    ("keras.ops.cdist", [(3, 4), (2, 4)], {}, {}),
    *(
        ("keras.ops.conv", [(2, 7, 6, 4), (3, 2, 2, 6)], {"padding": padding, **rest}, {})
        for padding in ("valid", "same")
        for rest in ({}, {"strides": 2}, {"dilation_rate": (1, 2)}, {"strides": (1, 3)})
    ),
    ("keras.ops.conv", [(2, 3, 8), (2, 3, 5)], {"data_format": "channels_first"}, {}),
    ("keras.ops.depthwise_conv", [(2, 7, 6, 3), (3, 2, 3, 2)], {"padding": "same"}, {}),
    ("keras.ops.depthwise_conv", [(1, 7, 3), (3, 3, 1)], {"strides": 2}, {}),
    ("keras.ops.separable_conv", [(1, 5, 6, 2), (3, 2, 2, 2), (1, 1, 4, 3)], {}, {}),
    ("keras.layers.Dense", [(2, 4)], {"units": 3}, {"kernel": (4, 3), "bias": (3,)}),
    (
        "keras.layers.Conv1D",
        [(2, 6, 2)],
        {"filters": 3, "kernel_size": 2, "padding": "causal", "dilation_rate": 2},
        {"kernel": (2, 2, 3), "bias": (3,)},
    ),
    (
        "keras.layers.Conv2D",
        [(1, 5, 6, 2)],
        {"filters": 4, "kernel_size": (2, 3), "groups": 2, "use_bias": False},
        {"kernel": (2, 3, 1, 4)},
    ),
    (
        "keras.layers.Conv3D",
        [(1, 3, 4, 3, 2)],
        {"filters": 1, "kernel_size": 2, "padding": "same"},
        {"kernel": (2, 2, 2, 2, 1), "bias": (1,)},
    ),
    *(
        (f"keras.ops.{name}", [(2, 7, 5, 2)], {"pool_size": 3, **rest}, {})
        for name in ("max_pool", "average_pool")
        for rest in ({}, {"padding": "same", "strides": 2}, {"strides": (1, 2)})
    ),
    ("keras.layers.MaxPooling1D", [(2, 7, 2)], {"pool_size": 2, "padding": "same"}, {}),
    ("keras.layers.AveragePooling3D", [(1, 4, 5, 3, 2)], {"pool_size": 2}, {}),
    ("keras.layers.GlobalAveragePooling2D", [(2, 3, 4, 2)], {"keepdims": True}, {}),
    ("keras.layers.GlobalAveragePooling1D", [(2, 3, 4)], {"data_format": "channels_first"}, {}),
    ("keras.layers.GlobalMaxPooling2D", [(2, 3, 4, 2)], {}, {}),
    ("keras.ops.layer_normalization", [(2, 3, 4)], {"axis": (1, 2)}, {}),
    ("keras.ops.layer_normalization", [(2, 3), (3,), (3,)], {"epsilon": 1e-3}, {}),
    ("keras.layers.LayerNormalization", [(2, 3)], {}, {"gamma": (3,), "beta": (3,)}),
    ("keras.ops.rms_normalization", [(2, 3), (3,)], {}, {}),
    ("keras.layers.RMSNormalization", [(2, 3)], {}, {"scale": (3,)}),
    ("keras.ops.batch_normalization", [(2, 3), (3,), np.array([0.5, 1, 2])], {"axis": -1}, {}),
    (
        "keras.layers.BatchNormalization",
        [(2, 3, 4)],
        {"axis": 1},
        {
            "gamma": (3,),
            "beta": (3,),
            "moving_mean": (3,),
            "moving_variance": np.array([0.5, 1.0, 2.0]),
        },
    ),
    ("keras.layers.GroupNormalization", [(2, 3, 4)], {"groups": 2}, {"gamma": (4,), "beta": (4,)}),
    ("keras.layers.PReLU", [(2, 3, 4)], {"shared_axes": (1,)}, {"alpha": (1, 4)}),
    ("keras.ops.dot_product_attention", [(1, 3, 2, 4)] * 3, {}, {}),
    ("keras.ops.dot_product_attention", [(1, 3, 2, 4)] * 3, {"is_causal": True, "scale": 0.3}, {}),
    *(
        (f"keras.layers.{name}", [[(2, 3), (2, 3), (2, 3)]], {}, {})
        for name in ("Add", "Multiply", "Average", "Maximum", "Minimum")
    ),
    ("keras.layers.Subtract", [[(2, 3), (2, 3)]], {}, {}),
    ("keras.ops.det", [(2, 3, 3)], {}, {}),
    ("keras.ops.logdet", [np.array([[2.0, 0.5], [0.25, 1.0]])], {}, {}),
    ("keras.ops.inv", [np.array([[2.0, 0.5], [0.25, 1.0]])], {}, {}),
    ("keras.ops.solve", [(3, 3), (3, 2)], {}, {}),
    ("keras.ops.solve", [(3, 3), (3,)], {}, {}),
    ("keras.ops.solve_triangular", [(3, 3), (3, 2)], {"lower": True}, {}),
    *(
        (f"keras.losses.{name}", [(3, 4), (3, 4)], rest, {})
        for name in (
            "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError",
            "MeanSquaredLogarithmicError", "LogCosh", "Huber", "CosineSimilarity", "Hinge",
            "SquaredHinge", "CategoricalHinge", "KLDivergence",
        )
        for rest in ({}, {"reduction": "none"}, {"reduction": "sum"})
    ),
    ("keras.losses.mean_squared_error", [(3, 4), (3, 4)], {}, {}),
    ("keras.losses.mean_absolute_error", [(3, 4), (3, 4)], {}, {}),
    ("keras.losses.Huber", [(3, 4), (3, 4)], {"delta": 0.3}, {}),
    ("keras.losses.Hinge", [np.array([[0.0, 1, 1]]), (1, 3)], {}, {}),
    (
        "keras.losses.MeanSquaredError",
        [(3, 4), (3, 4)],
        {"sample_weight": np.array([1.0, 0.5, 2.0])},
        {},
    ),
    ("keras.losses.Poisson", [(3, 4), "probabilities"], {}, {}),
    *(
        (op, ["probabilities", output], {"from_logits": output != "probabilities"}, {})
        for op in (
            "keras.ops.binary_crossentropy", "keras.losses.BinaryCrossentropy",
            "keras.ops.categorical_crossentropy", "keras.losses.CategoricalCrossentropy",
        )
        for output in ("probabilities", (3, 4))
    ),
    (
        "keras.losses.CategoricalCrossentropy",
        ["probabilities", (3, 4)],
        {"from_logits": True, "label_smoothing": 0.1, "reduction": None},
        {},
    ),
    (
        "keras.losses.BinaryCrossentropy",
        ["probabilities", (3, 4)],
        {"from_logits": True, "label_smoothing": 0.1},
        {},
    ),
    *(
        (op, [np.array([0, 3, 1]), output], {"from_logits": output != "probabilities"}, {})
        for op in (
            "keras.ops.sparse_categorical_crossentropy",
            "keras.losses.SparseCategoricalCrossentropy",
        )
        for output in ("probabilities", (3, 4))
    ),
    *(
        (f"keras.losses.{name}", ["probabilities", output], params, {})
        for name, output, params in (
            ("BinaryFocalCrossentropy", "probabilities", {}),
            ("BinaryFocalCrossentropy", (3, 4), {"from_logits": True, "gamma": 1.5}),
            (
                "BinaryFocalCrossentropy",
                (3, 4),
                {"from_logits": True, "apply_class_balancing": True},
            ),
            ("CategoricalFocalCrossentropy", "probabilities", {"label_smoothing": 0.1}),
            ("CategoricalFocalCrossentropy", (3, 4), {"from_logits": True, "gamma": 1.5}),
            (
                "CategoricalFocalCrossentropy",
                (3, 4),
                {"from_logits": True, "alpha": [0.1, 0.2, 0.3, 0.4]},
            ),
            ("Dice", "probabilities", {}),
            ("Dice", "probabilities", {"axis": 1, "reduction": "none"}),
            ("Tversky", "probabilities", {"alpha": 0.3}),
        )
    ),
    (
        "keras.losses.CategoricalGeneralizedCrossEntropy",
        [np.array([0, 3, 1]), "probabilities"],
        {"q": 0.3},
        {},
    ),
]  # fmt: skip


def drawn(given: Any, random: np.random.Generator) -> Any:
    """The arrays of an entry of the table, in float32."""
    if isinstance(given, list):
        return [drawn(item, random) for item in given]
    if isinstance(given, np.ndarray):
        return given if given.dtype.kind == "i" else given.astype("float32")
    if given == "probabilities":
        return random.uniform(0.05, 0.9, (3, 4)).astype("float32")
    return (random.normal(size=given) * 2).astype("float32")
