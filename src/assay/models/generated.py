"""Instances drawn by seed, for a model that is checked without data."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.ir import Array, Integers, Uniform, derive, range_of_instance
from assay.ir.check import TensorSpec
from assay.models._base import Batch, Dataset, batch_size

#: Sizes for free axes of generated inputs, by rank.
_FREE_SIZE = {2: 16, 3: 16, 4: 64}


def generated(
    inputs: Sequence[TensorSpec], ids: Mapping[str, int], instances: int, seed: int
) -> Dataset:
    """Instances drawn by seed for a model's inputs, each a function of its index."""
    shapes = [_concrete(item) for item in inputs]
    size = _batch_size([_bytes(s, i.dtype) for s, i in zip(shapes, inputs, strict=True)], inputs)

    def draw(place: int, index: int) -> Array:
        spec, shape = inputs[place], shapes[place]
        seeded = derive(seed, "instance", index, place)
        if spec.name in ids or np.dtype(spec.dtype).kind in "iu":
            recipe = Integers(seeded, 0, ids.get(spec.name, 10) - 1)
            return recipe.materialise(shape, "int64").astype(spec.dtype)
        if np.dtype(spec.dtype).kind == "b":
            return Integers(seeded, 0, 1).materialise(shape, "int64").astype(bool)
        low, high = range_of_instance(seeded) if len(spec.shape) == 4 else (-1.0, 1.0)
        return Uniform(seeded, low, high).materialise(shape, spec.dtype)

    def batches() -> Iterator[Batch]:
        for start in range(0, instances, size):
            count = min(size, instances - start)
            arrays = tuple(
                np.stack([draw(place, start + offset) for offset in range(count)])
                if spec.shape and spec.shape[0] is None
                else draw(place, start)
                for place, spec in enumerate(inputs)
            )
            yield Batch(start, count, arrays)

    return Dataset(instances, batches, generated=True)


def _concrete(spec: TensorSpec) -> tuple[int, ...]:
    """The shape of one instance; whole arrays where the first axis is no batch."""
    shape = spec.shape[1:] if spec.shape and spec.shape[0] is None else spec.shape
    free = _FREE_SIZE.get(len(spec.shape), 8)
    return tuple(free if size is None else size for size in shape)


def _bytes(shape: Sequence[int], dtype: str) -> int:
    return int(np.prod(shape, dtype="int64")) * np.dtype(dtype).itemsize


def _batch_size(sizes: Sequence[int], inputs: Sequence[TensorSpec]) -> int:
    if any(not item.shape or item.shape[0] is not None for item in inputs):
        return 1  # an axis of the batch is missing somewhere: one call per instance
    return batch_size(sizes)
