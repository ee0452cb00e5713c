"""``assay env``: what is wrong with a definition is told before anything is installed."""

from pathlib import Path

import pytest

from assay.cli.main import run

DEFINITION = """
[environments.mine]
python = "3.11"
pip = [["numpy"]]

[environments.mine.targets.first]
library = "{library}"
mode = "{mode}"
"""


@pytest.mark.parametrize(
    ("library", "mode", "told"),
    [
        ("troch", "eager", 'first@mine: unknown library "troch". Did you mean "torch"?'),
        ("torch", "egaer", 'first@mine: unknown mode "egaer". Did you mean "eager"?'),
    ],
)
def test_a_target_that_no_library_has_is_told_before_an_environment_is_made(
    library: str,
    mode: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    config = tmp_path / "assay.toml"
    config.write_text(DEFINITION.format(library=library, mode=mode))
    assert run(["env", "create", "mine", "--config", str(config)]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "cache").exists()
