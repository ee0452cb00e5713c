"""The worker package on Python 3.6 with numpy 1.16: same arrays, same hashes, same protocol."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import assay_worker
from assay.execute import Limits, Supervisor, request_for, traces_of
from assay.ir import Case, Graph, Input, Mixed, Node, Uniform, content_hash, to_plain
from assay.targets import Target
from assay_worker import recipes

_NUMPY = "numpy==1.16.6"
_RECIPES = [
    ({"kind": "uniform", "seed": 7, "low": -2.0, "high": 3.0}, [3, 5], "float32"),
    ({"kind": "uniform", "seed": 2**59 + 1}, [4], "float16"),
    ({"kind": "integers", "seed": 8, "low": -3, "high": 9}, [17], "int64"),
    ({"kind": "mixed", "seed": 9, "classes": list(recipes.VALUE_CLASSES)}, [6, 7], "float32"),
    ({"kind": "mixed", "seed": 3, "classes": ["tied", "subnormal"]}, [2, 1, 9], "float64"),
    ({"kind": "mixed", "seed": 4, "classes": ["integer_extreme", "zero"]}, [12], "int32"),
    ({"kind": "one_hot", "seed": 10}, [4, 3], "float32"),
    ({"kind": "probabilities", "seed": 11}, [4, 3], "float32"),
    ({"kind": "signs", "seed": 12}, [], "float32"),
    ({"kind": "constant", "value": 0.1}, [2], "float32"),
]
_SCRIPT = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location(
    "assay_worker", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
package = importlib.util.module_from_spec(spec)
sys.modules["assay_worker"] = package
spec.loader.exec_module(package)
from assay_worker import canonical, recipes
questions = json.load(sys.stdin)
print(json.dumps({
    "digests": [recipes.digest({"a": recipes.materialise(*r)}) for r in questions["recipes"]],
    "derived": recipes.derive(7, "a", 3),
    "hash": canonical.content_hash(questions["case"]),
}))
"""


def _find_python36() -> str | None:
    found = shutil.which("python3.6")
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = sorted(root.glob("versions/3.6.*/bin/python"))
    # A pyenv shim may exist for a version that is not active; the real file is surer.
    return str(candidates[-1]) if candidates else found


@pytest.fixture(scope="session")
def python36(request: pytest.FixtureRequest) -> str:
    """An interpreter of Python 3.6 with numpy 1.16, made once and kept in pytest's cache."""
    python = _find_python36()
    if python is None:
        pytest.skip("no Python 3.6 on this machine")
    home = Path(request.config.cache.mkdir("python36")) / "venv"
    ready = home / "ready"
    if not ready.exists():
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(home)], check=True)
        install = [str(home / "bin/python"), "-m", "pip", "install", "-q", _NUMPY]
        done = subprocess.run(install, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"cannot install {_NUMPY} for Python 3.6: {done.stderr.strip()[-200:]}")
        ready.touch()
    return str(home / "bin/python")


def _case() -> Case:
    graph = Graph(
        inputs=(Input("x", (3, 5)),),
        nodes=(
            Node("a", "selftest.scale", ("x",), {"factor": 0.1}),
            Node("b", "selftest.add", ("a", "x")),
        ),
        outputs=("b",),
    )
    return Case(graph, {"x": Mixed(3, ("nan", "huge", "zero"))}, weights=Uniform(6))


def test_recipes_and_hashes_are_equal_on_python36(python36: str):
    questions = {"recipes": _RECIPES, "case": to_plain(_case())}
    answer = subprocess.run(
        [python36, "-c", _SCRIPT, str(Path(assay_worker.__file__).parent)],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=True,
    )
    old = json.loads(answer.stdout)
    assert old["digests"] == [recipes.digest({"a": recipes.materialise(*r)}) for r in _RECIPES]
    assert old["derived"] == recipes.derive(7, "a", 3)
    assert old["hash"] == content_hash(_case())


def test_a_python36_worker_gives_the_same_trace_as_ours(python36: str):
    targets = [Target("old", "selftest", python=python36), Target("new", "selftest")]
    with Supervisor(targets, Limits(run_seconds=30), standbys=False) as supervisor:
        hellos = supervisor.start()
        assert hellos["old"].versions["python"].startswith("3.6.")
        assert hellos["old"].versions["numpy"] == "1.16.6"
        request = request_for(_case())
        (old,), (new,) = (traces_of(t.name, supervisor.ask(t.name, request)) for t in targets)
    assert old.status == new.status == "ok"
    assert old.digest == new.digest
    assert set(old.arrays) == set(new.arrays)
    for name, array in old.arrays.items():
        assert array.tobytes() == new.arrays[name].tobytes()


def test_a_python36_worker_that_crashes_is_reported_and_replaced(python36: str):
    case = Case(
        Graph((Input("x", (2,)),), (Node("n", "selftest.segfault", ("x",)),), ("n",)),
        {"x": Uniform(1)},
    )
    with Supervisor([Target("old", "selftest", python=python36)], Limits()) as supervisor:
        supervisor.start()
        (trace,) = traces_of("old", supervisor.ask("old", request_for(case)))
        assert trace.failure is not None
        assert trace.failure.signal == "SIGSEGV"
        (again,) = traces_of("old", supervisor.ask("old", request_for(_case())))
        assert again.status == "ok"
