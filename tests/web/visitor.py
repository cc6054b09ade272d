"""A browser for tests, without a network: it sends requests to the application and keeps its cookie."""

import asyncio
import itertools
import re
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np
from starlette.types import ASGIApp, Message

import spygames
from spygames.core.players.player import DecisionBatch
from spygames_app.web.store import Store, WebGame

HOST = "127.0.0.1:8000"
GAME = spygames.make_game("agent_avenue_v0")
"""The first game on the page."""


@dataclass(frozen=True)
class Answer:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def where(self) -> str:
        """The address of a redirect."""
        return self.headers["location"]

    @property
    def problem(self) -> str:
        """The text of the alert; empty without one."""
        found = re.search(r'<p[^>]*role="alert"[^>]*>(.*?)</p>', self.text)
        return unescape(found[1]) if found else ""


def new_store() -> Store:
    """Return an empty store. Every store deals the same games, since some random games end after two decisions."""
    return Store(seed=itertools.count(1 << 63).__next__)  # long numbers: tests look for them in pages


class Visitor:
    """A visitor whose browser runs no scripts."""

    def __init__(self, app: ASGIApp, host: str = HOST) -> None:
        self.app, self.host, self.cookie, self.token = app, host, "", ""

    def get(self, path: str, **headers: str) -> Answer:
        """Get a page and keep its form token."""
        answer = self.request("GET", path, b"", headers)
        if found := re.search(r'name="token" value="([^"]+)"', answer.text):
            self.token = unescape(found[1])
        return answer

    def post(self, path: str, fields: dict[str, Any] | None = None, **headers: str) -> Answer:
        """Send a form with the kept token and the right origin, unless others are given."""
        body = urlencode({"token": self.token, **(fields or {})}).encode()
        return self.request("POST", path, body, {"origin": f"http://{self.host}", **headers})

    def request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Send any request."""
        parts = urlsplit(path)
        sent = {"host": self.host, "content-type": "application/x-www-form-urlencoded", **headers}
        if self.cookie:
            sent["cookie"] = self.cookie
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": parts.path, "raw_path": parts.path.encode(), "query_string": parts.query.encode(), "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000),
        }  # fmt: skip
        answer = asyncio.run(self._ask(scope, body))
        if cookie := answer.headers.get("set-cookie"):
            self.cookie = cookie.partition(";")[0]
        return answer

    async def _ask(self, scope: dict[str, Any], body: bytes) -> Answer:
        messages: list[Message] = []
        given = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if given:
                return given.pop()
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Message) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        headers = {name.decode().lower(): value.decode() for name, value in messages[0]["headers"]}
        return Answer(messages[0]["status"], headers, b"".join(each.get("body", b"") for each in messages[1:]))


def actions(page: str) -> list[str]:
    """Return the texts of the action buttons."""
    return [unescape(text) for text in re.findall(r'<button name="action" value="([^"]*)"', page)]


def revision(page: str) -> int:
    """Return the revision of the position that the page shows."""
    found = re.search(r'name="revision" value="(\d+)"', page)
    assert found, page
    return int(found[1])


def begin(visitor: Visitor, kept: Store, opponent: str = "greedy", **more: Any) -> WebGame:
    """Start a game with the person in seat 0 and wait until it is ready."""
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 1 + list(GAME.bots).index(opponent), **more})
    assert answer.status == 303, answer.text
    made = next(reversed(kept.games.values()))
    assert answer.where == f"/games/{made.id}"
    made.wait(60)
    return made


class Moody:
    """A player with one mood per decision: an exception is raised, None is the first legal action, else the answer."""

    name = "moody"

    def __init__(self, moods: list[Any]) -> None:
        self.moods = moods

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        mood = self.moods.pop(0) if self.moods else None
        if isinstance(mood, Exception):
            raise mood
        return decisions.mask[decisions.rows].argmax(axis=1) if mood is None else np.array([mood])
