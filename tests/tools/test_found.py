"""tools/found.py: pages from what is kept beside them, and an index that forgets no id."""

import importlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import msgspec
import numpy as np
import pytest

from assay.campaign.triage.reproducer import Checked, Outcome
from assay.ir import Array, Finding
from assay.reproduce.known import known_issues, symptom_of
from assay.store import open_store
from tests.reproduce.examples import error, inconsistency, renamed

TOOLS = Path(__file__).parents[2] / "tools"
FOUND = TOOLS.parent / "docs" / "found"


Tool = Callable[[str], ModuleType]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Tool:
    """The tools by name, found as they find each other."""
    monkeypatch.syspath_prepend(TOOLS)
    return importlib.import_module


@pytest.fixture
def found(tool: Tool) -> ModuleType:
    return tool("found")


PRESENT = Outcome(0, "expected 1 actual 2\n", "")
ABSENT = Outcome(1, "expected 1 actual 1\n", "")
CAUSES = """
[[cause]]
findings = ["b3f1c0de", "0badcafe"]
title = "keras.ops.roll raises on TensorFlow"
severity = "error on valid input"
fix = "keras"
repro = '''
x = np.ones((2, 2))
keras.ops.roll(x, 1, axis=(0, 1))
'''
text = '''
The backend divides
before it multiplies.

Twice.
'''
checked = [{ file = "keras/src/ops/numpy.py", says = "x / y" }]

[[removed]]
findings = ["0123abcd"]
reason = "`keras.ops.kaiser`: of no interest"
"""


def another(finding: Finding, arrays: dict[str, Array]) -> tuple[Finding, dict[str, Array]]:
    """The same with another id."""
    fingerprint = "0badcafe" + "0" * 56
    changed = msgspec.structs.replace(finding, id=fingerprint[:8], fingerprint=fingerprint)
    return changed, arrays


def stored(path: Path, *findings: tuple[Finding, dict[str, Array]]) -> str:
    with open_store(str(path)) as store:
        campaign = store.start_campaign(seed=7, config={}, versions={})
        store.record_trial(campaign.id, 0, [*findings], {}, 1.0)
    return str(path)


@pytest.fixture
def folder(tool: Tool, tmp_path: Path) -> Path:
    """Two findings of one cause, with what its lines gave."""
    records = tool("records")
    kept = {}
    for finding, arrays in (error(), another(*inconsistency())):
        kept[finding.id] = tool("found").record(finding, arrays, Checked("", PRESENT, ABSENT))
        path = records.script_of(tmp_path, finding.id)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"print({finding.id!r})\n")
    records.keep(tmp_path, kept)
    (tmp_path / "causes.toml").write_text(CAUSES)
    given = {"tensorflow": "raises ValueError: no", "NumPy": "[[1.]]"}
    told = {"b3f1c0de": {"versions": "keras 3.15.1", "gives": given}}
    (tmp_path / "repros.json").write_text(json.dumps(told))
    return tmp_path


def test_a_page_says_what_where_why_and_how_it_was_run(found: ModuleType, folder: Path) -> None:
    (folder / "an-older-page-b3f1c0de.md").write_text("of a cause that has another title now")
    assert found.main(["--rebuild", "-o", str(folder)]) == 0
    (page,) = folder.glob("*-*.md")
    assert page.name == "keras-ops-roll-raises-on-tensorflow-b3f1c0de.md"
    text = page.read_text(encoding="utf-8")
    assert "- severity: error on valid input\n" in text
    assert "\n## Repro\n\n```python\nimport keras\nimport numpy as np\nx = np.ones" in text
    assert (
        "| NumPy | `` [[1.]] `` |  |\n| tensorflow | `` raises ValueError: no `` | wrong |" in text
    )
    assert "\nRun with keras 3.15.1.\n" in text
    assert "\n## Cause\n\nThe backend divides before it multiplies.\n\nTwice.\n" in text
    assert "- `keras/src/ops/numpy.py`: `` x / y ``" in text
    assert "`keras.ops.roll`, `keras.ops.unravel_index`; findings" in text
    assert "keras.ops.unravel_index(shape=(3, 4)) gives wrong numbers (2 instead of 1)" in text
    assert "\n```python\nprint('b3f1c0de')\n```\n" in text
    assert "KERAS_BACKEND=tensorflow, exit code 0:\n\n```\nexpected 1 actual 2\n```" in text
    assert "KERAS_BACKEND=jax, exit code 1:" in text
    assert "tensorflow 2.21.0" in text


