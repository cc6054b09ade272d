"""Starting the server: which address, which players, and a browser that is opened."""

import errno
import ipaddress
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from spygames.core.game.registry import game_ids, make_game
from spygames.core.players.names import make_player
from spygames.core.records.record import load_games
from spygames_app.web.choices import Choices, fits
from spygames_app.web.connections import Connection
from spygames_app.web.server import make_app

FURTHER = 20
"""Ports that are tried for one that is free."""


def serve(
    players: Sequence[str],
    records: Path | None,
    host: str,
    port: int,
    *,
    game: str | None = None,
    options: Mapping[str, Any] | None = None,
    open_browser: bool = True,
) -> int:
    """Serves the page until Ctrl-C; the exit code.

    Raises:
        ValueError: no game, player or address is of that name, or the port is taken.
        RecordError: a game of `records` does not fit.
    """
    offered = Choices(tuple(players), game, dict(options or {}))
    check(offered)
    recorded = load_games(records) if records else []
    with bind(host, port) as listening:
        port = listening.getsockname()[1]
        entry = None if is_local(host) else secrets.token_urlsafe(18)
        if entry:
            print(
                f"spygames play: others can reach {host}: whoever has the address with its token may play",
                file=sys.stderr,
            )
        hosts = hosts_of(host, port)
        app = make_app(offered, hosts, recorded, entry=entry)
        address = f"http://{hosts[0]}/{f'?entry={entry}' if entry else ''}"
        print(f"The page is at {address} (Ctrl-C ends it, and the games with it).", flush=True)
        if open_browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server_of(app).run(sockets=[listening])
    return 0


def server_of(app: ASGIApp) -> uvicorn.Server:
    """What serves the application: one process, since the games are in its memory."""
    settings = uvicorn.Config(
        app, http=Connection, ws="none", log_level="warning", access_log=False, server_header=False, lifespan="off"
    )
    return uvicorn.Server(settings)


def check(offered: Choices) -> None:
    """ValueError where there is no such game or option, or a player that was named is none of any game offered."""
    if offered.game is not None:
        make_game(offered.game, **offered.options)
    for spec in offered.players:
        problems = []
        for name in offered.games:
            try:
                made = make_game(name, **(offered.options if name == offered.game else {}))
                make_player(made, spec)
                break
            except ValueError as error:
                problems.append(str(error))
        else:
            if len(offered.games) < len(game_ids()) or not _is_of_a_variant(spec):
                raise ValueError(problems[0])


def _is_of_a_variant(spec: str) -> bool:
    """Whether it is a checkpoint, which may fit a variant of a game that has other options."""
    return not all(fits(make_game(name), spec) for name in game_ids())


def is_local(host: str) -> bool:
    """Whether only this machine reaches that address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def hosts_of(host: str, port: int) -> list[str]:
    """What may stand in the header Host where `host` is listened on, as `127.0.0.1:8000`; the first is for people.

    Every other name is refused: it may be that of a page elsewhere which has made it point to this machine.
    """
    if is_local(host):
        names = [host, "127.0.0.1", "localhost", "::1"]
    elif is_every_address(host):
        names = [*own_addresses(), "127.0.0.1", "localhost", "::1", socket.gethostname()]
    else:
        names = [host]
    bare = [f"[{name}]" if ":" in name else name.lower() for name in dict.fromkeys(names)]
    return [f"{name}:{port}" for name in bare] + (bare if port == 80 else [])  # browsers leave 80 out


def is_every_address(host: str) -> bool:
    """Whether it stands for all addresses of this machine, as 0.0.0.0 does."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def own_addresses() -> list[str]:
    """Addresses by which others reach this machine, as far as it knows them; the one to the world first."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward, suppress(OSError):
        outward.connect(("192.0.2.1", 9))  # an address of nobody: nothing is sent, only the way looked up
        found.append(str(outward.getsockname()[0]))
    with suppress(OSError):
        found += [str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None)]
    return [each for each in dict.fromkeys(found) if "%" not in each and not is_local(each)]


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there; ValueError names a port that is free where that one is not."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except OSError as error:
        raise ValueError(f"--host {host} is no address of this machine") from error
    taken = ""
    for number in range(port, min(port + FURTHER, 1 << 16)):
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio leaves Nagle on
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
        except OSError as error:
            listening.close()
            if error.errno == errno.EADDRNOTAVAIL:
                raise ValueError(f"--host {host} is no address of this machine") from error
            taken = taken or f"--port {port} cannot be used ({error.strerror})"
            continue
        if not taken:
            listening.listen(64)  # who comes before the server is ready waits
            return listening
        listening.close()
        raise ValueError(f"{taken}; {number} is free")
    raise ValueError(f"{taken}, nor can the next {FURTHER}")
