"""Cases for the reference, as plain data that adapters take directly."""

from typing import Any

#: Seeds differ per input so that no two tensors of a case are equal.
_SEED = 1000


def case(
    op: str,
    shape: Any,
    params: dict[str, Any] | None = None,
    *,
    stage: str = "forward",
    training: bool = False,
    values: Any = None,
    low: float = -2.0,
    high: float = 2.0,
    dtype: str = "float32",
    as_list: bool = False,
    arguments: dict[str, Any] | None = None,
    loss: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """One op on inputs of the given shape (a list of shapes for several inputs).

    ``values`` (one list per input) replaces random numbers.
    """
    shapes = shape if isinstance(shape, list) else [shape]
    names = [f"x{i}" for i in range(len(shapes))]
    integers = dtype not in ("float16", "float32", "float64")
    recipes = {}
    for index, name in enumerate(names):
        seed = _SEED + index
        if values is not None:
            recipes[name] = {"kind": "explicit", "array": values[index]}
        elif integers:
            recipes[name] = {"kind": "integers", "seed": seed, "low": 0, "high": 5}
        else:
            recipes[name] = {"kind": "uniform", "seed": seed, "low": low, "high": high}
    upstream = {"kind": "uniform", "seed": 7, "low": -1.0, "high": 1.0}
    needs_loss = stage in ("loss", "gradient")
    return {
        "graph": {
            "inputs": [
                {"name": n, "shape": list(s), "dtype": dtype}
                for n, s in zip(names, shapes, strict=True)
            ],
            "nodes": [
                {
                    "id": "n",
                    "op": op,
                    "inputs": [names] if as_list else names,
                    "params": params or {},
                    "arguments": arguments or {},
                }
            ],
            "outputs": ["n"],
        },
        "inputs": recipes,
        "weights": {"kind": "uniform", "seed": 3, "low": -0.5, "high": 0.5},
        "explicit_weights": {},
        "loss": (loss or {"kind": "dot", "upstream": [upstream]}) if needs_loss else None,
        "training": training,
        "stage": stage,
    }


def chain() -> dict[str, Any]:
    """Several layers with weights, small enough for gradients."""
    result = case("keras.layers.Dense", (2, 3), {"units": 4}, stage="gradient", training=True)
    nodes = result["graph"]["nodes"]
    for name, op, params in (
        ("b", "keras.layers.BatchNormalization", {}),
        ("a", "keras.layers.Activation", {"activation": "tanh"}),
        ("d", "keras.layers.Dense", {"units": 2, "use_bias": False}),
    ):
        inputs = [nodes[-1]["id"]]
        nodes.append({"id": name, "op": op, "inputs": inputs, "params": params, "arguments": {}})
    result["graph"]["outputs"] = ["d"]
    return result
