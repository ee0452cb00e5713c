"""Targets that cannot start, and targets that misbehave: the hunt goes on without harm."""

import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.campaign.events import CampaignFinished, FindingRecorded, TargetChanged
from assay.campaign.hunt.hunting import hunt
from assay.campaign.hunt.options import HuntOptions
from assay.config import load
from assay.report.ndjson import decode
from assay.targets import known_targets
from tests.e2e.command import QUICK_TARGET, Command, Done, one_line, seed_that_draws
from tests.e2e.patches import WRONG, misbehaving, target
from tests.models_on_disk import normalising_onnx

ONNX = "[targets.{name}]\nlibrary='onnxruntime'\nprelude='prelude-raises.py'\n"
RELU = "keras.layers.ReLU"


BROKEN = (
    "no-interpreter",
    "no-library",
    "no-backend",
    "no-prelude",
    "prelude-raises",
    "prelude-exits",
    "prelude-is-no-python",
    "prelude-misses-a-module",
    "prelude-dies",
)


def broken_target(assay: Command, name: str) -> tuple[str, list[str]]:
    """The configuration of a target that cannot start, and what a user must be told of it."""
    keras = f"[targets.{name}]\nlibrary='keras'\n"
    if name == "no-interpreter":
        text = f"{keras}backend='numpy'\npython='./nowhere/python'\n"
        return text, [f"{assay.folder}/nowhere/python", "No such file or directory"]
    if name == "no-library":
        venv.create(assay.folder / "bare", with_pip=False)
        text = f"{keras}backend='numpy'\npython='bare/bin/python'\n"
        return text, ["No module named", "install numpy in its interpreter"]
    if name == "no-backend":
        return f"{keras}backend='nmpy'\n", ["'nmpy'", "'numpy'"]
    if name == "no-prelude":
        return target(name, "none.py"), ["none.py", "No such file"]
    preludes = {
        "prelude-raises": ("raise ValueError('patch is wrong')", ["ValueError: patch is wrong"]),
        "prelude-exits": ("raise SystemExit('cannot go on')", ["SystemExit: cannot go on"]),
        "prelude-is-no-python": ("def", ["SyntaxError"]),
        "prelude-misses-a-module": ("import no_such_thing", ["install no_such_thing"]),
        "prelude-dies": ("import os; os._exit(7)", ["died while starting: exit 7"]),
    }
    code, parts = preludes[name]
    file = assay.write(f"{name}.py", code + "\n")
    return target(name, file), parts + ([file] if name != "prelude-dies" else [])


def broken_targets(assay: Command, names: Sequence[str]) -> dict[str, list[str]]:
    """Configure these; by name what a user must be told of each."""
    made = {name: broken_target(assay, name) for name in names}
    assay.write("assay.toml", "\n".join(text for text, _ in made.values()))
    return {name: parts for name, (_, parts) in made.items()}


def test_a_hunt_none_of_whose_targets_can_start_is_refused(assay: Command) -> None:
    expected = broken_targets(assay, BROKEN)
    done = assay("hunt", "--targets", ",".join(BROKEN), "--cases", "2", "--quiet")
    line = one_line(done)
    assert "too few targets can start. " in line
    assert "assay doctor" in line
    starts = [line.index(f"{name}: ") for name in BROKEN]
    assert starts == sorted(starts)
    for name, start, end in zip(BROKEN, starts, [*starts[1:], len(line)], strict=True):
        told = line[start:end]
        assert [part for part in expected[name] if part not in told] == [], told


def test_a_target_of_an_unknown_library_is_refused_before_anything_starts(assay: Command) -> None:
    assay.write("assay.toml", "[targets.mine]\nlibrary='kears'\n")
    line = one_line(assay("hunt", "--targets", "mine", "--cases", "2", "--quiet"))
    assert 'mine: unknown library "kears". Did you mean "keras"?' in line


def test_a_target_that_was_named_and_cannot_start_is_refused(assay: Command) -> None:
    broken_targets(assay, ["prelude-raises"])
    names = f"{QUICK_TARGET},prelude-raises"
    for command in (["hunt", "--cases", "2"], ["check", normalising_onnx(assay.folder)]):
        if command[0] == "check":
            assay.write("assay.toml", ONNX.format(name="prelude-raises"))
            names = "onnxruntime,prelude-raises"
        line = one_line(assay(*command, "--targets", names, "--quiet"))
        assert "asked for, but cannot" in line
        assert "prelude-raises: " in line
        assert "ValueError: patch is wrong" in line


