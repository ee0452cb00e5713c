"""Every number of a format on a real target: what is told, what is kept, what is refused."""

import json
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.events import PrecisionFinished
from assay.campaign.precision import sweeping
from assay.campaign.precision.request import Asked, Request, requested
from assay.campaign.precision.running import run_precision
from assay.cli.main import run
from assay.config import Config
from assay.ir.precision import Measurement, PrecisionResult
from assay.store import open_store
from assay_worker.precision import exhaustive, pairs

ASKED = Asked(
    ops=("keras.ops.tanh", "keras.ops.log", "keras.ops.hypot"),
    targets=("torch",),
    dtypes=("float16", "bfloat16"),
    exhaustive=True,
)


def request(asked: Asked, store: Path) -> Request:
    return requested(Config(), asked, str(store))


def measured(asked: Request, **options: Any) -> PrecisionResult:
    (*_, last) = run_precision(asked, **options)
    assert isinstance(last, PrecisionFinished)
    return last.result


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> PrecisionResult:
    return measured(request(ASKED, tmp_path_factory.mktemp("sweeping") / "s.db"))


def row(result: PrecisionResult, op: str, dtype: str) -> Measurement:
    (found,) = (item for item in result.results if (item.op, item.dtype) == (op, dtype))
    return found


def test_every_number_that_counts_is_tried(result: PrecisionResult) -> None:
    told = [(item.op, item.dtype, item.strategy, item.mode) for item in result.results]
    assert len(told) == len(set(told)) == 6
    for dtype in ("float16", "bfloat16"):
        found = row(result, "keras.ops.tanh", dtype)
        every = exhaustive.numbers(dtype, 0, 65536)
        least = 0.0 if dtype == "float16" else 2.0**-126
        assert found.inputs == ((np.abs(every) >= least) | (every == 0.0)).sum()
        assert found.whole is not None
        assert (found.whole.of, found.whole.total) == ("numbers", 65536)


def test_the_largest_error_is_that_of_the_library_and_proven(result: PrecisionResult) -> None:
    import torch

    found = row(result, "keras.ops.log", "float16")
    x = torch.tensor(exhaustive.numbers("float16", 0, 65536)).to(torch.float16)
    x = x[torch.isfinite(x) & (x > 0)]
    truth = np.log(x.double().numpy())
    step = np.ldexp(1.0, np.maximum(np.frexp(truth)[1] - 1, -14) - 10)
    units = np.abs(torch.log(x).double().numpy() - truth) / np.where(truth == 0, 1.0, step)
    assert found.max_ulp == pytest.approx(units.max(), rel=1e-6)
    assert found.truth == "balls"
    assert found.at is not None
    assert found.at.proven == found.max_ulp
    assert found.whole is not None
    (told,) = map(float.fromhex, found.whole.at_hex)
    assert {"x0": told} == found.at.inputs
    # Of zero and infinity the result is no number that has an error of a size, but is right.
    assert found.whole.measured == x.numel() + 3
    assert found.whole.within_half == (units <= 0.5).sum() + 3
    assert found.whole.lost == found.whole.defined == found.whole.turns == 0


def test_functions_of_two_numbers_are_tried_at_pairs(result: PrecisionResult) -> None:
    found = row(result, "keras.ops.hypot", "float16")
    assert found.whole is not None
    assert (found.whole.of, found.inputs) == ("pairs", pairs.count("float16"))
    assert len(found.whole.at_hex) == 2
    assert found.max_ulp < 1.0
    assert row(result, "keras.ops.hypot", "bfloat16").inputs == pairs.count("bfloat16")


def test_a_run_that_was_stopped_loses_a_block_at_most(
    result: PrecisionResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "BLOCK", 5000)
    asked = request(ASKED, tmp_path / "s.db")
    stop = threading.Event()
    far: list[int] = []

    def handle(event: Any) -> None:
        far.append(getattr(event, "done", 0))
        if far[-1] >= 65536 + 15000:
            stop.set()

    stopped = measured(asked, tell=handle, stop=stop)
    assert stopped.interrupted
    with open_store(asked.store) as store:
        (campaign,) = store.campaigns()
    whole = set(campaign.statistics["rows"])
    parts = {row: part["done"] for row, part in campaign.statistics["parts"].items()}
    assert whole < set(parts)
    assert all(done % 5000 == 0 for row, done in parts.items() if row not in whole)
    kept = sum(parts.values())
    # What was under way when it stopped had just been told as done.
    assert max(far) - 5000 <= kept

    far.clear()
    resumed = measured(msgspec.structs.replace(asked, resume=True), tell=handle)
    assert min(far) == kept
    assert plain(resumed) == plain(result)


def plain(result: PrecisionResult) -> list[Measurement]:
    return [msgspec.structs.replace(item, cpu_seconds=0.0) for item in result.results]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("keras.ops.softmax", "keras.ops.softmax is no function of each number by itself."),
        ("keras.ops.matmul", "keras.ops.matmul is no function of single numbers."),
        ("keras.ops.sort", "keras.ops.sort is no function of each number by itself."),
        ("torch.argmax", "torch.argmax gives no floats."),
        ("keras.ops.tanh --inputs 0", "--exhaustive tries every number. Leave --inputs out."),
        ("keras.ops.tanh --mode input", "Leave --mode input out."),
        ("keras.ops.tanh --dtype float64", "float64 has too many numbers"),
        ("keras.ops.tanh --dtype float12", 'unknown format "float12"'),
        ("keras.ops.tanh --preset predoo", "Leave --preset out."),
        ("keras.ops.tanh --stage gradient", "Leave --stage gradient out."),
        ("keras.ops.tanh --repeat 3", "Leave --repeat out."),
        ("keras.ops.tanh --plot never.svg", "Leave it or --exhaustive out."),
        (
            "keras.ops.tanh --dtype bfloat16 --targets onnxruntime",
            "nothing could be measured. onnxruntime has no bfloat16 here: arrays have none.",
        ),
    ],
)
def test_what_cannot_be_tried_is_refused_in_a_line(
    line: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["precision", *line.split(), "--exhaustive", "-q", "--store", str(tmp_path / "s.db")]
    assert run(told) == 2
    output = capsys.readouterr()
    assert output.out == ""
    (message,) = output.err.splitlines()
    assert why in message


def test_of_a_pattern_what_is_no_function_is_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "precision keras.ops.log* --exhaustive --dtype float16 --targets torch --json"
    assert run([*line.split(), "--store", str(tmp_path / "s.db")]) == 0
    output = capsys.readouterr()
    ops = {item["op"] for item in json.loads(output.out)["results"]}
    assert {"keras.ops.log", "keras.ops.log1p", "keras.ops.logaddexp"} <= ops
    assert "keras.ops.log_softmax" not in ops
    assert "are no functions of one number or two, or give no floats: left out" in output.err
