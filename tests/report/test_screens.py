"""Everything a user sees, as snapshots."""

import io
from collections.abc import Callable
from functools import reduce
from typing import Any

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from assay.campaign.events import CampaignStarted, TargetChanged
from assay.ir import Finding, Machine, Observation, platform_of
from assay.ir.cause import made
from assay.report.console import render, show
from assay.report.doctor import doctor_table
from assay.report.findings import findings_result, findings_table, hunt_result
from assay.report.lines import line, opening
from assay.report.live import panel
from assay.report.ops import ops_table
from assay.report.page import blame, facts, finding_page
from assay.report.progress import Progress, advance
from assay.report.replay import replay_line
from assay.targets.probe import Report
from tests.report.records import (
    EVENTS,
    FINDINGS,
    crash,
    error,
    finding,
    not_a_number,
    of_a_model,
    summary,
)


def at(events: int) -> Progress:
    return reduce(lambda p, e: advance(p, e, 63.0), EVENTS[:events], Progress(started=0.0))


REPORTS = (
    Report(
        name="keras-tensorflow",
        status="works",
        library="keras",
        backend="tensorflow",
        mode="eager",
        versions={"keras": "3.15.1", "tensorflow": "2.21.0"},
        capabilities=("forward", "gradient"),
        hint="",
    ),
    Report(
        name="keras-torch+compile",
        status="broken",
        library="keras",
        backend="torch",
        mode="compile",
        versions={"keras": "3.15.1", "torch": "2.13.0"},
        capabilities=(),
        hint="the worker ended with SIGSEGV [\x1b[31mbold]",
    ),
    Report(
        name="keras-jax",
        status="missing",
        library="keras",
        backend="jax",
        mode="eager",
        versions={},
        capabilities=(),
        hint='pip install "assay-dl[keras,jax]"',
    ),
    Report(
        name="reference",
        status="works",
        library="reference",
        backend="",
        mode="eager",
        versions={"assay": "0.1.0", "numpy": "2.4.0"},
        capabilities=("forward", "gradient"),
        hint="",
    ),
)


@pytest.mark.parametrize("width", [80, 120])
def test_doctor_table(snapshot: SnapshotAssertion, width: int) -> None:
    assert render(doctor_table(REPORTS), width) == snapshot


def test_doctor_says_what_to_install_when_only_the_reference_works() -> None:
    shown = render(doctor_table(REPORTS[2:]), 120)
    assert shown.endswith('2 targets, 1 works. Next: pip install "assay-dl[keras,torch]"')


def on(report: Report, cpu: str = "a CPU", **settings: str) -> Report:
    told = Machine(cpu, ("avx2", "avx512f", "avx512_vnni"), settings)
    return msgspec.structs.replace(report, machine=told)


def test_doctor_tells_the_machine_and_the_kernels_in_a_line() -> None:
    usual = on(REPORTS[0], oneDNN="off", subnormals="flushed")
    compiled = msgspec.structs.replace(usual, name="keras-tensorflow+graph")
    other = on(
        msgspec.structs.replace(usual, name="keras-tensorflow+onednn"),
        oneDNN="on",
        subnormals="flushed",
    )
    shown = render(doctor_table((usual, compiled, other, *REPORTS[1:])), 200)
    assert shown.splitlines()[-2] == (
        "CPU: a CPU (avx512_vnni avx512f avx2); oneDNN off: keras-tensorflow; "
        "oneDNN on: keras-tensorflow+onednn; subnormals flushed: keras-tensorflow"
    )


def test_a_finding_tells_the_machine_it_was_found_on() -> None:
    machine = Machine("a CPU", ("avx2",), {"oneDNN": "off", "TF_NUM_INTRAOP_THREADS": "1"})
    known = finding()
    platforms = {
        name: msgspec.structs.replace(platform_of(known, name), machine=machine)
        for name in known.targets
    }
    told = dict(facts(msgspec.structs.replace(known, platforms=platforms)))
    (blamed,) = known.blamed
    assert told["machine"] == f"a CPU (avx2); {blamed}: oneDNN off, threads 1"
    assert "machine" not in dict(facts(known))


