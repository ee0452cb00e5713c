"""A real Chromium, and everything a page did in it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(os.environ.get("ASSAY_BROWSER", Path(__file__).parents[1] / ".browser"))


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium from ``make browser``. Without it the test is skipped; CI says that it must run."""
    program = FOLDER / "chromium"
    if not program.exists():
        if os.environ.get("ASSAY_REQUIRE_BROWSER"):
            pytest.fail(f"{program} does not exist, and ASSAY_REQUIRE_BROWSER is set")
        pytest.skip("run `make browser` first")
    places = [os.environ.get("LD_LIBRARY_PATH", ""), str(FOLDER / "lib")]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, places))}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=program,
            env=environment,
            # The sandbox needs rights that containers do not have; the pages are our own.
            args=["--no-sandbox", "--disable-gpu"],
        )
        yield browser
        browser.close()


class Visit:
    """A page that is open, and what it asked for and said."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.dialogs: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def left(self) -> list[str]:
        """Requests that are for something else than files and data in the page."""
        return [url for url in self.requests if not url.startswith(("file:", "data:"))]

    def wider_than_the_window(self) -> bool:
        """Whether one has to scroll sideways to read the page."""
        script = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        return bool(self.page.evaluate(script))


@contextmanager
def visit(
    browser: Browser, file: Path, width: int = 1200, scheme: str = "light"
) -> Iterator[Visit]:
    """The page in a window of that width, without a network."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        offline=True,
    )
    context.set_default_timeout(10_000)
    opened = Visit(context.new_page())
    opened.page.goto(file.resolve().as_uri(), wait_until="load")
    yield opened
    context.close()
