"""Measurements on a real target: what is found, what is told, and what is resumed."""

import json
import threading
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.campaign.events import PrecisionFinished
from assay.campaign.precision.request import Asked, Request, requested
from assay.campaign.precision.running import run_precision
from assay.cli.main import run
from assay.config import Config
from assay.errors import AssayError
from assay.ir.precision import Measurement, PrecisionResult
from assay_worker.precision.formats import rounded, unit

ASKED = Asked(
    ops=("keras.ops.log", "keras.ops.sum", "torch.softmax", "keras.ops.hypot"),
    targets=("torch",),
    dtypes=("float32", "float16"),
    modes=("input", "operator"),
    strategies=("mixture", "linf"),
    inputs=600,
    seed=1,
)


def request(asked: Asked, store: Path) -> Request:
    return requested(Config(), asked, str(store))


def measured(asked: Request, **options: Any) -> PrecisionResult:
    (*_, last) = run_precision(asked, **options)
    assert isinstance(last, PrecisionFinished)
    return last.result


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> PrecisionResult:
    return measured(request(ASKED, tmp_path_factory.mktemp("precision") / "s.db"))


def row(result: PrecisionResult, op: str, **facts: str) -> Measurement:
    wanted = {"dtype": "float32", "mode": "operator", "strategy": "mixture", **facts}
    (found,) = (
        item
        for item in result.results
        if item.op == op and all(getattr(item, name) == value for name, value in wanted.items())
    )
    return found


def test_every_row_is_measured_in_its_order(result: PrecisionResult) -> None:
    told = [(item.op, item.dtype, item.mode, item.strategy) for item in result.results]
    assert len(told) == len(set(told)) == 3 * 2 * 2 * 2
    assert told[0] == ("keras.ops.log", "float32", "input", "mixture")
    assert all(item.inputs == 600 and len(item.groups) == 20 for item in result.results)


def test_what_a_target_has_no_word_for_is_left_out_and_told(result: PrecisionResult) -> None:
    (why,) = {item.why for item in result.left_out}
    assert {item.op for item in result.left_out} == {"keras.ops.sum"}
    assert why == "not on torch: torch.sum must be told dim"


def test_a_worst_error_is_what_the_library_gives_there(result: PrecisionResult) -> None:
    import torch

    found = row(result, "keras.ops.log").excess_at
    assert found is not None
    (x,) = found.inputs.values()
    truth = np.log(np.float64(x))
    assert found.truth == pytest.approx(truth, rel=1e-14)
    # Vector lanes and the rest of a tensor are other kernels: it is one of the two.
    given = {float(torch.log(torch.full((n,), x, dtype=torch.float32))[0]) for n in (1, 64)}
    assert found.answer in given
    units = abs(found.answer - truth) / unit(truth, "float32")
    assert found.ulp == pytest.approx(units, rel=1e-6)
    assert 0.4 < found.ulp < 4.0


def test_conditions_are_those_of_the_formula(result: PrecisionResult) -> None:
    for strategy in ("mixture", "linf"):
        found = row(result, "keras.ops.log", strategy=strategy).at
        assert found is not None
        (x,) = found.inputs.values()
        assert found.condition == pytest.approx(1.0 / abs(np.log(x)), rel=1e-4)
    twice = row(result, "keras.ops.hypot").at
    assert twice is not None
    assert twice.condition == pytest.approx(1.0, rel=1e-6)
    assert set(twice.inputs) == {"x0", "x1"}


def test_half_precision_is_correctly_rounded_where_it_is_computed_in_float32(
    result: PrecisionResult,
) -> None:
    found = row(result, "keras.ops.log", dtype="float16")
    assert found.formats == ("float16",)
    assert 0.45 < found.max_ulp <= 0.5005


