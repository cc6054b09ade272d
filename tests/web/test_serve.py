"""Starting the server: its addresses and ports, checks of players and games, and bad connections."""

import http.client
import logging
import socket
import struct
import sys
import threading
import time
from contextlib import suppress

import pytest

from spygames_app.web import connections
from spygames_app.web.choices import Choices
from spygames_app.web.serve import as_browsers_write, bind, check, hosts_of, is_local, own_addresses, server_of
from spygames_app.web.server import make_app
from spygames_app.web.store import Store


def test_a_port_in_use_is_refused_with_a_free_one() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=rf"--port {port} .*already in use.*; \d+ is free"):
            bind("127.0.0.1", port)


@pytest.mark.parametrize(("platform", "reused"), [("linux", True), ("win32", False)])
def test_a_port_is_not_shared(platform: str, reused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows gives a port that is in use to a socket with this option; elsewhere it only frees one that was in use."""
    with monkeypatch.context() as patched:
        patched.setattr(sys, "platform", platform)
        listening = bind("127.0.0.1", 0)
    with listening:
        assert bool(listening.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)) == reused


def test_answers_are_sent_without_delay() -> None:
    """asyncio turns off Nagle's algorithm, which delays small packets, only for sockets that are declared as TCP."""
    with bind("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_an_invalid_address_is_refused() -> None:
    with pytest.raises(ValueError, match=r"--host nowhere\.invalid is not an address"):
        bind("nowhere.invalid", 0)
    for name, shown in (("", "''"), ("a" * 64, "a" * 64)):  # no name has a part of 64 letters
        with pytest.raises(ValueError, match=f"--host {shown} is not an address"):
            bind(name, 0)
    with pytest.raises(ValueError, match=r"--host 192\.0\.2\.1 is not an address"):
        bind("192.0.2.1", 0)  # reserved for documentation


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("192.168.1.2", False), ("x", False)],
)
def test_local_addresses_are_recognized(host: str, local: bool) -> None:
    assert is_local(host) == local


def test_the_server_knows_its_own_addresses() -> None:
    """The first one is shown to users and leads to the page. Browsers omit the default port of http."""
    assert hosts_of("127.0.0.1", 8000) == ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"]
    assert hosts_of("::1", 8000)[0] == "[::1]:8000"
    assert hosts_of("localhost", 80)[0] == "localhost:80"
    assert {"localhost", "127.0.0.1", "[::1]"} <= set(hosts_of("localhost", 80))
    assert hosts_of("192.168.1.2", 8000) == ["192.168.1.2:8000"]
    assert hosts_of("fe80::1", 8000) == hosts_of("FE80:0::1", 8000) == ["[fe80::1]:8000"]
    assert hosts_of("0:0::1", 8000)[0] == "[::1]:8000"
    short = {"127.1": "127.0.0.1", "0": "0.0.0.0", "LOCALHOST": "localhost", "münchen": "münchen"}
    assert {name: as_browsers_write(name) for name in short} == short
    assert hosts_of("Server.example", 80) == ["server.example:80", "server.example"]
    everywhere = hosts_of("0.0.0.0", 8000)
    assert {"localhost:8000", "127.0.0.1:8000"} <= set(everywhere)
    assert len(set(everywhere)) == len(everywhere)
    for address in own_addresses():
        assert not is_local(address)
        assert (f"[{address}]:8000" if ":" in address else f"{address}:8000") in everywhere


def test_players_are_checked_before_the_page_opens() -> None:
    check(Choices(("greedy", "mcts:8", "agent_avenue/advanced-2", "heimlich/base-3@argmax")))
    with pytest.raises(ValueError, match="no player 'nobody'"):
        check(Choices(("greedy", "nobody")))


def test_the_game_is_checked_before_the_page_opens() -> None:
    check(Choices((), "heimlich_v0", {"players": 3}))
    for game, options, line in (
        ("chess_v0", {}, "no game 'chess_v0'"),
        ("heimlich_v0", {"player": 3}, "unexpected keyword argument 'player'"),
        ("heimlich_v0", {"players": 99}, "players must be"),
    ):
        with pytest.raises(ValueError, match=line):
            check(Choices((), game, options))


