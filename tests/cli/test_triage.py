"""``assay findings`` with groups and baselines, and ``assay report``, on a real store."""

import json
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from assay.cli.main import run
from assay.store import open_store
from tests.reproduce.examples import error, inconsistency

HOSTILE = '<script>alert(1)</script><img src="https://example.org/x.png"> | `code` [link](x)'


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bugs; the message of one of them is full of markup."""
    monkeypatch.chdir(tmp_path)
    wrong, arrays = inconsistency()
    raising, _ = error()
    evidence = msgspec.structs.replace(raising.evidence, message=HOSTILE, stack=HOSTILE)
    raising = msgspec.structs.replace(
        raising, id="90ac", fingerprint="90ac" + "0" * 60, evidence=evidence
    )
    with open_store("assay.db") as opened:
        versions = {"keras-torch": {"keras": "3.15.1"}}
        campaign = opened.start_campaign(seed=7, config={}, versions=versions)
        opened.record_trial(campaign.id, 0, [(wrong, arrays), (raising, {})], {}, 1.0)


def ran(capsys: pytest.CaptureFixture[str], line: str, code: int) -> tuple[str, str]:
    assert run(line.split()) == code
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_known_bugs_pass_and_new_ones_fail(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = ran(capsys, "findings --op roll --baseline known.json --update-baseline", 0)
    assert err == "known.json: 1 bugs\n"
    out, _ = ran(capsys, "findings --baseline known.json", 1)
    assert "b3f1" in out
    assert out.endswith("1 new bug, 1 known, 0 no longer there\n")
    ran(capsys, "findings --baseline known.json --update-baseline", 0)
    out, _ = ran(capsys, "findings --baseline known.json", 0)
    assert out == "0 new bugs, 2 known, 0 no longer there\n"
    out, _ = ran(capsys, "findings --op roll --baseline known.json", 0)
    assert "no longer there: b3f1" in out
    document = json.loads(ran(capsys, "findings --baseline known.json --json", 0)[0])
    assert [len(document[key]) for key in ("new", "known", "fixed")] == [0, 2, 0]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("findings --update-baseline", "needs the file: add --baseline FILE"),
        ("findings --baseline nowhere.json", "cannot read nowhere.json"),
        ("report --campaign nope", 'campaign "nope"'),
        ("report -o assay.db", "Name a folder"),
        ("reduce --calls 0", "--calls must be from 1 to 100,000; received 0"),
        ("reduce --preset muffin", 'unknown preset "muffin". reduce has: audee.'),
        ("reduce nope", 'has no finding "nope"'),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], line: str, told: str) -> None:
    out, err = ran(capsys, line, 2)
    assert out == ""
    assert err.count("\n") == 1
    assert told in err


def test_causes_and_filters(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = ran(capsys, "findings", 0)
    assert "wrong numbers" in out
    assert "2 bugs. Store" in out
    document = json.loads(ran(capsys, "findings --json", 0)[0])
    assert [len(cause["findings"]) for cause in document["causes"]] == [1, 1]
    assert [cause["severity"] for cause in document["causes"]] == ["wrong numbers", "error"]
    assert {item["severity"] for item in document["findings"]} == {"wrong numbers", "error"}
    flat, _ = ran(capsys, "findings --flat", 0)
    assert "category" in flat
    none, _ = ran(capsys, "findings --blamed keras-jax", 0)
    assert "No findings" in none
    _, error = ran(capsys, "findings --blamed keras-torhc", 2)
    assert 'unknown target "keras-torhc". Did you mean "keras-torch"?' in error


class Page(HTMLParser):
    """Elements, attributes and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_report_is_offline_and_shows_markup_as_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, err = ran(capsys, "report -o out/report", 0)
    assert err == "out/report/index.html: 2 bugs, 2 findings\n"
    page = Page()
    source = Path("out/report/index.html").read_text(encoding="utf-8")
    page.feed(source)
    assert "<script>alert(1)</script>" in page.text
    assert not {"script", "img", "iframe", "object", "form"} & set(page.tags)
    loaded = [value for name, value in page.attributes if name in ("src", "href", "action")]
    assert all((value or "").startswith(("#", "data:,")) for value in loaded)
    assert "default-src 'none'" in source
    assert "url(" not in source
    assert "@import" not in source
    assert "os.environ.setdefault" in page.text
    ids = [value for name, value in page.attributes if name == "id"]
    assert {value.removeprefix("#") for value in loaded if value and value[0] == "#"} <= set(ids)


def test_the_report_is_also_markdown_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = ran(capsys, "report -o report --json", 0)
    document = json.loads(Path("report/report.json").read_text(encoding="utf-8"))
    assert document == json.loads(out)
    assert [item["finding"]["id"][:4] for item in document["findings"]] == ["b3f1", "90ac"]
    text = Path("report/report.md").read_text(encoding="utf-8")
    before_stacks = text.split("````python")[0]
    assert "<script>" not in before_stacks
    assert text.count("````python") == 4  # the few lines of each bug, and its script
