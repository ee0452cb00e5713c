"""TensorFlow's harvest: public functions and raw operators."""

import importlib

from assay_worker.catalogue import tensorflow_names, tensorflow_public, tensorflow_raw
from assay_worker.catalogue._base import Harvest, Sample
from assay_worker.catalogue.wanted import built

RAW = "tf.raw_ops."


class TensorFlowHarvest(Harvest):
    """See ``Harvest``."""

    def __init__(self, adapter):
        super(TensorFlowHarvest, self).__init__(adapter)
        self.tensorflow = importlib.import_module("tensorflow")
        self.functions = tensorflow_names.functions(self.tensorflow)
        self.raw = tensorflow_raw.RawOps(self.tensorflow, adapter.resolve)

    def names(self):
        """See ``Harvest``."""
        return sorted(self.functions) + [RAW + name for name in self.raw.names()]

    def guesses(self, name):
        """See ``Harvest``."""
        if name.startswith(RAW):
            found = self.raw.guesses(name[len(RAW) :])
        else:
            found = tensorflow_public.guesses(name, self.functions[name])
        return [self._sample(name, args, kwargs) for args, kwargs in found]

    def _sample(self, name, args, kwargs):
        counted = []

        def tensor(wanted):
            counted.append(wanted)
            dtype = self.tensorflow.dtypes.as_dtype(wanted.dtype or "float32")
            array = wanted.array(dtype.as_numpy_dtype, len(counted))
            return self.tensorflow.constant(array, dtype)

        resolve = self.adapter.resolve
        return Sample(name, built(args, tensor, resolve), built(kwargs, tensor, resolve))
