"""The pages that Assay writes, in a real Chromium: offline, readable, and deaf to markup."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser

from assay.cli.main import run
from assay.ir import Case, Graph, Input, Node, Uniform
from assay.ir.check import LayerDeviation, LocalizationMap
from assay.report.check_page import write_report
from assay.report.precision_page import write_page
from assay.store import open_store
from tests.browser import Visit, chromium, visit
from tests.report.test_check_page import exhibit
from tests.report.test_check_screens import several
from tests.report.test_precision_page import measured
from tests.reproduce.examples import crash, error, inconsistency

#: What a library could say in a message; each would show if it were taken for markup.
HOSTILE = (
    "<script>alert('script')</script><img src=x onerror=\"alert('image')\">"
    "<img src='https://example.org/pixel.png'><style>body{display:none}</style>"
    '<a href="javascript:alert(1)">link</a></pre></details><h1>headline</h1>'
)
TEXT_OUTSIDE_ITS_BOX = """[...document.querySelectorAll("svg g.box")].filter(group => {
    const [text, box] = ["text", "rect"].map(name => group.querySelector(name));
    return text.getBoundingClientRect().width > box.getBoundingClientRect().width;
}).map(group => group.textContent)"""
#: Cells of tables whose right edge lies outside of the window.
CUT_OFF = """[...document.querySelectorAll("td, th")].filter(
    cell => cell.getBoundingClientRect().right > innerWidth + 1
).map(cell => cell.textContent)"""
MODEL = Case(
    Graph(
        (Input("x", (1, 4)),),
        (
            Node("n0", "keras.layers.Dense", ("x",), {"units": 2}),
            Node("n1", "keras.ops.split", ("n0",), {"indices_or_sections": 2}),
            Node("n2", f"keras.ops.{HOSTILE}", ("n1:1",)),
        ),
        ("n2",),
    ),
    {"x": Uniform(1)},
)
GROWTH = (
    LayerDeviation("n0", "keras.layers.Dense", 0.0, 0.0, 0.0),
    LayerDeviation("n1", "keras.ops.split", 0.5, 0.0, 5e6, highlighted=True),
    LayerDeviation("n2", f"keras.ops.{HOSTILE}", float("inf"), 0.5, float("inf")),
)
WIDTHS = pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (380, "dark")])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on a campaign with a hostile message, written by the command."""
    folder = tmp_path_factory.mktemp("report")
    wrong, arrays = inconsistency()
    raising, dead = error()[0], crash()[0]
    evidence = msgspec.structs.replace(raising.evidence, message=HOSTILE, stack=HOSTILE)
    raising = msgspec.structs.replace(
        raising, id="90ac", fingerprint="90ac" + "0" * 60, evidence=evidence
    )
    dead = msgspec.structs.replace(
        dead,
        id="dead",
        fingerprint="dead" + "0" * 60,
        original=MODEL,
        localization=LocalizationMap(("keras-jax", "keras-tensorflow"), 0, "n1", GROWTH),
    )
    url = str(folder / "assay.db")
    with open_store(url) as opened:
        versions = {"keras-torch": {"keras": HOSTILE}}
        campaign = opened.start_campaign(seed=7, config={}, versions=versions)
        found = [(wrong, arrays), (raising, {}), (dead, {})]
        opened.record_trial(campaign.id, 0, found, {"coverage": {"ops": 0.5}}, 1.0)
    assert run(["report", "-o", str(folder / "out"), "--store", url, "--quiet"]) == 0
    return folder / "out" / "index.html"


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a check on a model with a hostile name, on several targets."""
    folder = tmp_path_factory.mktemp("check")
    told = msgspec.structs.replace(several(6), model=HOSTILE)
    shown = msgspec.structs.replace(exhibit(attribute=HOSTILE), targets=told.pairs[1].targets)
    found = msgspec.structs.replace(told.maps[0], targets=told.pairs[1].targets)
    return Path(write_report(msgspec.structs.replace(told, maps=(found,)), str(folder), [shown]))


def silent(opened: Visit) -> None:
    """It asked for nothing but its file, and nothing went wrong or ran in it."""
    assert [opened.left(), opened.complaints, opened.dialogs] == [[], [], []]
    foreign = "script, img:not([src^='data:image/png;base64,']), iframe, object, [onerror]"
    assert opened.page.locator(foreign).count() == 0
    assert not opened.wider_than_the_window()


@WIDTHS
def test_the_report_on_a_campaign(browser: Browser, report: Path, width: int, scheme: str) -> None:
    with visit(browser, report, width, scheme) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        silent(opened)
        assert page.locator("article").count() == 3
        assert any(
            HOSTILE in text for text in page.locator("article#\\39 0ac dd").all_inner_texts()
        )
        assert page.locator("article#\\39 0ac pre", has_text="<h1>headline</h1>").is_visible()
        assert page.locator("h1").all_inner_texts() == ["Assay report"]
        assert page.locator("article#dead svg .box").count() == 3
        assert page.locator("article#dead svg .edge").count() == 2
        page.locator("article#dead a", has_text="Go to the suspect").click()
        assert "n1split" in (page.locator("#suspect-dead.suspect").text_content() or "")
        assert page.evaluate(TEXT_OUTSIDE_ITS_BOX) == []
        assert page.get_by_text("50.0% of the vocabulary compared").is_visible()
        page.locator("a", has_text="b3f1c0de").first.click()
        assert page.url.endswith("#b3f1c0de")
        assert "raise SystemExit" in page.locator("article#b3f1c0de pre").last.inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1040, "light"), (400, "dark")])
def test_the_report_of_a_check(browser: Browser, check: Path, width: int, scheme: str) -> None:
    with visit(browser, check, width, scheme) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        silent(opened)
        assert page.locator("h1").inner_text() == f"{HOSTILE}: inconsistent"
        assert page.locator(".layers .suspect").count() == 1
        assert page.evaluate(TEXT_OUTSIDE_ITS_BOX) == []
        assert page.evaluate(CUT_OFF) == []
        assert page.locator(".instance img").evaluate("image => image.naturalWidth") == 8
        assert page.locator(".curve .mark").inner_text() == "layer_4 ▼"
        assert page.locator(".matrix td.inconsistent").count() == 10


def test_a_layer_is_opened_by_keyboard_and_the_graph_is_enlarged(
    browser: Browser, check: Path
) -> None:
    with visit(browser, check) as opened:
        page = opened.page
        panel = page.locator(".panel:target")
        assert panel.count() == 0
        page.locator(".layers a").nth(4).focus()
        page.keyboard.press("Enter")
        assert panel.locator("h4").inner_text() == "layer_4"
        assert HOSTILE in panel.inner_text()
        panel.locator(".close").click()
        assert panel.count() == 0
        width = "document.querySelector('.layers').getBoundingClientRect().width"
        before = page.evaluate(width)
        page.get_by_label("double").check()
        assert page.evaluate(width) == 2 * before
        silent(opened)


@WIDTHS
def test_the_page_of_a_measurement(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    page = tmp_path / "precision.html"
    write_page(measured(HOSTILE), (), str(page))
    with visit(browser, page, width, scheme) as opened:
        silent(opened)
        tab = opened.page
        assert tab.locator("h1").inner_text() == "How wrong operators get"
        assert HOSTILE in tab.locator(".heat th[scope=row]").all_inner_texts()
        assert tab.locator("figure svg .points").count() == 2 * 2 * 2  # dots and legend
        assert tab.locator("figure svg").first.bounding_box()["width"] > 300  # type: ignore[index]
        dark, plain = (
            tab.locator(".heat td[style]")
            .nth(place)
            .evaluate("cell => getComputedStyle(cell).backgroundColor")
            for place in (0, 2)
        )
        assert dark != plain, "the larger error has the darker cell"
        assert tab.locator(".list svg .box").count() == 4
        tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert "keras.ops.tanh" in tab.locator("pre").inner_text()


def test_what_leaves_is_seen(browser: Browser, tmp_path: Path) -> None:
    """The observation itself: a page that asks for a picture does not pass."""
    page = tmp_path / "page.html"
    page.write_text('<img src="http://127.0.0.1:9/x.png"><script>console.error("bad")</script>')
    with visit(browser, page) as opened:
        assert opened.left() == ["http://127.0.0.1:9/x.png"]
        assert "bad" in opened.complaints
