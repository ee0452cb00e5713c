"""A prelude that makes the catalogue of torch small, with APIs that misbehave when probed."""

import os
import signal
import time

import torch

from assay_worker import catalogue
from assay_worker.catalogue import torch_guesses
from assay_worker.catalogue._base import Sample
from assay_worker.catalogue.torch import TorchHarvest


def aborts(x):
    """Dies of numbers that no sample has."""
    if bool((x.abs() > 1e30).any()):
        os.kill(os.getpid(), signal.SIGABRT)
    return x + 1


def always_aborts(x):
    """Dies at once."""
    os.kill(os.getpid(), signal.SIGABRT)


def hangs(x):
    """Waits for ever, wherever it is asked for integers."""
    while not x.is_floating_point():
        pass
    return x * 2


def random(x):
    """Gives something else each time."""
    return x + torch.rand_like(x)


def refuses(x):
    """Takes nothing."""
    raise ValueError(f"expected something else at 0x{id(x):x}")


APIS = {
    "torch.add": lambda: [
        Sample("torch.add", (torch.ones(2, 3), torch.ones(3)), {"alpha": 2}),
        Sample("torch.add", (torch.tensor(1.5), torch.tensor(2.0))),
    ],
    "torch.log": lambda: [Sample("torch.log", (torch.ones(4, 3),))],
    "torch.linalg.cholesky": lambda: [Sample("torch.linalg.cholesky", (torch.eye(3),))],
    "torch.nn.Linear": lambda: [Sample("torch.nn.Linear", (torch.ones(2, 3),), {}, ((3, 4), {}))],
    "prelude.aborts": lambda: [Sample("prelude.aborts", (torch.ones(3),))],
    "prelude.always_aborts": lambda: [Sample("prelude.always_aborts", (torch.ones(3),))],
    "prelude.hangs": lambda: [Sample("prelude.hangs", (torch.ones(3),))],
    "prelude.random": lambda: [Sample("prelude.random", (torch.ones(3),))],
    "prelude.refuses": lambda: [Sample("prelude.refuses", (torch.ones(3),))],
}


class TinyHarvest(TorchHarvest):
    """The APIs above, two without a sample, and a source that fails."""

    step_seconds = 2.0
    prepared = False

    def prepare(self):
        """Nothing to import."""
        self.prepared = True

    def names(self):
        """See ``Harvest``."""
        return [*sorted(APIS), "torch.rot90", "torch.triu_indices"]

    def guesses(self, name):
        """Of schemas and signatures alone: the tables take seconds to import."""
        return torch_guesses.guesses(name, self.adapter)

    def sources(self):
        """See ``Harvest``."""
        return ["own:" + name for name in sorted(APIS)] + ["broken:it"]

    def collect(self, source):
        """See ``Harvest``; slow if it is told so, for whoever wants to kill a build."""
        if not self.prepared:
            raise RuntimeError("the process that this is a fork of has imported nothing")
        time.sleep(float(os.environ.get("SLOW", "0")))
        return APIS[source.partition(":")[2]]()


catalogue.HARVESTS["torch"] = "prelude:TinyHarvest"
