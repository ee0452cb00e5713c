"""Whatever a library does to its process, the host gets an answer in time."""

import os
import signal
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assay.execute import (
    Closed,
    Limits,
    StartFailure,
    TargetLost,
    request_for,
    traces_of,
    traces_of_arms,
)
from assay.ir import Arm
from assay.targets import Target
from tests.e2e.command import wait_until

from .conftest import QUICK, case_of


def _trace(supervisor, op, params=None):
    (trace,) = traces_of("selftest", supervisor.ask("selftest", request_for(case_of(op, params))))
    return trace


def _runs(process):
    """Does it do more than wait to be asked how it ended?"""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(
    ("op", "signal_name"),
    [
        ("selftest.segfault", "SIGSEGV"),
        ("selftest.abort", "SIGABRT"),
        ("selftest.kill", "SIGKILL"),
        ("selftest.float_error", "SIGFPE"),
    ],
)
def test_a_hard_crash_is_captured_with_its_signal_and_place(supervise, op, signal_name):
    supervisor = supervise()
    trace = _trace(supervisor, op)
    assert trace.status == "crash"
    assert trace.failure.signal == signal_name
    assert (trace.failure.stage, trace.failure.node) == ("forward", "n")
    assert supervisor.deaths("selftest") == {signal_name: 1}
    assert _trace(supervisor, "selftest.identity").status == "ok"


def test_a_segfault_leaves_the_python_stack_in_the_evidence(supervise):
    trace = _trace(supervise(), "selftest.segfault")
    assert "_segfault" in trace.failure.stack


def test_a_process_that_exits_by_itself_is_a_crash_with_its_exit_code(supervise):
    trace = _trace(supervise(), "selftest.exit", {"code": 7})
    assert (trace.status, trace.failure.exception) == ("crash", "exit 7")


def test_a_hang_is_ended_at_the_deadline(supervise):
    supervisor = supervise()
    started = time.monotonic()
    trace = _trace(supervisor, "selftest.hang")
    assert trace.status == "timeout"
    assert 2.5 < time.monotonic() - started < 30
    assert _trace(supervisor, "selftest.identity").status == "ok"


def test_allocating_without_end_is_reported_as_memory_and_kills_nobody_else(supervise):
    supervisor = supervise(limits=Limits(run_seconds=60, memory_bytes=512 << 20))
    trace = _trace(supervisor, "selftest.allocate")
    assert trace.status == "memory"
    assert _trace(supervisor, "selftest.identity").status == "ok"


def test_garbage_on_stdout_and_stderr_does_not_reach_the_protocol(supervise):
    supervisor = supervise()
    for _ in range(3):
        assert _trace(supervisor, "selftest.garbage").status == "ok"


def test_an_exception_is_a_result_with_class_message_and_stack(supervise):
    trace = _trace(supervise(), "selftest.fail", {"message": "no \udc80 luck"})
    assert trace.status == "error"
    assert trace.failure.exception == "builtins.ValueError"
    assert trace.failure.message.startswith("no ")
    assert "_fail" in trace.failure.stack
    assert trace.failure.node == "n"


def test_a_worker_killed_while_idle_is_not_blamed_on_the_next_case(supervise):
    supervisor = supervise()
    processes = supervisor.processes()
    for process in processes:
        os.kill(process, signal.SIGKILL)
    assert wait_until(lambda: not any(_runs(process) for process in processes), 30)
    assert _trace(supervisor, "selftest.identity").status == "ok"


def test_a_library_that_dies_at_import_is_given_up_and_said_so(supervise, tmp_path: Path):
    prelude = tmp_path / "dies.py"
    prelude.write_text("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\n")
    supervisor = supervise(Target("dying", "selftest", prelude=str(prelude)))
    answer = supervisor.answers["dying"]
    assert isinstance(answer, StartFailure)
    assert "SIGSEGV" in answer.message
    assert not supervisor.available("dying")
    with pytest.raises(TargetLost):
        traces_of("dying", supervisor.ask("dying", request_for(case_of("selftest.identity"))))


def test_a_library_that_calls_exit_at_import_is_a_start_failure(supervise, tmp_path: Path):
    prelude = tmp_path / "exits.py"
    prelude.write_text("raise SystemExit('cannot go on')\n")
    supervisor = supervise(Target("exiting", "selftest", prelude=str(prelude)))
    assert "cannot go on" in supervisor.answers["exiting"].message


