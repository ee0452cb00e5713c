"""tools/found.py: pages from checked scripts, and an index that forgets nothing."""

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from assay.campaign.triage.reproducer import Checked, Outcome
from assay.reproduce.known import symptom_of
from assay.store import open_store
from tests.reproduce.examples import error, inconsistency, renamed

TOOLS = Path(__file__).parents[2] / "tools"


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


def test_a_page_says_what_where_and_how_it_was_run(found: ModuleType) -> None:
    finding, arrays = inconsistency()
    text = found.page(finding, arrays, Checked("pass\n", PRESENT, ABSENT))
    assert "# keras.ops.unravel_index(shape=(3, 4)) gives wrong numbers (2 instead of 1)" in text
    assert "KERAS_BACKEND=tensorflow, exit code 0:\n\n```\nexpected 1 actual 2\n```" in text
    assert "KERAS_BACKEND=jax, exit code 1:" in text
    assert "| float64 reference | 1 |  |" in text
    assert "tensorflow 2.21.0" in text


def test_a_page_names_no_folder_of_whoever_ran_it(found: ModuleType) -> None:
    finding, arrays = inconsistency()
    output = 'File "/home/me/lib/python3.11/site-packages/keras/src/ops.py", line 3\n1/2 and a/b\n'
    text = found.page(finding, arrays, Checked("pass\n", Outcome(0, output, ""), ABSENT))
    assert 'File "…/ops.py", line 3\n1/2 and a/b' in text


def test_the_index_lists_pages_of_earlier_runs(found: ModuleType, tmp_path: Path) -> None:
    for example in (inconsistency, error):
        finding, arrays = example()
        page = found.page(finding, arrays, Checked("pass\n", PRESENT, ABSENT))
        (tmp_path / f"{found.slug(finding)}.md").write_text(page)
    (tmp_path / "README.md").write_text("an index from before\n")
    text = found.index(tmp_path)
    assert "2 findings in 2 ops (1 error, 1 inconsistency)" in text
    assert text.index("keras.ops.roll") < text.index("keras.ops.unravel_index")
    assert "(ops-roll-error-tensorflow-b3f1c0de.md)" in text


CAUSES = """
[[cause]]
findings = ["b3f1c0de"]
text = '''
The backend divides
before it multiplies.
'''
checked = [{ file = "keras/src/ops/numpy.py", says = "x / y" }]
"""


def test_a_page_says_why_and_forgets_it_when_the_entry_goes(
    found: ModuleType, tmp_path: Path
) -> None:
    finding, arrays = error()
    path = tmp_path / f"{found.slug(finding)}.md"
    bare = found.page(finding, arrays, Checked("", PRESENT))
    path.write_text(bare, encoding="utf-8")
    (tmp_path / "causes.toml").write_text(CAUSES, encoding="utf-8")
    for _ in range(2):
        assert found.main(["--annotate", "-o", str(tmp_path)]) == 0
        text = path.read_text(encoding="utf-8")
        cause = found.causes(tmp_path)["b3f1c0de"]
        assert text == found.page(finding, arrays, Checked("", PRESENT), cause)
        assert "\n## Cause\n\nThe backend divides before it multiplies.\n" in text
        assert "- `keras/src/ops/numpy.py`: `` x / y ``" in text
    assert "1 say why" in (tmp_path / "README.md").read_text(encoding="utf-8")
    (tmp_path / "causes.toml").unlink()
    assert found.main(["--annotate", "-o", str(tmp_path)]) == 0
    assert path.read_text(encoding="utf-8") == bare