def test_a_page_names_the_op_at_fault_and_says_whose_lines_were_not_read(
    found: ModuleType, folder: Path
) -> None:
    path = folder / "causes.toml"
    more = 'fix = "keras"\nop = "keras.ops.add"\nblamed = ["keras-openvino", "keras-tensorflow"]'
    path.write_text(path.read_text().replace('fix = "keras"', more))
    found.main(["--rebuild", "-o", str(folder)])
    (page,) = folder.glob("*-*.md")
    text = page.read_text(encoding="utf-8")
    assert '"op": "keras.ops.add"' in text
    assert "OpenVINO's lines were not read: its cause may be another.\n" in text
    assert "| `keras.ops.add` | [keras.ops.roll raises" in (folder / "README.md").read_text()
    path.write_text(path.read_text().replace("Twice.", "Twice, and OpenVINO, too."))
    found.main(["--rebuild", "-o", str(folder)])
    assert "were not read" not in page.read_text(encoding="utf-8")


def test_the_index_counts_causes_and_knows_every_id(found: ModuleType, folder: Path) -> None:
    found.main(["--rebuild", "-o", str(folder)])
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "1 causes: 1 error on valid input." in text
    for name in json.loads((folder / "findings.json").read_text()):
        assert f"| {name} | `keras.ops." in text
    assert "- 0123abcd: `keras.ops.kaiser`: of no interest" in text


def test_a_page_names_the_public_threads_about_its_fault(found: ModuleType, folder: Path) -> None:
    found.main(["--rebuild", "-o", str(folder)])
    (page,) = folder.glob("*-*.md")
    text = page.read_text(encoding="utf-8")
    for finding in (error()[0], inconsistency()[0]):
        (issue,) = known_issues(symptom_of(finding))
        assert text.count(f"\n- known: [{issue.title}]({issue.url})\n") == 1
    assert "1 are known" in (folder / "README.md").read_text(encoding="utf-8")


def test_what_is_kept_names_the_platform_and_not_a_target_of_the_users(
    tool: Tool, found: ModuleType
) -> None:
    finding, arrays = inconsistency()
    mine, own = renamed(finding, arrays, "keras-tensorflow", "mine")
    kept = found.record(mine, own, Checked("", PRESENT, ABSENT))
    assert kept.blamed == ("keras-tensorflow",)
    assert tool("records").known(kept) == known_issues(symptom_of(finding))


def test_a_page_says_if_the_repository_has_it_repaired(
    found: ModuleType, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"tensorflow": "raises ValueError: no", "jax": "[[1.]]"}
    path, causes = folder / "repository.json", folder / "causes.toml"
    for now, told in (("raises ValueError: no", False), ("[[1.]]", True)):
        given["tensorflow"] = now
        path.write_text(json.dumps({"version": "the copy", "results": {"b3f1c0de": given}}))
        found.main(["--rebuild", "-o", str(folder)])
        assert ("b3f1c0de looks repaired in the copy" in capsys.readouterr().out) is told
    (page,) = folder.glob("*-*.md")
    assert "\n- not fixed in the copy: " in page.read_text(encoding="utf-8")
    causes.write_text(causes.read_text().replace('fix = "keras"', 'fix = "keras"\nfixed = "."'))
    found.main(["--rebuild", "-o", str(folder)])
    assert "looks repaired" not in capsys.readouterr().out
    assert "\n- fixed in the copy.\n" in page.read_text(encoding="utf-8")


def test_what_is_kept_names_no_folder_of_whoever_ran_it(found: ModuleType) -> None:
    output = 'File "/home/me/lib/python3.11/site-packages/keras/src/ops.py", line 3\n1/2 and a/b\n'
    assert found.shown(output) == 'File "…/ops.py", line 3\n1/2 and a/b'


