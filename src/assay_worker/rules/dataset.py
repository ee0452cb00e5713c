"""What a pipeline of data hands on gives what it gives directly."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import batch_of


def loaded(function):
    import torch

    name = getattr(function, "__name__", type(function).__name__)
    pairs = ("Bilinear", "CosineSimilarity", "PairwiseDistance", "bilinear", "grid_sample",
             "pairwise_distance")  # fmt: skip
    matrices = name.startswith("linalg_") or hasattr(torch.linalg, name) or "_solve" in name
    # So many tensors are a batch: the first, the first two, or all.
    count = 9 if matrices else 2 if name in pairs else 1

    def second(*args, **kwargs):
        places = [i for i, value in enumerate(args) if isinstance(value, torch.Tensor)]
        places = places[:count]
        data = torch.utils.data.TensorDataset(*[args[place] for place in places])
        results = []
        for members in torch.utils.data.DataLoader(data, batch_size=2):
            own = list(args)
            for place, tensor in zip(places, members):
                own[place] = tensor
            results.append(function(*own, **kwargs))
        if isinstance(results[0], (tuple, list)):
            return tuple(torch.cat(pieces) for pieces in zip(*results))
        return torch.cat(results)

    return second


def mapped_over(function):
    import tensorflow as tf

    def second(*args, **kwargs):
        given = list(args) + list(kwargs.values())
        places = [i for i, value in enumerate(given) if isinstance(value, tf.Tensor)]

        def one(*tensors):
            mine = list(given)
            for place, tensor in zip(places, tensors):
                mine[place] = tensor
            return function(*mine[: len(args)], **dict(zip(kwargs, mine[len(args) :])))

        data = tf.data.Dataset.from_tensors(tuple(given[place] for place in places))
        return next(iter(data.map(one)))

    return second


class Dataset(Rule):
    """Two members of the batch at a time, or the call inside of the pipeline."""

    name = "dataset"
    eagle = 11
    says = "f(x) ≡ f through torch's DataLoader or inside of tf.data"
    domain = (
        "torch: layers and functions that document a batch; TensorFlow: calls with tensors, where "
        "the shape of the result does not depend on their values"
    )
    programs = {"torch": loaded, "tensorflow": mapped_over}
    #: Kernels for other sizes may multiply infinities by the zeros of a padding.
    special = False
    raising = False
    compiles = True

    def applies(self, facts):
        """As in ``batch``; TensorFlow has pipelines of single values."""
        if facts.library == "tensorflow":
            return bool(facts.inputs)
        trains = any(facts.has(name) for name in ("track_running_stats", "running_mean", "out"))
        return batch_of(facts) > 1 and not trains and not facts.api.endswith(".instance_norm")


RULE = Dataset()
