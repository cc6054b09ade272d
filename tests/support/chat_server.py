"""A server on loopback that speaks the OpenAI chat form and answers by a script."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from spygames import Game, make_game
from spygames.players import LanguageModel

Script = Callable[[list[dict[str, str]], int], Any]
"""(messages, number of the request from 0): a text, None for a null content, or a `Reaction`."""


class Reaction:
    """What a server does instead of answering: a status, a raw body, headers, a cut, or a delay.

    Args:
        status: of the response.
        body: its bytes.
        headers: further headers.
        cut: whether the connection ends after half of the body.
        hang: whether the server waits until it is shut down, and then sends nothing.
    """

    def __init__(
        self,
        status: int = 200,
        body: bytes = b"",
        headers: dict[str, str] | None = None,
        cut: bool = False,
        hang: bool = False,
    ) -> None:
        self.status, self.body, self.headers, self.cut, self.hang = status, body, headers or {}, cut, hang


def in_form(text: str | None, finish: str = "stop", usage: dict[str, Any] | None = None) -> bytes:
    """A response in the chat form."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    used = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110} if usage is None else usage
    about = {"id": "0", "object": "chat.completion", "created": 0, "model": "fake"}
    return json.dumps({**about, "choices": [choice], "usage": used}).encode()


class ChatServer:
    """The running server: its `url`, and what was asked."""

    def __init__(self, script: Script) -> None:
        self.script, self.lock, self.over = script, threading.Lock(), threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.running = self.most = 0
        """Number of requests that are being answered, and the largest number of these at the same time."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # otherwise each answer takes 40 ms

            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request by the script."""
        asked = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            number = len(self.requests)
            self.requests.append({"path": handler.path, **asked})
            self.headers.append(dict(handler.headers))
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            found = self.script(asked["messages"], number)
        finally:
            with self.lock:
                self.running -= 1
        reaction = found if isinstance(found, Reaction) else Reaction(body=in_form(found))
        if reaction.hang:
            self.over.wait()
            handler.close_connection = True
            return
        handler.send_response(reaction.status)
        for key, value in {"Content-Length": str(len(reaction.body)), **reaction.headers}.items():
            handler.send_header(key, value)
        handler.end_headers()
        try:
            handler.wfile.write(reaction.body[: len(reaction.body) // 2] if reaction.cut else reaction.body)
        except OSError:  # the client has read enough
            handler.close_connection = True
        if reaction.cut:
            handler.close_connection = True


@contextmanager
def chat_server(script: Script) -> Iterator[ChatServer]:
    """Run a server while the block runs."""
    server = ChatServer(script)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def listed(messages: list[dict[str, str]]) -> list[str]:
    """The legal actions that the last message lists; none if it lists none."""
    _, _, rest = messages[-1]["content"].partition("Your legal actions:\n")
    return [line.removeprefix("- ") for line in rest.splitlines() if line.startswith("- ")]


def choice(text: str, legal: list[str]) -> str:
    """A legal action that depends on all that is said at a decision."""
    return legal[sum(text.encode()) % len(legal)]


def sensible(messages: list[dict[str, str]], number: int) -> str:
    """Answer with `choice` in the grammar."""
    return f'I think. {{"action": "{choice(messages[-1]["content"], listed(messages))}"}}'


def model_of(server: ChatServer, settings: str = "", game: Game | None = None, **options: Any) -> LanguageModel:
    """A model of the server, which repeats requests at once."""
    return LanguageModel(
        game or make_game("agent_avenue_v0"), f"fake@{server.url}{settings}", **{"pause": 0.0, **options}
    )