def test_default_targets_that_cannot_start_are_left_out_and_named(assay: Command) -> None:
    names = ["no-interpreter", "no-library", "prelude-raises"]
    expected = broken_targets(assay, names)
    known = known_targets(load(str(assay.folder / "assay.toml")))
    options = HuntOptions(
        targets=tuple(known[name] for name in (*names, QUICK_TARGET)),
        witnesses=False,
        seed=3,
        cases=2,
        store=str(assay.folder / "assay.db"),
    )
    told = list(hunt(options))
    finished = told[-1]
    assert isinstance(finished, CampaignFinished)
    assert finished.summary.left_out == tuple(names)
    assert finished.summary.trials == 2
    changes = [event for event in told if isinstance(event, TargetChanged)]
    for name, parts in expected.items():
        first, last = [event for event in changes if event.target == name]
        assert (first.state, last.state) == ("starting", "left-out")
        assert [part for part in parts if part not in last.message] == [], last.message


def events(path: Path) -> list[Any]:
    """The events of a hunt."""
    return [decode(line) for line in path.read_text(encoding="utf-8").splitlines()]


def hunt_with(
    assay: Command,
    prelude: str,
    *others: str,
    op: str = RELU,
    cases: int = 8,
    options: tuple[str, ...] = ("--no-witnesses",),
) -> Done:
    """A hunt on a patched target and others, with a seed that draws the patched op."""
    assay.write("patch.py", prelude)
    assay.write("assay.toml", target("mine", "patch.py"))
    seed = seed_that_draws(op, within=cases)
    arguments = ["--cases", str(cases), "--seed", str(seed), "--events", "events.ndjson", "--json"]
    done = assay("hunt", *options, "--targets", ",".join(["mine", *others]), *arguments)
    assert done.code in (0, 1), done.err
    assert done.document["trials"] == cases, "the hunt went on to its end"
    return done


def of_op(done: Done, op: str) -> list[dict[str, Any]]:
    """The findings of an op that are bugs."""
    found = done.document["findings"]
    return [item for item in found if item["op"] == op and item["category"] == "bug"]


def test_a_patched_layer_is_found_and_blamed_on_the_patched_target(assay: Command) -> None:
    done = hunt_with(assay, WRONG, "keras-tensorflow", cases=10)
    assert done.code == 1
    found = of_op(done, RELU)
    assert [(item["kind"], item["stage"]) for item in found] == [("inconsistency", "forward")]
    assert found[0]["blamed"] == ["mine"]
    assert "keras-tensorflow" in found[0]["targets"]
    assert set(found[0]["versions"]["mine"]) == {"keras", "numpy", "python"}
    replayed = assay("replay", found[0]["id"])
    assert replayed.code == 1

    # The patch is taken back: the finding is gone, and the exit code says so.
    assay.write("patch.py", "")
    fixed = assay("replay", found[0]["id"], "--json")
    assert (fixed.code, fixed.document["replays"][0]["reproduced"]) == (0, 0)


def test_one_target_alone_is_judged_with_the_help_of_a_witness(assay: Command) -> None:
    alone = hunt_with(assay, WRONG, cases=6)
    assert of_op(alone, RELU) == [], "only the reference dissents"
    helped = hunt_with(assay, WRONG, cases=6, options=("--store", "helped.db"))
    (found,) = of_op(helped, RELU)
    assert found["blamed"] == ["mine"]
    assert set(found["targets"]) == {"mine", "keras-torch", "reference"}
    assert set(found["versions"]["keras-torch"]) >= {"keras", "torch"}
    assert helped.document["targets"] == ["mine", "reference"]
    assert found["evidence"]["anew"] is True


def test_what_new_processes_do_not_show_is_flaky(assay: Command) -> None:
    """The patch works in the process that the hunt's workers come from, and in no later one."""
    starts = assay.folder / "starts"
    prelude = f"""
with open({str(starts)!r}, "a") as file:
    file.write("x")
if len(open({str(starts)!r}).read()) <= 1:
""" + "".join(f"    {line}\n" for line in WRONG.splitlines())
    done = hunt_with(assay, prelude, "keras-torch", cases=6)
    found = [item for item in done.document["findings"] if item["op"] == RELU]
    assert [(item["category"], item["flaky"]) for item in found] == [("flaky", True)]
    assert found[0]["evidence"]["reason"] == "a new process does not show it"
    assert len(starts.read_text()) > 1


#: What layers do to their process, in one hunt.
MISBEHAVING = {
    "ReLU": "ctypes.string_at(0)",
    "Softmax": "os._exit(9)",
    "ELU": "blocks = []\n        while True: blocks.append(bytearray(1 << 28))",
    "LeakyReLU": (
        "os.write(1, bytes(range(256)) * 100)\n"
        "        os.write(2, b'\\xff{\"id\": 1}\\n' * 1000)\n"
        "        print('{\"ready\": false}', flush=True)\n"
        "        print('noise', file=sys.stderr)"
    ),
}


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Command, Done]:
    """A hunt on a target with layers that end their process, fill the memory or print garbage."""
    assay = Command(tmp_path_factory.mktemp("misbehaved"))
    made = (misbehaving(statement, layer) for layer, statement in MISBEHAVING.items())
    assay.write("patch.py", "\n".join(made))
    assay.write("assay.toml", target("mine", "patch.py"))
    ops = ",".join(f"keras.layers.{layer}" for layer in MISBEHAVING)
    done = assay(
        *("hunt", "--no-witnesses", "--targets", f"mine,{QUICK_TARGET}", "--ops", ops),
        *("--cases", "16", "--seed", "8", "--events", "events.ndjson", "--json"),
        timeout=500,
    )
    assert done.code == 1, done.err
    assert done.document["trials"] == 16, "the hunt went on to its end"
    return assay, done


