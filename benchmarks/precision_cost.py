"""How many inputs a CPU second is enough for, search and truth included, beside a bare loop."""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assay.campaign.events import PrecisionFinished
from assay.campaign.precision.request import Asked, requested
from assay.campaign.precision.running import run_precision
from assay.config import Config
from assay.execute.process import environment_of
from assay.targets import builtin_targets

#: Inputs of a row; of the bare loop, which takes them one by one, fewer are enough.
INPUTS, BARE = 5000, 300


def precision_rates(backend: str) -> dict[str, tuple[float, float]]:
    """Of Predoo's operators in float16: inputs per CPU second, and how many times a bare loop's.

    The median of its three strategies and of ours: a first call compiles and loads.
    """
    name = f"keras-{backend}"
    strategies = ("random", "linf", "l1", "mixture")
    with TemporaryDirectory() as folder:
        asked = Asked(
            targets=(name,),
            inputs=INPUTS,
            modes=("operator",),
            strategies=strategies,
            preset="predoo",
        )
        (*_, last) = run_precision(requested(Config(), asked, str(Path(folder) / "rates.db")))
    assert isinstance(last, PrecisionFinished)
    bare = _bare(backend, name)
    found = {}
    for label, rate in bare.items():
        rows = [item for item in last.result.results if item.label == label]
        own = median(item.inputs / item.cpu_seconds for item in rows)
        found[label] = (own, own / rate)
    return found


def _bare(backend: str, name: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("bare_precision.py")), backend, str(BARE)],
        capture_output=True,
        text=True,
        check=True,
        env=environment_of(builtin_targets()[name]),
    )
    rates: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return rates
