"""Starting the server: addresses, ports and players that there are not."""

import http.client
import logging
import socket
import struct
import threading
import time
from contextlib import suppress

import pytest

from spygames_app.web import connections
from spygames_app.web.choices import Choices
from spygames_app.web.serve import bind, check, hosts_of, is_local, own_addresses, server_of
from spygames_app.web.server import make_app
from spygames_app.web.store import Store


def test_a_port_that_is_taken_names_the_next_one() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=rf"--port {port} cannot be used \(Address already in use\); \d+ is free"):
            bind("127.0.0.1", port)


def test_answers_are_sent_at_once() -> None:
    """asyncio turns Nagle's algorithm off, which holds small packets back, where a socket says that it is TCP's."""
    with bind("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_an_address_that_is_none() -> None:
    with pytest.raises(ValueError, match=r"--host nowhere\.invalid is not an address of this machine"):
        bind("nowhere.invalid", 0)
    with pytest.raises(ValueError, match=r"--host 192\.0\.2\.1 is not an address of this machine"):
        bind("192.0.2.1", 0)  # one of documentation


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("192.168.1.2", False), ("x", False)],
)
def test_who_can_reach_it(host: str, local: bool) -> None:
    assert is_local(host) == local


def test_which_addresses_are_the_servers_own() -> None:
    """The first one is for people, and leads there; the port of http is left out by browsers."""
    assert hosts_of("127.0.0.1", 8000) == ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"]
    assert hosts_of("::1", 8000)[0] == "[::1]:8000"
    assert hosts_of("localhost", 80)[0] == "localhost:80"
    assert {"localhost", "127.0.0.1", "[::1]"} <= set(hosts_of("localhost", 80))
    assert hosts_of("192.168.1.2", 8000) == ["192.168.1.2:8000"]
    assert hosts_of("fe80::1", 8000) == ["[fe80::1]:8000"]
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


def test_who_comes_early_waits_and_is_served() -> None:
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)):  # before anybody serves
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
    """The page on a port of this machine, and what uvicorn's logger is told meanwhile."""

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
        assert not self.thread.is_alive()  # nobody who has not sent a whole request holds it up

    def connect(self, sent: str = "") -> socket.socket:
        """A client that has sent so much."""
        client = socket.create_connection(self.listening.getsockname(), timeout=60)
        client.sendall(sent.format(host=self.host).encode())
        return client

    def get(self) -> tuple[int, str]:
        """The status of the first page, and the cookie that came with it."""
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


def test_a_client_that_goes_away_is_no_fault_of_the_server() -> None:
    """In the middle of its headers, of its form, and of the answer."""
    told, page = list[logging.LogRecord](), Served(Store())
    handler, logger = logging.Handler(), logging.getLogger("uvicorn.error")
    handler.emit = told.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    try:
        with page:
            _, cookie = page.get()
            whole = HEADERS + "\r\n\r\n"
            for sent in ("", "GE", HEADERS, BODY.format(cookie=cookie), whole, BODY.format(cookie="x=1")):
                for reset in (False, True):
                    client = page.connect(sent)
                    if reset:  # as when its program is killed
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    client.close()
            assert page.get()[0] == 200
    finally:
        logger.removeHandler(handler)
    assert [record.getMessage() for record in told if record.levelno > logging.DEBUG] == []


def test_a_request_that_is_never_whole_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
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
            while second.recv(1 << 16):  # the answer to its first request
                pass
        monkeypatch.undo()  # a busy machine may take longer for a whole request
        assert page.get()[0] == 200


def test_a_further_connection_takes_the_place_of_the_one_that_waits_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    with Served(Store()) as page:
        clients = []
        for _ in range(3):
            clients.append(page.connect(HEADERS))
            while len(page.server.server_state.connections) < len(clients):  # as they come
                time.sleep(0.001)
        assert page.get()[0] == 200
        with suppress(ConnectionResetError):
            assert clients[0].recv(1) == b""
        clients[2].sendall(b"\r\n\r\n")
        assert clients[2].recv(12) == b"HTTP/1.1 200"
        for client in clients:
            client.close()


def test_an_answer_that_nobody_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    with Served(Store()) as page:
        client = socket.socket()
        client.settimeout(60)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(page.listening.getsockname())
        request = f"GET /fonts/spygames-regular.ttf HTTP/1.1\r\nHost: {page.host}\r\n\r\n"
        with suppress(OSError):
            client.sendall(request.encode() * 400)  # more than all buffers between them hold
        while any(isinstance(each, connections.Connection) for each in page.server.server_state.connections):
            time.sleep(0.01)
        client.close()
        monkeypatch.undo()
        assert page.get()[0] == 200
