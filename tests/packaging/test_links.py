"""README.md and docs: what a link names is there."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
#: What is shown as code has no links: fenced blocks, and spans between equally many backticks.
_CODE = re.compile(r"^(```+).*?^\1$|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")


def dead_links(document: Path) -> list[str]:
    """Relative links of a document that point to nothing."""
    links = _LINK.findall(_CODE.sub("", document.read_text(encoding="utf-8")))
    paths = [(link, urlsplit(link)) for link in links]
    return [
        link
        for link, parts in paths
        if not parts.scheme and parts.path and not (document.parent / unquote(parts.path)).exists()
    ]


def test_every_relative_link_points_to_a_file() -> None:
    assert {path.name for path in DOCUMENTS} >= {"README.md", "CHANGELOG.md", "plugins.md"}
    dead = {str(path.relative_to(ROOT)): dead_links(path) for path in DOCUMENTS}
    assert {path: links for path, links in dead.items() if links} == {}


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("[there](there.md#part), [here](#part), [far](https://example.org/x.md)", []),
        ("[gone](gone.md) and [gone too](gone.md#part)", ["gone.md", "gone.md#part"]),
        ("`f[0](x)` and `` g`[1](y) ``\n\n```python\nh[2](z)\n```\n", []),
    ],
)
def test_only_relative_links_to_nothing_are_dead(
    tmp_path: Path, text: str, dead: list[str]
) -> None:
    (tmp_path / "there.md").touch()
    document = tmp_path / "document.md"
    document.write_text(text, encoding="utf-8")
    assert dead_links(document) == dead
