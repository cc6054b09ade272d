"""Starting the server: addresses, ports and players that there are not."""

import http.client
import socket
import threading

import pytest

from spygames_app.web.choices import Choices
from spygames_app.web.serve import bind, check, hosts_of, is_local, own_addresses, server_of
from spygames_app.web.server import make_app


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
    with pytest.raises(ValueError, match=r"--host nowhere\.invalid is no address of this machine"):
        bind("nowhere.invalid", 0)
    with pytest.raises(ValueError, match=r"--host 192\.0\.2\.1 is no address of this machine"):
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
    check(Choices(("greedy", "mcts:8", "agent_avenue_advanced", "heimlich_3@argmax")))
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
            ("/static/page.js", 200, b"// What"),
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