@pytest.mark.parametrize("width", [80, 120])
def test_hunt_result(snapshot: SnapshotAssertion, width: int) -> None:
    assert render(hunt_result(summary()), width) == snapshot


def test_hunt_result_with_all_findings(snapshot: SnapshotAssertion) -> None:
    shown = hunt_result(summary(suppressed={"ties": 12}), True, " --store other.db")
    assert render(shown, 120) == snapshot


def test_hunt_result_without_findings(snapshot: SnapshotAssertion) -> None:
    assert render(hunt_result(summary(findings=(), trials=1))) == snapshot


def test_hunt_result_after_an_interruption(snapshot: SnapshotAssertion) -> None:
    shown = hunt_result(
        summary(interrupted=True, findings=FINDINGS[2:]),
        options=" --store x.db",
    )
    assert render(shown) == snapshot


def test_faults_of_our_own_are_counted_at_the_end_of_a_hunt() -> None:
    told = "2 faults of Assay's own, see above: please report"
    assert told in render(hunt_result(summary(faults=2)), 120)
    assert "fault" not in render(hunt_result(summary()), 120)


def test_findings_result(snapshot: SnapshotAssertion) -> None:
    assert render(findings_result(FINDINGS, "assay.db"), 120) == snapshot
    assert render(findings_result((), "assay.db")) == snapshot


def test_findings_of_one_cause_are_one_line() -> None:
    cause = made("keras/src/backend/torch/nn.py:average_pool", "numbers", "forward", ("torch",))
    names = ("keras.ops.average_pool", "keras.layers.AveragePooling1D")
    others = [finding(op=op, id=op[-4:], fingerprint=op, cause=cause) for op in names]
    shown = render(findings_result([*others, error()], "assay.db"), 80)
    assert "also affects: AveragePooling1D" in shown
    assert "82×" in shown
    assert "1 bug, 1 unsupported (--all lists them all) of 3 findings" in shown
    flat = render(findings_result([*others, error()], "assay.db", flat=True), 80)
    assert flat.count("41×") == 2
    assert max(map(len, shown.splitlines())) <= 80


def test_who_differs_otherwise_is_told_beside_who_is_blamed() -> None:
    item = finding()
    evidence = msgspec.structs.replace(item.evidence, astray=("keras-jax",))
    told = blame(msgspec.structs.replace(item, evidence=evidence))
    assert told.startswith("keras-torch is wrong (keras-jax differs in another way): ")


def test_a_page_shows_the_few_lines_and_the_other_findings_of_its_cause() -> None:
    sibling = finding(id="5151", op="keras.ops.average_pool")
    numpy = Observation("numpy 2.4.0", "numpy", "7", 7.0)
    page = finding_page(finding(), "", "import keras\nprint(1)", (numpy,), (sibling,))
    shown = render(page, 80)
    assert "import keras" in shown
    assert "numpy 2.4.0" in shown
    assert "Also affects:" in shown
    assert "5151  average_pool(" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("width", [80, 120])
def test_live_panel(snapshot: SnapshotAssertion, width: int) -> None:
    assert render(panel(at(len(EVENTS)), 72.0), width) == snapshot


def test_live_panel_at_the_start(snapshot: SnapshotAssertion) -> None:
    assert render(panel(at(0), 0.0)) == snapshot
    assert render(panel(at(1), 1.0)) == snapshot


def test_live_panel_of_a_hunt_by_cases(snapshot: SnapshotAssertion) -> None:
    event = CampaignStarted("c", 7, ("single-op",), ("keras-jax",), "assay.db", 40, 500)
    assert render(panel(advance(Progress(started=0.0), event, 0.0), 1.0)) == snapshot
    assert opening(event) == snapshot


