"""ONNX's own cases on real runtimes: conformance, findings, and processes that die."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.campaign.events import SuiteFinished
from assay.campaign.suite import running
from assay.campaign.suite.findings import suspects, telling
from assay.campaign.suite.request import requested
from assay.cli.main import run
from assay.config import load
from assay.execute import Limits
from assay.ir import Finding
from assay.ir.suite import SuiteResult, suite_case_of
from assay.store import open_store

OPS = "Celu,Tile,MaxUnpool,DynamicQuantizeLinear,Dropout,Identity,CastLike,Scatter"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("suite")


@pytest.fixture(scope="module")
def done(folder: Path) -> SuiteFinished:
    settings = load(None)
    targets = ("onnxruntime", "openvino", "onnx-reference")
    request = requested(settings, targets, OPS.split(","), str(folder / "assay.db"))
    *_, last = running.run_suite(request)
    assert isinstance(last, SuiteFinished)
    return last


@pytest.fixture(scope="module")
def result(done: SuiteFinished) -> SuiteResult:
    return done.result


def outcome(result: SuiteResult, case: str, target: str) -> tuple[str, str]:
    (found,) = (o for o in result.outcomes if (o.case, o.target) == (case, target))
    return found.status, found.category


def about(done: SuiteFinished, case: str) -> Finding:
    name = next(o.finding for o in done.result.outcomes if o.case == case and o.finding)
    return next(finding for finding in done.findings if finding.id == name)


def test_every_case_has_an_outcome_on_every_runtime(result: SuiteResult) -> None:
    assert len(result.outcomes) == 3 * result.cases
    assert all(item.status != "not run" for item in result.outcomes)
    for target in result.targets:
        assert sum(result.counts(target).values()) == result.cases


def test_what_is_written_out_counts_for_the_operator_it_stands_for(result: SuiteResult) -> None:
    expanded = [
        o for o in result.outcomes if o.case.startswith("test_castlike") and "_exp" in o.case
    ]
    assert expanded
    assert {item.op for item in expanded} == {"onnx.CastLike"}


def test_types_that_numpy_lacks_go_in_and_out(result: SuiteResult) -> None:
    for case in ("test_castlike_FLOAT8E4M3FN_to_FLOAT", "test_castlike_FLOAT_to_BFLOAT16"):
        assert outcome(result, case, "onnxruntime") == ("passes", "")
        assert outcome(result, case, "openvino") == ("passes", "")


def test_who_lacks_an_operator_is_no_fault(result: SuiteResult) -> None:
    found = outcome(result, "test_scatter_with_axis", "onnx-reference")
    assert found == ("not implemented", "unsupported")


def test_an_input_that_is_handed_on_arrives(result: SuiteResult) -> None:
    # OpenVINO calls it as the output: given under its own name it would be left out.
    assert outcome(result, "test_dropout_default", "openvino") == ("passes", "")


def test_a_failure_that_nobody_announces_is_a_bug(done: SuiteFinished) -> None:
    finding = about(done, "test_celu_float16")
    assert (finding.kind, finding.category, finding.blamed) == ("error", "bug", ("openvino",))
    assert finding.evidence.confirmations == finding.evidence.attempts == 1


def test_a_difference_that_rounding_explains_is_none(result: SuiteResult) -> None:
    assert outcome(result, "test_dynamicquantizelinear", "openvino") == ("differs", "rounding")


def test_a_case_that_says_more_than_the_text_blames_nobody(done: SuiteFinished) -> None:
    finding = about(done, "test_maxunpool_export_with_output_shape")
    assert (finding.category, finding.blamed) == ("undecided", ())


def test_a_type_without_nan_is_left_open(result: SuiteResult) -> None:
    assert outcome(result, "test_castlike_FLOAT_to_FLOAT4E2M1", "openvino")[1] == "convention"


def test_findings_are_shown_replayed_and_exported(
    done: SuiteFinished, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = about(done, "test_celu_float16")
    store = ["--store", str(folder / "assay.db")]
    assert run(["show", finding.id, *store]) == 0
    assert "test_celu_float16" in capsys.readouterr().out
    assert run(["replay", finding.id, "--attempts", "1", *store]) == 1
    assert "still there (1 of 1)" in capsys.readouterr().out
    script = folder / "repro.py"
    assert run(["export", finding.id, "--check", "-o", str(script), "-q", *store]) == 0
    assert "assay" not in script.read_text().lower().replace("assay-", "")
    codes = {
        library: subprocess.run(
            [sys.executable, str(script), library], capture_output=True
        ).returncode
        for library in ("openvino", "onnx", "onnxruntime", "nothing")
    }
    assert codes == {"openvino": 0, "onnx": 1, "onnxruntime": 2, "nothing": 2}


def test_a_finding_of_numbers_has_a_script_that_tells_right_from_wrong(
    done: SuiteFinished, folder: Path
) -> None:
    finding = about(done, "test_tile")
    script = folder / "tile.py"
    store = ["--store", str(folder / "assay.db")]
    assert run(["export", finding.id, "-o", str(script), "-q", *store]) == 0
    codes = [
        subprocess.run([sys.executable, str(script), library], capture_output=True).returncode
        for library in ("openvino", "onnxruntime", "onnx")
    ]
    assert codes == [0, 1, 1]


def test_a_second_run_finds_nothing_new(done: SuiteFinished, folder: Path) -> None:
    request = requested(
        load(None), ("onnxruntime", "openvino"), ("MaxUnpool",), str(folder / "assay.db")
    )
    *_, last = running.run_suite(request)
    assert isinstance(last, SuiteFinished)
    with open_store(request.store, create=False) as store:
        assert len(store.findings()) == len(done.findings)
    assert last.result.targets == ("onnxruntime", "openvino")


DYING = """
import os, time
import onnxruntime

