"""Groups of one cause, and baselines."""

from pathlib import Path

import msgspec
import pytest

from assay.campaign.triage import baseline
from assay.errors import AssayError
from assay.ir import Finding
from tests.factories import make_finding


def finding(name: str, message: str = "", **changes: object) -> Finding:
    found = make_finding(name, **changes)
    evidence = msgspec.structs.replace(found.evidence, message=message)
    return msgspec.structs.replace(found, evidence=evidence)


def test_a_baseline_knows_old_bugs_and_tells_new_and_fixed_ones(tmp_path: Path) -> None:
    path = str(tmp_path / "known.json")
    old, kept, new = (finding(name) for name in ("old", "kept", "new"))
    baseline.write(path, [old, kept], ["old one", "kept one"])
    result = baseline.compared([kept, new], baseline.read(path))
    assert result.new == (new,)
    assert result.known == (kept,)
    assert [(entry.id, entry.what) for entry in result.fixed] == [(old.id, "old one")]


def test_a_baseline_is_the_same_file_whatever_the_order(tmp_path: Path) -> None:
    one, two = (finding(name) for name in ("one", "two"))
    paths = [tmp_path / "first.json", tmp_path / "second.json"]
    baseline.write(str(paths[0]), [one, two], ["", ""])
    baseline.write(str(paths[1]), [two, one], ["", ""])
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "--update-baseline"), ("[]", "is no baseline"), ('{"assay_baseline": 9}', "newer")],
)
def test_what_is_no_baseline_is_told(tmp_path: Path, content: str | None, told: str) -> None:
    path = tmp_path / "known.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(AssayError, match=told):
        baseline.read(str(path))