def test_a_rounded_input_leaves_the_operator_in_float32(result: PrecisionResult) -> None:
    found = row(result, "keras.ops.log", dtype="float16", mode="input")
    assert found.formats == ("float32",)
    assert found.max_abs < row(result, "keras.ops.log", dtype="float16").max_abs / 100
    assert found.at is not None
    (x,) = found.at.inputs.values()
    assert rounded(x, "float16") == x


def test_an_error_that_the_input_explains_is_not_held_against_the_operator(
    result: PrecisionResult,
) -> None:
    found = row(result, "torch.softmax")
    assert found.excess_ulp < found.max_ulp
    assert found.condition is not None
    assert found.condition > 10.0


def test_a_run_that_was_stopped_goes_on_where_it_was(
    result: PrecisionResult, tmp_path: Path
) -> None:
    asked = request(ASKED, tmp_path / "s.db")
    told: list[int] = []
    stop = threading.Event()

    def handle(event: Any) -> None:
        told.append(getattr(event, "done", 0))
        if told[-1] >= 10 * 600:
            stop.set()

    stopped = measured(asked, tell=handle, stop=stop)
    assert stopped.interrupted
    assert len(stopped.results) < len(result.results)
    told.clear()
    again = msgspec.structs.replace(asked, resume=True)
    resumed = measured(again, tell=lambda event: told.append(event.done))
    assert min(told) >= 600 * len(stopped.results) > 0, "rows that are done are not measured again"
    assert resumed.campaign == stopped.campaign

    def plain(items: tuple[Measurement, ...]) -> list[Measurement]:
        return [msgspec.structs.replace(item, cpu_seconds=0.0) for item in items]

    assert plain(resumed.results) == plain(result.results)


def test_the_published_preset_by_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "precision --preset predoo relu sigmoid --targets keras-torch --inputs 300 --json"
    assert run([*line.split(), "--store", str(tmp_path / "s.db")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) >= {"results", "findings"}
    assert len(document["results"]) == 2 * 2 * 3
    for item in document["results"]:
        assert item["measure"] == "instances"
        assert item["dtype"] == "float16"
        assert len(item["groups"]) == 20
        assert max(item["groups"]) == item["max_abs"]
        # Rounding to eleven bits: of numbers up to 4, and of their sigmoid.
        most = 2.0**-10 if item["label"] == "relu" else 2.0**-11
        assert most / 64 < item["max_abs"] <= 2.0 * most


def test_images_that_are_moved_to_the_place_of_the_shared_words_are_measured(
    tmp_path: Path,
) -> None:
    ops = ("torch.nn.functional.avg_pool2d", "torch.nn.MaxPool2d")
    asked = msgspec.structs.replace(ASKED, ops=ops, inputs=40, strategies=(), modes=())
    found = measured(request(asked, tmp_path / "s.db"))
    assert [(item.op, item.dtype) for item in found.results] == [
        (op, dtype) for op in ops for dtype in ("float32", "float16")
    ], found.left_out
    assert not found.left_out


def test_a_tensor_that_no_search_could_hold_is_refused_at_once(tmp_path: Path) -> None:
    asked = msgspec.structs.replace(ASKED, shape=(100_000_000_000, 3))
    with pytest.raises(AssayError, match="--shape takes 16,777,216 numbers at most"):
        request(asked, tmp_path / "s.db")


@pytest.mark.parametrize("given", ["", "x,3", "8,,3", "8,", "8,0"])
def test_a_shape_that_is_none_is_one_line(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["precision", "torch.tanh", "--shape", given, "--store", str(tmp_path / "s.db")]
    assert run(line) == 2
    told = f'--shape takes lengths from 1 on, such as 8,100; received "{given}".'
    assert capsys.readouterr().err == f"assay: {told}\n"


def test_no_name_is_not_all_of_them(tmp_path: Path) -> None:
    for ops in ((), ("",)):
        with pytest.raises(AssayError, match="which operators"):
            request(msgspec.structs.replace(ASKED, ops=ops), tmp_path / "s.db")
