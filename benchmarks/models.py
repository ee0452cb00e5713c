"""The ten-node cases that harness efficiency is measured on."""

import random

from assay.ir import Case, Dot, Graph, Input, Node, Uniform


def ten_node_case(seed: int) -> Case:
    """A small convolutional model with random parameters, all stages wanted."""
    draw = random.Random(seed)
    filters = [draw.choice((2, 3, 4)) for _ in range(2)]
    nodes = (
        Node(
            "n0",
            "keras.layers.Conv2D",
            ("x",),
            {"filters": filters[0], "kernel_size": 3, "padding": "same"},
        ),
        Node("n1", "keras.layers.BatchNormalization", ("n0",)),
        Node("n2", "keras.layers.ReLU", ("n1",), {"negative_slope": draw.choice((0.0, 0.1))}),
        Node("n3", "keras.layers.MaxPooling2D", ("n2",), {"pool_size": 2}),
        Node(
            "n4",
            "keras.layers.Conv2D",
            ("n3",),
            {"filters": filters[1], "kernel_size": draw.choice((1, 2, 3)), "padding": "same"},
        ),
        Node("n5", "keras.layers.LayerNormalization", ("n4",)),
        Node("n6", "keras.layers.Add", (("n5", "n4"),)),
        Node("n7", "keras.layers.Flatten", ("n6",)),
        Node(
            "n8",
            "keras.layers.Dense",
            ("n7",),
            {"units": draw.choice((3, 5)), "activation": "tanh"},
        ),
        Node("n9", "keras.layers.Dense", ("n8",), {"units": 4}),
    )
    graph = Graph((Input("x", (2, 7, 6, 3)),), nodes, ("n9",))
    return Case(
        graph,
        {"x": Uniform(seed)},
        weights=Uniform(seed + 1, -0.5, 0.5),
        loss=Dot((Uniform(seed + 2, 0.5, 1.5),)),
        stage="gradient",
    )
