"""Exports of a model: files beside it, or the message of who could not make one."""

from pathlib import Path

from benchmarks.exports import FORMATS, Format, exported
from tests.models_on_disk import dense_keras


def test_an_export_is_a_file_or_says_why_there_is_none(tmp_path: Path) -> None:
    model = Path(dense_keras(tmp_path))
    unknown = Format("torch", "parchment", ".skin")
    found = exported(model, {"parchment": unknown, ".pt2": FORMATS[".pt2"]})
    assert list(found) == ["parchment", ".pt2"]
    assert found[".pt2"] == tmp_path / "dense.pt2"
    assert (tmp_path / "dense.pt2").exists()
    message = found["parchment"]
    assert isinstance(message, str)
    assert "parchment" in message


def test_a_process_that_ends_early_is_the_reason(tmp_path: Path) -> None:
    broken = tmp_path / "broken.keras"
    broken.write_bytes(b"no model")
    (message,) = exported(broken, {".pt2": FORMATS[".pt2"]}).values()
    assert str(message).startswith("the exporting process ended with code 1: ")