def test_every_page_says_why_and_quotes_what_the_libraries_say(
    tool: Tool, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [os.environ.get(f"ASSAY_{name}_PYTHON", "") for name in ("MLX", "PADDLE")]
    arguments = [str(TOOLS.parent / "docs" / "found"), *filter(None, others)]
    assert tool("causes").main(arguments) == 0, capsys.readouterr().out


def test_a_quotation_that_stands_nowhere_is_told(tool: Tool, tmp_path: Path) -> None:
    causes = tool("causes")
    (tmp_path / "causes.toml").write_text(CAUSES, encoding="utf-8")
    entry = causes.causes(tmp_path)["b3f1c0de"]
    source = tmp_path / "numpy.py"
    source.write_text("return x /\n    y\n", encoding="utf-8")
    installed = {"keras/src/ops/numpy.py": source}
    assert causes.misquoted([entry], installed) == []
    source.write_text("return x // y\n", encoding="utf-8")
    for wrong in (installed, {}):
        (told,) = causes.misquoted([entry], wrong)
        assert told == "b3f1c0de: keras/src/ops/numpy.py does not say: x / y"


OTHER = """
[[cause]]
findings = ["b3f1c0de"]
text = "It divides."
checked = [
    { file = "mlx/nn/layers/activations.py", says = "x / y" },
    { file = "keras/src/ops/numpy.py", says = "x / y" },
]
"""


def test_a_quotation_of_a_plugins_library_is_looked_up_where_that_is_installed(
    tool: Tool, tmp_path: Path
) -> None:
    causes = tool("causes")
    (tmp_path / "causes.toml").write_text(OTHER, encoding="utf-8")
    entry = causes.causes(tmp_path)["b3f1c0de"]
    source = tmp_path / "activations.py"
    source.write_text("return x // y\n", encoding="utf-8")
    installed = {"mlx/nn/layers/activations.py": source}
    assert causes.not_looked_up([entry], installed) == ()
    assert len(causes.misquoted([entry], installed)) == 2
    unseen = causes.not_looked_up([entry], {})
    assert [item.file for item in unseen] == ["mlx/nn/layers/activations.py"]
    (told,) = causes.misquoted([entry], {}, unseen)
    assert "keras/src/ops/numpy.py does not say" in told


def test_what_was_not_looked_up_is_counted_and_named(
    tool: Tool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    causes = tool("causes")
    (tmp_path / "causes.toml").write_text(OTHER.replace("keras/src/ops/numpy.py", "mlx/a.py"))
    (tmp_path / "a-b3f1c0de.md").write_text("a page\n", encoding="utf-8")
    if causes.files_of_others([sys.executable]):
        pytest.skip("MLX or PaddlePaddle is installed here")
    assert causes.main([str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "2 quotations not looked up, because not installed here: mlx" in told


def test_bugs_of_several_stores_are_taken_once(found: ModuleType, tmp_path: Path) -> None:
    finding, arrays = inconsistency()
    other, _ = error()
    other = msgspec.structs.replace(
        other, id="90ac", fingerprint="90ac" + "0" * 60, category="convention"
    )
    for name in ("a.db", "b.db"):
        with open_store(str(tmp_path / name)) as store:
            campaign = store.start_campaign(seed=7, config={}, versions={})
            store.record_trial(campaign.id, 0, [(finding, arrays), (other, {})], {}, 1.0)
    listed = list(found.bugs([str(tmp_path / "a.db"), str(tmp_path / "b.db")]))
    assert [item.id for item, _ in listed] == ["b3f1c0de"]
    assert found.matches(finding, "keras.ops.un*")
    assert not found.matches(finding, "keras.layers.*")


def test_what_does_not_verify_is_told_and_not_written(
    found: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finding, arrays = error()
    unknown = msgspec.structs.replace(finding, kind="precision")
    with open_store(str(tmp_path / "a.db")) as store:
        campaign = store.start_campaign(seed=7, config={}, versions={})
        store.record_trial(campaign.id, 0, [(unknown, arrays)], {}, 1.0)
    folder = tmp_path / "found"
    assert found.main([str(tmp_path / "a.db"), "-o", str(folder)]) == 1
    assert [path.name for path in folder.iterdir()] == ["README.md"]
    assert "no script: findings of kind precision have none yet" in capsys.readouterr().out


def test_a_fault_on_one_bug_is_told_and_the_others_get_their_pages(
    found: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, arrays = inconsistency()
    # No such array: our own code stumbles over the record.
    evidence = msgspec.structs.replace(good.evidence, where="output:none")
    bad = msgspec.structs.replace(good, id="0bad", fingerprint="0bad" + "0" * 60, evidence=evidence)
    with open_store(str(tmp_path / "a.db")) as store:
        campaign = store.start_campaign(seed=7, config={}, versions={})
        store.record_trial(campaign.id, 0, [(good, arrays), (bad, arrays)], {}, 1.0)
    folder = tmp_path / "found"
    assert found.main([str(tmp_path / "a.db"), "-o", str(folder)]) == 1
    assert {path.name for path in folder.iterdir()} == {"README.md", f"{found.slug(good)}.md"}
    told = capsys.readouterr().out
    line = "0bad keras.ops.unravel_index inconsistency: no page, by a fault of Assay's own: "
    assert line in told
    assert "1 written, 1 did not verify" in told


def test_a_page_names_the_platform_and_not_a_target_of_the_users(found: ModuleType) -> None:
    finding, arrays = inconsistency()
    result = Checked("pass\n", PRESENT, ABSENT)
    mine, own = renamed(finding, arrays, "keras-tensorflow", "mine")
    page = found.page(mine, own, result)
    assert "- blamed: keras-tensorflow\n" in page
    assert found.slug(mine) == found.slug(finding)
    assert found.symptom_on(page) == symptom_of(mine) == symptom_of(finding)


def test_known_issues_are_written_on_pages_that_are_there(
    found: ModuleType, tmp_path: Path
) -> None:
    finding, arrays = inconsistency()
    page = found.page(finding, arrays, Checked("", PRESENT))
    (line,) = found.known_lines(symptom_of(finding))
    assert page.count(line) == 1
    assert found.symptom_on(page) == symptom_of(finding)
    path = tmp_path / "page.md"
    path.write_text(page.replace(f"{line}\n", ""), encoding="utf-8")
    for _ in range(2):
        assert found.main(["--annotate", "-o", str(tmp_path)]) == 0
        assert path.read_text(encoding="utf-8") == page
    assert "1 are known" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_front_page_counts_the_pages() -> None:
    folder = TOOLS.parent / "docs" / "found"
    pages = [path.read_text(encoding="utf-8") for path in folder.glob("*-*.md")]
    known = sum("\n- known: " in text for text in pages)
    front = " ".join((TOOLS.parent / "README.md").read_text(encoding="utf-8").split())
    assert f"has {len(pages)} bugs" in front
    assert f"{known} of them name a public issue" in front
