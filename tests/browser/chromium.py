"""Helpers for tests in a real browser: a headless Chromium, a server for it, and its tabs."""

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spygames_app.web.choices import Choices
from spygames_app.web.serve import bind, server_of
from spygames_app.web.server import make_app
from spygames_app.web.store import Store
from tests.web.visitor import new_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / ".venv" / "axe" / "package" / "axe.min.js"
"""Fetched from npm by `make test-browser`."""
WAIT = 30_000
"""Maximum wait of a test, in milliseconds: machine code may have to be compiled."""
READY = "main:not([data-refresh])"
"""Selector of a page that is not waiting for anything."""


def missing() -> str:
    """Return what the tests lack on this machine; empty if they can run."""
    if find_spec("playwright") is None:
        return "playwright is not installed: make test-browser"
    if not chromium():
        return "there is no Chromium (CHROMIUM=path names one)"
    return ""


def chromium() -> str | None:
    """Return the path of the browser."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def need(why: str) -> None:
    """Skip the test if something is missing; with REQUIRE_BROWSER=1, fail instead."""
    if why and os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(why)
    if why:
        pytest.skip(why)


@contextmanager
def serving(offered: Choices | None = None, store: Store | None = None, port: int = 0, **more: Any) -> Iterator[str]:
    """Run a server in a thread of this process and yield its address."""
    listening = bind("127.0.0.1", port)
    port = listening.getsockname()[1]
    server = server_of(make_app(offered or Choices(), [f"127.0.0.1:{port}"], store=store or new_store(), **more))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
        listening.close()


@contextmanager
def browsing() -> Iterator["Browser"]:
    """Yield a browser."""
    from playwright.sync_api import sync_playwright  # pyright: ignore[reportMissingImports]

    with sync_playwright() as play:
        arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        browser = play.chromium.launch(executable_path=chromium(), args=arguments)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page of the browser, with the errors on it."""

    page: "Page"
    home: str
    script: bool = True
    """Whether the browser runs scripts."""
    wrong: list[str] = field(default_factory=list)
    """Errors of scripts and of the console, and requests to other hosts."""

    def begin(self, game: int = 0, opponents: str = "random") -> None:
        """Start a game with the person in the first seat and the same opponent in all others."""
        self.page.goto(self.home)
        self.page.locator("form.card").nth(game).locator("button").click()
        self.page.locator("summary").click()
        self.page.locator("input[value=custom]").check()
        for each in self.page.locator("details select").all()[1:]:
            labels = each.locator("option").all_inner_texts()
            each.select_option(label=next(text for text in labels if text.rpartition(": ")[2] == opponents))
        self.page.get_by_role("button", name="Begin").click()
        # A line that the script writes shows that it runs.
        there = "#picked:not(:empty), #play" if self.script else ".actions, .film"
        self.page.wait_for_selector(f"{READY} :is({there})", timeout=WAIT)

    @property
    def over(self) -> bool:
        return self.page.locator("form.film").count() > 0

    @property
    def revision(self) -> int:
        """The number of decisions that the page shows."""
        return int(self.page.locator("main").get_attribute("data-revision") or -1)

    def moved(self, since: int) -> None:
        """Wait until the others have moved."""
        self.page.wait_for_selector(f"{READY}:not([data-revision='{since}'])", timeout=WAIT)


@contextmanager
def tab(browser: "Browser", home: str, width: int = 1280, **options: Any) -> Iterator[Tab]:
    """Yield a page in a new browser context, which shares no cookies; it must have no errors at the end."""
    context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce", **options)
    context.set_default_timeout(WAIT)
    made = watched(context.new_page(), home)
    made.script = options.get("java_script_enabled", True)
    yield made
    assert made.wrong == []
    context.close()


def watched(page: "Page", home: str) -> Tab:
    """Return a tab that collects its errors."""
    made = Tab(page, home)
    page.on("pageerror", lambda error: made.wrong.append(str(error)))
    page.on("console", lambda message: made.wrong.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: None if request.url.startswith(home) else made.wrong.append(request.url))
    return made