@pytest.mark.parametrize(
    ("layer", "cause"), [("ReLU", "SIGSEGV"), ("Softmax", "exit 9"), ("ELU", "ran out of memory")]
)
def test_a_layer_that_ends_its_process_or_fills_the_memory_is_a_crash(
    misbehaved: tuple[Command, Done], layer: str, cause: str
) -> None:
    _, done = misbehaved
    (found,) = of_op(done, f"keras.layers.{layer}")
    assert (found["kind"], found["stage"], found["blamed"]) == ("crash", "forward", ["mine"])
    (told,) = [
        item["summary"] for item in found["evidence"]["observations"] if item["target"] == "mine"
    ]
    assert cause in told


def test_a_crash_is_told_with_its_signal_and_comes_back(misbehaved: tuple[Command, Done]) -> None:
    assay, done = misbehaved
    (found,) = of_op(done, RELU)
    assert "SIGSEGV" in assay("show", found["id"]).out
    assert assay("replay", found["id"]).code == 1


def test_the_others_are_not_affected_by_one_that_misbehaves(
    misbehaved: tuple[Command, Done],
) -> None:
    assay, _ = misbehaved
    told = events(assay.folder / "events.ndjson")
    deaths = {
        event.target: event.deaths
        for event in told
        if isinstance(event, TargetChanged) and event.deaths
    }
    assert list(deaths) == ["mine"]
    assert set(deaths["mine"]) == {"SIGSEGV", "exit 9"}  # without memory it lives
    assert any(isinstance(event, FindingRecorded) and event.new for event in told)


def test_a_layer_that_prints_garbage_disturbs_nobody(misbehaved: tuple[Command, Done]) -> None:
    _, done = misbehaved
    garbage = "keras.layers.LeakyReLU"
    assert [item for item in done.document["findings"] if item["op"] == garbage] == []
    assert done.document["coverage"]["ops"] == 1, "it was asked, too"
    assert "noise" not in done.err


def test_a_fault_of_the_worker_itself_costs_one_trial_and_is_said(assay: Command) -> None:
    assay.write(
        "prelude.py",
        """
from assay_worker.libraries._base import Question

original = Question.digest
calls = []

def digest(self):
    calls.append(self)
    if len(calls) == 3:
        raise KeyError("lost")
    return original(self)

Question.digest = digest
""",
    )
    assay.write("assay.toml", target("mine", "prelude.py"))
    arguments = ("--cases", "6", "--seed", "3", "--json")
    done = assay("hunt", "--no-witnesses", "--targets", "mine", *arguments)
    assert done.code in (0, 1), done.err
    assert done.document["trials"] == 6
    (line,) = [line for line in done.err.splitlines() if "was not judged" in line]
    assert "by a fault of Assay's own: mine: KeyError" in line


@pytest.mark.deep
def test_a_target_of_any_name_gives_the_findings_of_its_platform(assay: Command) -> None:
    """Known refusals stay refusals, and a bug whose believed side is ``mine`` has its script."""
    assay.write("assay.toml", "[targets.mine]\nlibrary='keras'\nbackend='torch'\n")
    ops = "keras.ops.cross,keras.ops.linspace,keras.ops.unravel_index"
    found = {}
    for name in ("keras-torch", "mine"):
        arguments = ["--ops", ops, "--cases", "40", "--seed", "6", "--store", f"{name}.db"]
        done = assay(
            "hunt", "--no-witnesses", "--targets", f"keras-tensorflow,{name}", *arguments, "--json"
        )
        assert done.code == 1, done.err
        assert done.document["faults"] == 0
        found[name] = {item["id"]: item for item in done.document["findings"]}
    mine = found["mine"]
    assert {key: (item["category"], item["recognised"]) for key, item in mine.items()} == {
        key: (item["category"], item["recognised"]) for key, item in found["keras-torch"].items()
    }
    assert {item["recognised"] for item in mine.values()} >= {"torch-cross-axes"}
    shown = [item for item in mine.values() if item["category"] == "bug"]
    assert {item["op"] for item in shown} >= {"keras.ops.unravel_index"}
    for item in shown:
        assert item["script"]["reason"] == ""
        other = Path(found["keras-torch"][item["id"]]["reproducer"])
        assert Path(item["reproducer"]).read_text() == other.read_text()
        platform = item["platforms"]["mine"]
        assert (platform["library"], platform["backend"], platform["mode"]) == (
            "keras",
            "torch",
            "eager",
        )
        text = assay("export", item["id"], "--markdown", "--check", "--store", "mine.db")
        assert text.code == 0, text.err
        assert "- keras-torch (mine): " in text.out