def test_plain_lines(snapshot: SnapshotAssertion) -> None:
    assert line(at(0), 0.0) == snapshot
    starting = advance(at(0), TargetChanged("keras-jax", "starting"), 0.0)
    assert line(starting, 10.0) == snapshot
    assert line(at(1), 11.0) == snapshot
    assert line(at(len(EVENTS)), 72.0) == snapshot


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(
    "make",
    [finding, crash, error, not_a_number, of_a_model],
    ids=["inconsistency", "crash", "error", "nan", "model"],
)
def test_finding_page(snapshot: SnapshotAssertion, width: int, make: Callable[[], Finding]) -> None:
    assert render(finding_page(make()), width) == snapshot


def test_a_layer_that_shows_it_alone_names_its_model(snapshot: SnapshotAssertion) -> None:
    model = of_a_model()
    alone = finding(original=model.original, localization=model.localization, layers=model.layers)
    assert render(finding_page(alone), 80) == snapshot


def test_a_finding_about_a_model_names_its_layer_in_tables(snapshot: SnapshotAssertion) -> None:
    whole = of_a_model(op="model.keras", node="", blamed=(), localization=None, layers=())
    assert render(findings_table([of_a_model(), whole]), 80) == snapshot


def test_replay_lines(snapshot: SnapshotAssertion) -> None:
    present = replay_line(
        finding(), reproduced=2, attempts=2, message="differs by 0.6667", versions_differ=""
    )
    gone = replay_line(
        crash(),
        reproduced=0,
        attempts=2,
        message="not reproduced in 2 runs",
        versions_differ="torch 2.13.0 → 2.14.0",
    )
    assert render(present) == snapshot
    assert render(gone) == snapshot


def test_a_finding_that_is_repaired_on_some_targets_says_where() -> None:
    some = replay_line(
        finding(),
        reproduced=2,
        attempts=2,
        message="",
        versions_differ="",
        fixed=("keras-torch",),
        still=("keras312-torch",),
    )
    assert "  fixed on keras-torch, still there on keras312-torch (2 of 2)" in render(some)


def test_what_does_not_show_on_another_machine_is_not_called_gone() -> None:
    elsewhere = replay_line(
        finding(),
        reproduced=0,
        attempts=2,
        message="does not show here: reproduced 0 of 2",
        versions_differ="",
        machine_differs="found on a CPU with avx512_vnni, oneDNN off (here on)",
    )
    first, *others = render(elsewhere).splitlines()
    assert "does not show here (0 of 2)" in first
    assert others[-1].strip() == "found on a CPU with avx512_vnni, oneDNN off (here on)"


@pytest.mark.parametrize("make", [finding, crash, error])
def test_pages_are_not_padded_to_the_width(make: Callable[[], Finding]) -> None:
    buffer = io.StringIO()
    show(finding_page(make()), file=buffer)
    # Cells of a table may end in spaces up to the widest; nothing may reach for the edge.
    assert max(map(len, buffer.getvalue().splitlines())) < 150


def test_narrow_terminals_lose_no_bug() -> None:
    shown = render(findings_table(FINDINGS[:2]), 40)
    assert "b3f1" in shown
    assert "90ac" in shown
    assert max(map(len, shown.splitlines())) <= 40


class _Op(msgspec.Struct, frozen=True):
    name: str
    works: dict[str, bool]
    family: str = "torch"
    reference: bool = True
    parameters: dict[str, dict[str, Any]] = {}


_MANY = ("torch", "torch+compile", "onnxruntime", "onnxruntime+unoptimised", "openvino")


@pytest.mark.parametrize("width", [80, 160])
def test_many_targets_are_numbered_where_their_names_do_not_fit(
    snapshot: SnapshotAssertion, width: int
) -> None:
    ops = [
        _Op("torch.nn.functional.avg_pool2d", dict.fromkeys(_MANY, True)),
        _Op("torch.nn.functional.celu", {name: "+" in name for name in _MANY}),
        _Op("torch.nn.functional.selu", dict.fromkeys(_MANY, False)),
    ]
    shown = render(ops_table(ops), width)
    assert max(map(len, shown.splitlines())) <= width
    assert shown == snapshot