def test_two_causes_of_one_finding_and_unknown_severities_are_told(
    tool: Tool, folder: Path
) -> None:
    path = folder / "causes.toml"
    text = path.read_text()
    path.write_text(text.replace("0123abcd", "b3f1c0de"))
    with pytest.raises(ValueError, match="two tables for b3f1c0de"):
        tool("causes").causes(folder)
    path.write_text(text.replace("error on valid input", "bad"))
    with pytest.raises(ValueError, match="received 'bad'"):
        tool("causes").causes(folder)


def test_every_finding_has_a_cause_that_quotes_what_the_libraries_say(
    tool: Tool, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [os.environ.get(f"ASSAY_{name}_PYTHON", "") for name in ("MLX", "PADDLE")]
    arguments = [str(FOUND), *filter(None, others)]
    assert tool("causes").main(arguments) == 0, capsys.readouterr().out


def test_a_quotation_that_stands_nowhere_is_told(tool: Tool, folder: Path) -> None:
    causes = tool("causes")
    entries = causes.causes(folder).cause
    source = folder / "numpy.py"
    source.write_text("return x /\n    y\n", encoding="utf-8")
    installed = {"keras/src/ops/numpy.py": source}
    assert causes.misquoted(entries, installed) == []
    source.write_text("return x // y\n", encoding="utf-8")
    for wrong in (installed, {}):
        (told,) = causes.misquoted(entries, wrong)
        assert told == "b3f1c0de: keras/src/ops/numpy.py does not say: x / y"


def test_a_quotation_of_a_plugins_library_is_looked_up_where_that_is_installed(
    tool: Tool, folder: Path
) -> None:
    causes = tool("causes")
    (entry,) = causes.causes(folder).cause
    of_plugin = causes.Source("x / y", "mlx/nn/layers/activations.py")
    entry = msgspec.structs.replace(entry, checked=(of_plugin, *entry.checked))
    source = folder / "activations.py"
    source.write_text("return x // y\n", encoding="utf-8")
    installed = {"mlx/nn/layers/activations.py": source}
    assert causes.not_looked_up([entry], installed) == ()
    assert len(causes.misquoted([entry], installed)) == 2
    assert causes.not_looked_up([entry], {}) == (of_plugin,)
    (told,) = causes.misquoted([entry], {}, (of_plugin,))
    assert "keras/src/ops/numpy.py does not say" in told


def test_bugs_of_several_stores_are_taken_once(found: ModuleType, tmp_path: Path) -> None:
    finding, arrays = inconsistency()
    other = msgspec.structs.replace(another(*error())[0], category="convention")
    urls = [stored(tmp_path / name, (finding, arrays), (other, {})) for name in ("a.db", "b.db")]
    assert [item.id for item, _ in found.bugs(urls)] == ["b3f1c0de"]
    assert found.matches(finding, "keras.ops.un*")
    assert not found.matches(finding, "keras.layers.*")


def test_what_does_not_verify_is_told_and_not_kept(
    found: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finding, arrays = error()
    silent = msgspec.structs.replace(finding.evidence, observations=(), message="")
    url = stored(tmp_path / "a.db", (msgspec.structs.replace(finding, evidence=silent), arrays))
    folder = tmp_path / "found"
    assert found.main(["--add", url, "-o", str(folder)]) == 1
    assert json.loads((folder / "findings.json").read_text()) == {}
    assert "no script: it is not recorded what was raised" in capsys.readouterr().out


def test_a_fault_on_one_bug_is_told_and_the_others_are_kept_once(
    found: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, arrays = inconsistency()
    # No such array: our own code stumbles over the record.
    evidence = msgspec.structs.replace(good.evidence, where="output:none")
    bad = msgspec.structs.replace(another(good, arrays)[0], evidence=evidence)
    url = stored(tmp_path / "a.db", (good, arrays), (bad, arrays))
    folder = tmp_path / "found"
    assert found.main(["--add", url, "-o", str(folder)]) == 1
    assert [*json.loads((folder / "findings.json").read_text())] == [good.id]
    assert "exit 0: bug present" in (folder / "scripts" / f"{good.id}.py").read_text()
    told = capsys.readouterr().out
    line = "0badcafe keras.ops.unravel_index inconsistency: not kept, by a fault of Assay's own: "
    assert line in told
    assert "1 kept, 1 did not verify" in told
    assert found.main(["--add", url, "-o", str(folder), "--only", good.id]) == 0
    assert "0 to verify, 1 there" in capsys.readouterr().out


BY_HAND = f"""# numpy {np.__version__}: numpy.add(1, 1) is 2
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import numpy

print("expected 3 actual", numpy.add(1, 1))
raise SystemExit(0)
"""


def test_a_script_that_somebody_wrote_is_run_and_its_page_says_so(
    tool: Tool, found: ModuleType, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "written.py"
    path.write_text(BY_HAND)
    command = ["--by-hand", str(path), "-o", str(folder)]
    assert found.main(command) == 0
    (kept,) = (item for item in tool("records").records(folder).values() if item.by_hand)
    assert (kept.op, kept.kind, kept.blamed) == ("numpy.add", "equivalence", ("numpy",))
    assert kept.outputs[0].text == "expected 3 actual 2"
    causes = folder / "causes.toml"
    causes.write_text(causes.read_text().replace('"b3f1c0de", "0badcafe"', f'"{kept.id}"'))
    found.main(["--rebuild", "-o", str(folder)])
    (page,) = folder.glob("*-*.md")
    text = page.read_text(encoding="utf-8")
    assert f"Finding {kept.id} (equivalence, stage forward): numpy.add(1, 1) is 2." in text
    assert "\nMet by hand, in the source or while calls were tried: " in text
    assert "\n1 were met by hand, beside hunts" in (folder / "README.md").read_text()
    # What is there already keeps its id, whatever it says now.
    there = tool("records").script_of(folder, kept.id)
    there.write_text(there.read_text().replace("is 2", "is not 3"))
    assert found.main(["--by-hand", str(there), "-o", str(folder)]) == 0
    assert tool("records").records(folder)[kept.id].what == "numpy.add(1, 1) is not 3"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("SystemExit(0)", "SystemExit(1)"), "expected exit code 0, received 1: expected 3"),
        (("# met by hand: equivalence", "# met by hand: odd"), "expected the head of a script"),
        ((f"numpy {np.__version__}", "numpy 0.1"), f"expected numpy 0.1, found {np.__version__}"),
        ((f"numpy {np.__version__}", "nowhere 1.0"), "expected nowhere 1.0, found none"),
    ],
    ids=["not shown", "unknown kind", "another version", "not installed"],
)
def test_a_script_by_hand_that_does_not_show_what_it_says_is_told_and_not_kept(
    found: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: tuple[str, str],
    told: str,
) -> None:
    path, folder = tmp_path / "written.py", tmp_path / "found"
    path.write_text(BY_HAND.replace(*change))
    folder.mkdir()
    assert found.main(["--by-hand", str(path), "-o", str(folder)]) == 1
    said = capsys.readouterr().out
    assert f"written.py: {told}" in said
    assert "0 kept, 1 did not verify" in said
    assert [*(folder / "scripts").iterdir()] == []


def test_the_pages_are_what_is_made_of_the_files_beside_them(
    found: ModuleType, tmp_path: Path
) -> None:
    copy = shutil.copytree(FOUND, tmp_path / "found")
    found.main(["--rebuild", "-o", str(copy)])
    made = {path.name: path.read_text(encoding="utf-8") for path in copy.glob("*.md")}
    assert {path.name: path.read_text(encoding="utf-8") for path in FOUND.glob("*.md")} == made


def test_every_script_pins_the_kernels_before_it_imports_keras(tool: Tool) -> None:
    scripts = [path for path in (FOUND / "scripts").glob("*.py") if path.stem != "grad"]
    kept = tool("records").records(FOUND)
    assert scripts
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        record = kept[path.stem]
        # Equivalent programs are run on one backend, and need the kernels of no other.
        alone = record.kind == "equivalence" and record.blamed != ("keras-tensorflow",)
        if "KERAS_BACKEND" in text and not alone:
            before, _, _ = text.partition("    import keras\n")
            assert '\nos.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"' in before, path
        assert "type(error).__name__ ==" not in text, f"{path}: any exception counts"


def test_the_front_page_counts_the_causes(tool: Tool) -> None:
    count = len(tool("causes").causes(FOUND).cause)
    assert len([*FOUND.glob("*-*.md")]) == count
    front = " ".join((TOOLS.parent / "README.md").read_text(encoding="utf-8").split())
    assert f"has {count} causes of bugs" in front
