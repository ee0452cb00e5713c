"""The small ONNX classifier and the images that README.md and docs/check.md check.

``python tools/digits.py [-o FOLDER]`` writes ``digits.onnx``, a network of eleven nodes with drawn
weights, and ``digits.npz``, 64 blurred spots.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

_NORMALISATIONS = {"norm_1": 8, "norm_2": 16}


def model(generator: np.random.Generator) -> Any:
    """The network."""

    def drawn(name: str, *shape: int, spread: float) -> Any:
        values = generator.normal(size=shape) * spread
        return numpy_helper.from_array(values.astype("float32"), name)

    weights = [
        drawn("w1", 8, 1, 3, 3, spread=0.5),
        drawn("b1", 8, spread=0.1),
        drawn("w2", 16, 8, 3, 3, spread=0.2),
        drawn("b2", 16, spread=0.1),
        drawn("wd", 10, 16, spread=1.5),
        drawn("bd", 10, spread=0.1),
    ]
    for name, channels in _NORMALISATIONS.items():
        weights += [
            numpy_helper.from_array(np.ones(channels, "float32"), f"{name}.scale"),
            drawn(f"{name}.bias", channels, spread=0.3),
            drawn(f"{name}.mean", channels, spread=0.3),
            numpy_helper.from_array(
                generator.uniform(0.5, 2, channels).astype("float32"), f"{name}.variance"
            ),
        ]

    def block(number: int, source: str) -> list[Any]:
        norm = f"norm_{number}"
        parts = [f"{norm}.{part}" for part in ("scale", "bias", "mean", "variance")]
        return [
            helper.make_node(
                "Conv",
                [source, f"w{number}", f"b{number}"],
                [f"c{number}"],
                name=f"conv_{number}",
                kernel_shape=[3, 3],
                pads=[1] * 4,
            ),
            helper.make_node("BatchNormalization", [f"c{number}", *parts], [norm], name=norm),
            helper.make_node("Relu", [norm], [f"e{number}"], name=f"relu_{number}"),
        ]

    node = helper.make_node
    nodes = [
        *block(1, "image"),
        node("MaxPool", ["e1"], ["f1"], name="pool_1", kernel_shape=[2, 2], strides=[2, 2]),
        *block(2, "f1"),
        node("GlobalAveragePool", ["e2"], ["g"], name="pool_2"),
        node("Flatten", ["g"], ["h"], name="flatten"),
        node("Gemm", ["h", "wd", "bd"], ["l"], name="dense", transB=1),
        node("Softmax", ["l"], ["scores"], name="softmax", axis=1),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 1, 28, 28])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 10])
    graph = helper.make_graph(nodes, "digits", [image], [scores], weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)])
    made.ir_version = 6
    return made


def images(generator: np.random.Generator) -> np.ndarray:
    """Spots of different places and sizes, with a little noise."""
    y, x = np.mgrid[0:28, 0:28]
    spots = []
    for _ in range(64):
        across, down = generator.uniform(6, 22), generator.uniform(6, 22)
        size = generator.uniform(10, 80)
        spot = np.exp(-((x - across) ** 2 + (y - down) ** 2) / size)
        spots.append(spot + 0.1 * generator.random((28, 28)))
    return np.stack(spots)[:, None].astype("float32")


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default=".", metavar="FOLDER")
    folder = Path(parser.parse_args().output)
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(3)
    save(model(generator), str(folder / "digits.onnx"))
    np.savez(folder / "digits.npz", x=images(generator))


if __name__ == "__main__":
    main()
