"""Workers of a target are born of one process that has imported its library."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from assay.execute import Lane, StartFailure, request_for, traces_of
from assay.execute.slot import Seat
from assay.execute.supervisor import Supervisor
from assay.ir import Case, Graph, Node
from assay.targets import Target
from tests.e2e.command import wait_until
from tests.execute.conftest import case_of

ECHO = {"do": "echo", "payload": 1}


def counting(tmp_path: Path, more: str = "") -> tuple[Target, Path]:
    """A target that writes a line whenever its library is imported."""
    prelude, note = tmp_path / "prelude.py", tmp_path / "note"
    prelude.write_text(f"with open({str(note)!r}, 'a') as file: file.write('imported\\n')\n{more}")
    return Target("selftest", "selftest", prelude=str(prelude)), note


def seats(supervisor: Supervisor) -> list[Seat]:
    return supervisor._slots["selftest"].seats


def all_ready(supervisor: Supervisor) -> bool:
    supervisor.completed(0.05)
    return len(seats(supervisor)) >= 2 and all(seat.idle for seat in seats(supervisor))


def all_died(supervisor: Supervisor, killed: int) -> bool:
    return all_ready(supervisor) and supervisor.deaths("selftest") == {"SIGSEGV": killed}


def test_a_library_is_imported_once_however_often_its_workers_die(supervise, tmp_path: Path):
    target, note = counting(tmp_path)
    supervisor = supervise(target)
    killed = 0
    for _ in range(3):
        assert wait_until(lambda: all_ready(supervisor))
        for seat in list(seats(supervisor)):
            os.kill(seat.worker.pid, signal.SIGSEGV)
            killed += 1
        assert wait_until(partial(all_died, supervisor, killed))
        assert supervisor.ask("selftest", ECHO)["echo"] == 1
    assert note.read_text().count("imported") == 1


def test_what_has_started_threads_is_not_copied(supervise, tmp_path: Path):
    more = "import threading, time\nthreading.Thread(target=time.sleep, args=(99,), daemon=True)"
    target, note = counting(tmp_path, more + ".start()\n")
    supervisor = supervise(target)
    assert wait_until(lambda: all_ready(supervisor))
    assert supervisor.ask("selftest", ECHO)["echo"] == 1
    assert note.read_text().count("imported") == 3, "the nursery and both workers by themselves"


def test_what_a_library_imports_late_no_worker_imports(supervise):
    supervisor = supervise(Target("keras-numpy", "keras", "numpy"))
    node = Node("n", "keras.random.uniform", (), {"shape": [2, 3], "seed": 1})
    request = request_for(Case(Graph((), (node,), ("n",)), {}))
    (trace,) = traces_of("keras-numpy", supervisor.ask("keras-numpy", request))
    assert trace.status == "ok"
    assert trace.cpu_seconds < 0.5, "Keras seeds TensorFlow, which takes a second to import"


def test_without_the_process_that_bears_them_there_is_another(supervise, tmp_path: Path):
    target, note = counting(tmp_path)
    supervisor = supervise(target)
    assert wait_until(lambda: all_ready(supervisor))
    before = set(supervisor.processes())
    os.kill(supervisor._slots["selftest"].processes()[0], signal.SIGKILL)
    assert wait_until(lambda: all_ready(supervisor) and not before & set(supervisor.processes()))
    assert supervisor.ask("selftest", ECHO)["echo"] == 1
    assert note.read_text().count("imported") == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("raise OSError('no such device')", "no such device"),
        ("import os; os.kill(os.getpid(), 11)", "SIGSEGV"),
        ("print('last words', flush=True); import os; os._exit(3)", "exit 3: last words"),
    ],
)
def test_a_library_that_cannot_be_imported(tmp_path: Path, line: str, message: str):
    target, _ = counting(tmp_path, line)
    with Supervisor([target]) as supervisor:
        (said,) = supervisor.start().values()
    assert isinstance(said, StartFailure)
    assert message in said.message


def test_workers_have_their_own_place_for_temporary_files(supervise, tmp_path: Path):
    note = tmp_path / "place"
    more = f"""
import tempfile
from assay_worker.libraries import selftest

before = tempfile.gettempdir()
scale = selftest.OPS["scale"]

def noting(array, factor=2.0):
    with open({str(note)!r}, "w") as file:
        file.write(before + "\\n" + tempfile.gettempdir())
    return scale(array, factor=factor)

selftest.OPS["scale"] = noting
"""
    target, _ = counting(tmp_path, more)
    supervisor = supervise(target)
    supervisor.ask("selftest", request_for(case_of("selftest.scale")))
    nursery, worker = map(Path, note.read_text().split())
    assert nursery != worker
    supervisor.close()
    assert not nursery.exists()
    assert not worker.exists()


def test_fresh_workers_were_never_asked_anything_and_end_with_their_answer(
    supervise, tmp_path: Path
):
    more = """
from assay_worker.libraries import selftest

asked = []
scale = selftest.OPS["scale"]

def counting(array, factor=2.0):
    asked.append(1)
    return scale(array, factor=factor) * len(asked)

selftest.OPS["scale"] = counting
"""
    target, _ = counting(tmp_path, more)
    supervisor = supervise(target)
    request = request_for(case_of("selftest.scale"))

    def answer(lane: Lane) -> float:
        told = supervisor.ask_all({"selftest": request}, lane=lane)["selftest"]
        (trace,) = traces_of("selftest", told)
        return float(trace.arrays["output:n"].flat[0])

    first = answer("fresh")
    assert answer("fresh") == first
    assert answer("active") == first
    assert answer("active") == 2 * first
    assert not [seat for seat in seats(supervisor) if seat.lane == "fresh"]
    supervisor.renew(["selftest"])
    assert answer("active") == first
    assert supervisor.deaths("selftest") == {}
