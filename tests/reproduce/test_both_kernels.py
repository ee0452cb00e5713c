"""Scripts end as they say whatever kernels the caller's environment or CPU would choose."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assay.campaign.triage.interpreters import Interpreters
from assay.campaign.triage.reproducer import Outcome, checked
from assay.ir import Machine, Node, Platform, platform_of
from assay.reproduce import script
from tests.reproduce.examples import EXAMPLES, Example, case_of, error, finding_of, inconsistency

ONEDNN = "TF_ENABLE_ONEDNN_OPTS"
#: Runs scripts one after the other with one import of the library, and says how each ended.
DRIVER = """
import json, runpy, sys
codes, paths = [], sys.argv[1:]
for path in paths:
    sys.argv = [path]
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as ending:
        codes.append(ending.code)
print(json.dumps(codes))
"""


def unwritten_memory() -> Example:
    """The gradient of a convolution of nothing: of no sum, whatever lay there before.

    With oneDNN it is zero each time, so that only the kernels of the finding show it.
    """
    node = Node("n0", "keras.ops.depthwise_conv", ("x0", "x1"), {"data_format": None})
    tensors = {"x0": np.zeros((0, 1, 1), "float32"), "x1": np.ones((1, 1, 1), "float32")}
    case = case_of(node, tensors, np.zeros((0, 1, 1), "float32"))
    where = "gradient:input:x1"
    evidence = {"where": where, "position": (0, 0, 0), "tolerance": 0.001}
    found = finding_of(
        case, "nondeterminism", "keras-tensorflow", {"keras-tensorflow": "0"}, evidence=evidence
    )
    arrays = {
        f"keras-tensorflow/{where}": np.array([[[5.0]]], "float32"),
        "keras-tensorflow/output:n0": np.zeros((0, 1, 1), "float32"),
    }
    return msgspec.structs.replace(found, stage="gradient"), arrays


@pytest.mark.stress
@pytest.mark.parametrize("setting", ["0", "1"])
def test_a_script_ends_alike_whatever_its_caller_has_set(setting: str, tmp_path: Path) -> None:
    made = [EXAMPLES[name]() for name in ("error", "inconsistency", "crash")]
    paths = []
    for place, example in enumerate([*made, unwritten_memory()]):
        paths.append(tmp_path / f"{place}.py")
        paths[-1].write_text(script(*example), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, *map(str, paths)],
        env={**os.environ, ONEDNN: setting, "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [0, 0, 0, 0], done.stdout + done.stderr


@pytest.fixture(scope="module")
def interpreters() -> Iterator[Interpreters]:
    with closing(Interpreters()) as opened:
        yield opened


TORCH = Platform("keras", "torch")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("keras.ops.roll(x, shift=(1, 2, 3), axis=(0,))", 0),  # another type than recorded
        ("keras.ops.no_such_op(x)", 2),
        ("keras.ops.roll(x, shift=2, no_such_parameter=1)", 2),
        ("keras.ops.roll(x, shift=2, axis=(1,))", 1),
    ],
)
def test_any_exception_counts_but_one_that_says_there_is_no_such_call(
    call: str, code: int, interpreters: Interpreters
) -> None:
    text = script(*error())
    assert "keras.ops.roll(x, shift=2, axis=(1,))" in text
    text = text.replace("keras.ops.roll(x, shift=2, axis=(1,))", call)
    assert interpreters.verify(text, "keras-torch", TORCH).code == code


def test_an_exception_of_the_inputs_says_nothing(interpreters: Interpreters) -> None:
    text = script(*error()).replace('dtype="float32")', 'dtype="float33")')
    assert interpreters.verify(text, "keras-torch", TORCH).code is None


def with_other_kernels(example: Example, flags: tuple[str, ...]) -> Example:
    """The same, found with oneDNN only, on a CPU with these flags."""
    finding, arrays = example
    other = "keras-tensorflow+onednn"
    platform = Platform(
        "keras", "tensorflow", "onednn", environment={ONEDNN: "1"}, machine=Machine("a CPU", flags)
    )
    observed = [item.target for item in finding.evidence.observations]
    observations = tuple(
        msgspec.structs.replace(item, target=other if item.target in finding.blamed else target)
        for item, target in zip(finding.evidence.observations, observed, strict=True)
    )
    names = tuple(other if name in finding.blamed else name for name in finding.targets)
    changed = msgspec.structs.replace(
        finding,
        targets=(*names, *finding.blamed),
        blamed=(other,),
        platforms={other: platform, **{n: platform_of(finding, n) for n in finding.targets}},
        evidence=msgspec.structs.replace(finding.evidence, observations=observations),
    )
    kept = {name.replace("keras-tensorflow/", f"{other}/"): item for name, item in arrays.items()}
    return changed, kept


def test_what_other_kernels_show_needs_the_cpu_that_showed_it(
    tmp_path: Path, interpreters: Interpreters
) -> None:
    text = script(*with_other_kernels(error(), ("avx2", "avx512f", "sse4_1")))
    assert f'os.environ["{ONEDNN}"] = "1"' in text
    for flags, code, said in (
        ("fpu avx2", 2, "it needs a CPU with avx512f"),
        ("avx2 avx512f", 1, "expected no exception"),
    ):
        info = tmp_path / "cpuinfo"
        info.write_text(f"flags : {flags}\n")
        here = text.replace("/proc/cpuinfo", str(info))
        outcome = interpreters.verify(here, "keras-torch", TORCH)  # where nothing is raised
        assert outcome.code == code, outcome
        assert said in outcome.output


def test_a_sound_target_with_the_usual_kernels_is_asked_with_those() -> None:
    finding, arrays = with_other_kernels(inconsistency(), ())
    asked: dict[str, str] = {}

    def run(text: str, target: str, platform: Platform) -> Outcome:
        asked[target] = text
        return Outcome(0 if target.endswith("onednn") else 1, "", "")

    assert checked(finding, arrays, run).reason == ""
    # Others come first, and of them the cheapest.
    assert list(asked) == ["keras-tensorflow+onednn", "keras-torch"]
    alone = msgspec.structs.replace(
        finding, evidence=msgspec.structs.replace(finding.evidence, believed=("keras-tensorflow",))
    )
    arrays["keras-tensorflow/output:n0"] = arrays["keras-jax/output:n0"]
    assert checked(alone, arrays, run).reason == ""
    assert f'"{ONEDNN}"] = "1"' in asked["keras-tensorflow+onednn"]
    assert f'"{ONEDNN}"] = "0"' in asked["keras-tensorflow"]
