"""A real browser for tests of pages: the system's chromium, driven by playwright. It downloads nothing.

A test that needs it asks for the fixture `browser` (tests/conftest.py). Without chromium such a test is skipped, by name and in capitals; where CI=true
it fails, because `.ci/run` should have installed it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = f"NO BROWSER, SO THE PAGE WAS NOT TESTED: none of {', '.join(NAMES)} is installed (apt-get install chromium)"


def find_chromium() -> str | None:
    """Return the system's chromium, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def launched(executable: str) -> Iterator[Any]:
    """Start chromium and return playwright's browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page of ours in the browser, and everything that it should never do."""

    tab: Any
    file: Path
    trouble: list[str] = field(default_factory=list)
    """Dialogs, requests, console messages, script errors, new windows, downloads."""

    def go(self, address: str = "") -> None:
        """Open the page at an address within it, as from a link in a mail, and wait until all texts are searched."""
        self.tab.goto("about:blank")
        self.tab.goto(self.file.as_uri() + address)
        self.tab.wait_for_selector("html[data-ready=all]", timeout=180_000)

    @property
    def address(self) -> str:
        """What stands behind the file's name."""
        return str(self.tab.evaluate("location.hash"))

    @property
    def listed(self) -> list[str]:
        """Ids of the cases in the list, as they are drawn."""
        return [str(text) for text in self.tab.locator("#list a").all_text_contents()]

    @property
    def count(self) -> str:
        """What the page says of how many cases it lists."""
        return str(self.tab.locator("#count").text_content())


def open_page(browser: Any, file: Path, **settings: Any) -> Opened:
    """Return a page in a fresh context; nothing is loaded before `go`. Close it with `opened.tab.context.close()`."""
    context = browser.new_context(viewport={"width": 1240, "height": 900}, **settings)
    opened = Opened(context.new_page(), file)
    own = file.as_uri()

    def asked(request: Any) -> None:
        if request.url.partition("#")[0] not in {own, "about:blank"}:
            opened.trouble.append(f"request: {request.url[:200]}")

    def dialog(shown: Any) -> None:
        opened.trouble.append(f"dialog: {shown.message}")
        shown.dismiss()

    opened.tab.on("request", asked)
    opened.tab.on("dialog", dialog)
    opened.tab.on("console", lambda message: opened.trouble.append(f"console: {message.text[:300]}"))
    opened.tab.on("pageerror", lambda error: opened.trouble.append(f"error: {error}"))
    opened.tab.on("popup", lambda _: opened.trouble.append("popup"))
    opened.tab.on("download", lambda _: opened.trouble.append("download"))
    return opened


def axe_violations(opened: Opened) -> list[str]:
    """Return what axe finds, a line per rule with the first elements it names."""
    from axe_playwright_python.base import AXE_FILE_PATH

    opened.tab.evaluate(Path(AXE_FILE_PATH).read_text(encoding="utf-8"))
    found = opened.tab.evaluate("axe.run()")
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes'][:3]]}"
        for rule in found["violations"]
    ]