def test_a_library_that_hangs_at_import_is_given_up_at_the_deadline(supervise, tmp_path: Path):
    prelude = tmp_path / "hangs.py"
    prelude.write_text("import time; time.sleep(3600)\n")
    limits = Limits(start_seconds=1)
    supervisor = supervise(Target("hanging", "selftest", prelude=str(prelude)), limits=limits)
    assert "timeout" in supervisor.answers["hanging"].message


def test_an_interpreter_that_does_not_exist_is_a_start_failure(supervise):
    supervisor = supervise(Target("nowhere", "selftest", python="/nonexistent/python"))
    assert "/nonexistent/python" in supervisor.answers["nowhere"].message


def test_a_missing_library_is_named(supervise, tmp_path: Path):
    venv.create(tmp_path / "bare", with_pip=False)
    supervisor = supervise(
        Target("bare", "keras", "torch", python=str(tmp_path / "bare/bin/python"))
    )
    answer = supervisor.answers["bare"]
    assert isinstance(answer, StartFailure)
    assert answer.missing == "numpy"


def test_a_prelude_adds_functions(supervise, tmp_path: Path):
    prelude = tmp_path / "mine.py"
    prelude.write_text("def triple(x):\n    return x * 3\n")
    supervisor = supervise(Target("selftest", "selftest", prelude=str(prelude)))
    case = case_of("prelude.triple")
    (trace,) = traces_of("selftest", supervisor.ask("selftest", request_for(case)))
    expected = case.input_arrays()["x"] * 3
    np.testing.assert_array_equal(trace.arrays["output:n"], expected)


def test_two_runs_that_differ_are_reported(supervise):
    supervisor = supervise()
    request = request_for(case_of("selftest.uninitialised"), variants=["again"])
    traces = traces_of_arms(Arm("selftest"), supervisor.ask("selftest", request))
    first, second = traces["selftest"], traces["selftest#again"]
    assert (first.arrays["output:n"] != second.arrays["output:n"]).all()
    assert first.digest == second.digest


def test_many_input_sets_travel_in_one_request(supervise):
    case = case_of("selftest.identity")
    request = request_for(case)
    request["input_sets"] = [{"x": {"kind": "uniform", "seed": seed}} for seed in range(4)]
    traces = traces_of("selftest", supervise().ask("selftest", request))
    assert len({trace.arrays["output:n"].tobytes() for trace in traces}) == 4


def test_nothing_is_left_behind_when_the_supervisor_closes(supervise, tmp_path: Path):
    prelude = tmp_path / "littering.py"
    note = tmp_path / "note"
    prelude.write_text(
        "import tempfile\n"
        f"open({str(note)!r}, 'w').write(tempfile.NamedTemporaryFile(delete=False).name)\n"
    )
    supervisor = supervise(Target("selftest", "selftest", prelude=str(prelude)))
    litter = Path(note.read_text())
    assert litter.exists()
    pids = supervisor.processes()
    supervisor.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert not litter.exists()


def test_what_needs_long_is_parked_and_the_rest_does_not_wait(supervise):
    supervisor = supervise(limits=msgspec.structs.replace(QUICK, run_seconds=8))
    began = time.monotonic()
    supervisor.submit("hang", "selftest", request_for(case_of("selftest.hang")))
    for number in range(3):
        supervisor.submit(number, "selftest", request_for(case_of("selftest.identity")))
    answers = {}
    while len(answers) < 3:
        answers.update(supervisor.completed(1))
    assert time.monotonic() - began < 6
    assert sorted(answers) == [0, 1, 2]
    while "hang" not in answers:
        answers.update(supervisor.completed(1))
    assert answers["hang"].cause == "timeout"
    assert supervisor.deaths("selftest") == {"timeout": 1}


def test_other_threads_ask_while_the_supervisor_goes_on(supervise):
    supervisor = supervise()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_trace, supervisor, "selftest.identity")
        end = time.monotonic() + 30
        while not asked.done() and time.monotonic() < end:
            supervisor.completed(1)
        assert asked.result(0).status == "ok"
        asked = pool.submit(_trace, supervisor, "selftest.hang")
        supervisor.completed(1)
        supervisor.close()
        with pytest.raises(Closed):
            asked.result(5)


def test_a_target_that_died_too_often_is_given_up(supervise):
    supervisor = supervise(limits=msgspec.structs.replace(QUICK, restarts=1))
    assert _trace(supervisor, "selftest.abort").status == "crash"
    assert _trace(supervisor, "selftest.identity").status == "ok"
    assert _trace(supervisor, "selftest.abort").status == "crash"
    with pytest.raises(TargetLost, match=r"died 2 times, and limits.restarts is 1"):
        _trace(supervisor, "selftest.identity")