made = onnxruntime.InferenceSession


def session(model, *rest, **more):
    if b"test_celu_expanded" in model:
        os.kill(os.getpid(), 11)
    if b"test_celu_float16" in model:
        time.sleep(60)
    return made(model, *rest, **more)


onnxruntime.InferenceSession = session
"""


def test_who_dies_or_hangs_loses_that_case_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dying.py").write_text(DYING)
    config = tmp_path / "assay.toml"
    config.write_text(
        '[targets.dying]\nlibrary = "onnxruntime"\nmode = "optimised"\n'
        f'prelude = "{tmp_path / "dying.py"}"\n'
    )
    monkeypatch.setattr(running, "LIMITS", Limits(run_seconds=4.0))
    request = requested(load(str(config)), ("dying",), ("Celu", "Scatter"), str(tmp_path / "a.db"))
    *_, last = running.run_suite(request)
    assert isinstance(last, SuiteFinished)
    assert outcome(last.result, "test_celu_expanded", "dying") == ("crashes", "bug")
    assert outcome(last.result, "test_celu_float16", "dying") == ("hangs", "bug")
    left = {o.status for o in last.result.outcomes} - {"crashes", "hangs"}
    assert left <= {"passes", "not implemented"}
    assert outcome(last.result, "test_scatter_with_axis", "dying") == ("passes", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--onnx-suite", "model.onnx"], "brings its own models"),
        (["--onnx-suite", "--data", "x.npz"], "--data is for models"),
        (["--ops", "Conv", "model.onnx"], "--ops is of --onnx-suite"),
        (["--onnx-suite", "--targets", "torch"], "torch runs no cases of ONNX"),
        (["--onnx-suite", "--targets", "onnxrntime"], 'Did you mean "onnxruntime"'),
        (["--onnx-suite", "--ops", "Tyle", "--targets", "onnx-reference"], 'Did you mean "Tile"'),
        (["--onnx-suite", "--report", __file__], "--report needs a directory"),
        ([], "missing argument"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["check", *arguments, "--quiet"]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert not told.out


def test_the_command_prints_a_table_a_page_and_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    common = ["check", "--onnx-suite", "--ops", "Tile", "--quiet"]
    assert run([*common, "--targets", "onnxruntime", "--report", "page"]) == 0
    told = capsys.readouterr().out
    assert "onnxruntime" in told
    assert all(len(line) <= 80 for line in told.splitlines())
    page = Path("page", "index.html").read_text()
    assert "test_tile" not in page  # it passes
    assert json.loads(Path("page", "suite.json").read_text())["cases"] == 2
    assert run([*common, "--targets", "openvino", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (target,) = document["targets"]
    assert (target["passes"], target["differs"], target["judged"]) == (1, 1, {"bug": 1})
    assert document["ops"]["onnx.Tile"]["openvino"]["differs"] == 1
    assert [item["case"] for item in document["outcomes"]] == ["test_tile"]
    assert os.path.exists("assay.db")


def test_the_fewest_suspects_that_are_enough_tell_causes_apart() -> None:
    window = ("heads", "window")
    assert telling([window, ("window",), ("layout",), (), ("heads", "window")]) == [
        "window",
        "window",
        "layout",
        "",
        "window",
    ]


def test_attributes_that_only_failing_cases_have_are_suspects(done: SuiteFinished) -> None:
    case = suite_case_of(about(done, "test_celu_float16").case)
    assert case is not None
    assert list(case.attributes) == ["alpha"]
    assert suspects(case, [case]) == ()
    assert suspects(case, []) == ("alpha",)
