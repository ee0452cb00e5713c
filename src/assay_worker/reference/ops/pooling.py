"""Poolings of ``keras.ops``; what they mean is what the layers mean."""

from assay_worker.reference.layers import pooling
from assay_worker.reference.registry import reference


def _pooled(pool):
    def function(inputs, pool_size, strides=None, padding="valid", data_format=None):
        return pool(inputs, pool_size, strides, padding, data_format, rank=inputs.ndim - 2)

    return function


def _adaptive(pool):
    def function(inputs, output_size, data_format=None):
        return pool(inputs, output_size, data_format, rank=inputs.ndim - 2)

    return function


reference("keras.ops.max_pool")(_pooled(pooling._max_pool))
reference("keras.ops.average_pool")(_pooled(pooling._average_pool))
reference("keras.ops.adaptive_max_pool")(_adaptive(pooling._adaptive_max))
reference("keras.ops.adaptive_average_pool")(_adaptive(pooling._adaptive_average))