def test_an_early_client_waits_and_is_served() -> None:
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)):  # before the server runs
        server = server_of(make_app(Choices(), [f"127.0.0.1:{port}"]))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for path, status, start in (
            ("/", 200, b"<!doctype html>"),
            ("/static/page.js", 200, b"// "),
            ("/static/page.css", 200, b"@font-face"),
            ("/fonts/spygames-regular.ttf", 200, b"\x00\x01\x00\x00"),
            ("/static/../server.py", 404, b"<!doctype html>"),
        ):
            connection.request("GET", path)
            answer = connection.getresponse()
            assert (answer.status, answer.read()[: len(start)]) == (status, start)
            assert answer.getheader("server") is None
            assert answer.getheader("cache-control") == ("no-cache" if path.count("/") > 1 else "no-store")
        connection.close()
    server.should_exit = server.force_exit = True
    thread.join(10)
    listening.close()


class Served:
    """The page on a port of this machine."""

    def __init__(self, store: Store) -> None:
        self.listening = bind("127.0.0.1", 0)
        self.host = f"127.0.0.1:{self.listening.getsockname()[1]}"
        self.server = server_of(make_app(Choices(), [self.host], store=store))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listening]}, daemon=True)

    def __enter__(self) -> "Served":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(60)
        self.listening.close()
        assert not self.thread.is_alive()  # clients with incomplete requests do not hold it up

    def connect(self, sent: str = "") -> socket.socket:
        """Return a client that has sent this text."""
        client = socket.create_connection(self.listening.getsockname(), timeout=60)
        client.sendall(sent.format(host=self.host).encode())
        return client

    def get(self) -> tuple[int, str]:
        """Return the status and the cookie of the first page."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request("GET", "/")
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, str(answer.getheader("set-cookie")).partition(";")[0]


HEADERS = "GET / HTTP/1.1\r\nHost: {host}\r\nX: "
BODY = (
    "POST /games HTTP/1.1\r\nHost: {{host}}\r\nOrigin: http://{{host}}\r\nCookie: {cookie}\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ngame=0"
)


def test_a_client_that_disconnects_is_not_logged_as_an_error() -> None:
    """Clients leave in the middle of their headers, of their form, and of the answer."""
    records, page = list[logging.LogRecord](), Served(Store())
    handler, logger = logging.Handler(), logging.getLogger("uvicorn.error")
    handler.emit = records.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    try:
        with page:
            _, cookie = page.get()
            whole = HEADERS + "\r\n\r\n"
            for sent in ("", "GE", HEADERS, BODY.format(cookie=cookie), whole, BODY.format(cookie="x=1")):
                for reset in (False, True):
                    client = page.connect(sent)
                    if reset:  # as if its program was killed
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    client.close()
            assert page.get()[0] == 200
    finally:
        logger.removeHandler(handler)
    assert [record.getMessage() for record in records if record.levelno > logging.DEBUG] == []


def test_an_incomplete_request_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with Served(Store()) as page:
        _, cookie = page.get()
        monkeypatch.setattr(connections, "PATIENCE", 0.2)
        clients = [page.connect(sent) for sent in ("", "GE", HEADERS, BODY.format(cookie=cookie))]
        second = page.connect("GET /static/page.js HTTP/1.1\r\nHost: {host}\r\n\r\n" + HEADERS)
        for client in clients:
            with suppress(ConnectionResetError):
                assert client.recv(1) == b""
            client.close()
        with suppress(ConnectionResetError), second:
            while second.recv(1 << 16):  # its first request is answered
                pass
        monkeypatch.undo()  # a busy machine may take longer for a whole request
        assert page.get()[0] == 200


def test_a_new_connection_replaces_the_longest_waiting_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    with Served(Store()) as page:
        clients = []
        for _ in range(3):
            clients.append(page.connect(HEADERS))
            while len(page.server.server_state.connections) < len(clients):  # accept them in order
                time.sleep(0.001)
        assert page.get()[0] == 200
        with suppress(ConnectionResetError):
            assert clients[0].recv(1) == b""
        clients[2].sendall(b"\r\n\r\n")
        assert clients[2].recv(12) == b"HTTP/1.1 200"
        for client in clients:
            client.close()


def test_an_unread_answer_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with Served(Store()) as page:
        client = socket.socket()
        client.settimeout(60)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(page.listening.getsockname())
        request = f"GET /fonts/spygames-regular.ttf HTTP/1.1\r\nHost: {page.host}\r\n\r\n"
        with suppress(OSError):
            client.sendall(request.encode() * 400)  # more than all buffers in between hold
        while any(isinstance(each, connections.Connection) for each in page.server.server_state.connections):
            time.sleep(0.01)
        client.close()
        monkeypatch.undo()
        assert page.get()[0] == 200
