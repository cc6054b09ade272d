"""Start of the server: its address, its players, and the browser that is opened."""

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

from spygames.core.chat.transcripts import load_said
from spygames.core.game.registry import game_ids, make_game
from spygames.core.players.names import make_player
from spygames.core.records.record import load_games
from spygames_app.web.choices import Choices, fits
from spygames_app.web.connections import Connection
from spygames_app.web.server import make_app

FURTHER = 20
"""Number of ports that are searched for a free one."""


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
    """Serve the page until Ctrl-C; return the exit code.

    Raises:
        ValueError: a game, player or address does not exist, or the port is in use.
        RecordError: a game of `records` is invalid.
    """
    offered = Choices(tuple(players), game, dict(options or {}))
    check(offered)
    recorded = [*zip(load_games(records), load_said(records), strict=True)] if records else []
    host = as_browsers_write(host)
    with bind(host, port) as listening:
        port = listening.getsockname()[1]
        entry = None if is_local(host) else secrets.token_urlsafe(18)
        if entry:
            print(
                f"spygames play: other machines can reach {host}: anyone with the address and its token can play",
                file=sys.stderr,
            )
        hosts = hosts_of(host, port)
        app = make_app(offered, hosts, recorded, entry=entry)
        address = f"http://{hosts[0]}/{f'?entry={entry}' if entry else ''}"
        print(f"The page is at {address} (Ctrl-C stops the server and ends its games).", flush=True)
        if open_browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        server_of(app).run(sockets=[listening])
    return 0


def server_of(app: ASGIApp) -> uvicorn.Server:
    """Return the server of the application. It is a single process, since the games are in its memory."""
    settings = uvicorn.Config(
        app, http=Connection, ws="none", log_level="warning", access_log=False, server_header=False, lifespan="off"
    )
    return uvicorn.Server(settings)


def check(offered: Choices) -> None:
    """Raise ValueError if the game or an option does not exist, or if a player fits none of the offered games."""
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
    """Whether a player is a checkpoint, which may fit a variant with other options."""
    return not all(fits(make_game(name), spec) for name in game_ids())


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def hosts_of(host: str, port: int) -> list[str]:
    """Return the allowed values of the Host header, such as `127.0.0.1:8000`; the first is shown to the user.

    Every other name is rejected: another site may have made it point to this machine (DNS rebinding).
    """
    if is_local(host):
        names = [host, "127.0.0.1", "localhost", "::1"]
    elif is_every_address(host):
        names = [*own_addresses(), "127.0.0.1", "localhost", "::1", socket.gethostname()]
    else:
        names = [host]
    bare = [f"[{name}]" if ":" in name else name for name in dict.fromkeys(map(as_browsers_write, names))]
    return [f"{name}:{port}" for name in bare] + (bare if port == 80 else [])  # browsers leave 80 out


def as_browsers_write(name: str) -> str:
    """Return a name or address in the form that browsers send, whatever the form on the command line."""
    with suppress(ValueError):
        return str(ipaddress.ip_address(name))
    with suppress(OSError, ValueError):
        return socket.inet_ntoa(socket.inet_aton(name))  # short forms: 0 and 127.1
    return name.lower()


def is_every_address(host: str) -> bool:
    """Whether an address means all addresses of this machine, such as 0.0.0.0."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def own_addresses() -> list[str]:
    """Return the known addresses by which other machines reach this one, that of the default route first."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward, suppress(OSError):
        outward.connect(("192.0.2.1", 9))  # a reserved address: nothing is sent, only the route is looked up
        found.append(str(outward.getsockname()[0]))
    with suppress(OSError):
        found += [str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None)]
    return [each for each in dict.fromkeys(found) if "%" not in each and not is_local(each)]


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; ValueError if the address is not available, with a free port if there is one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError) as error:
        raise ValueError(f"--host {host or repr(host)} is not an address of this machine") from error
    taken = ""
    for number in range(port, min(port + FURTHER, 1 << 16)):
        # With the protocol given, asyncio turns Nagle's algorithm off.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":  # where it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
        except OSError as error:
            listening.close()
            if error.errno == errno.EADDRNOTAVAIL:
                raise ValueError(f"--host {host} is not an address of this machine") from error
            taken = taken or f"--port {port} cannot be used ({error.strerror})"
            continue
        if not taken:
            listening.listen(64)  # connections before the server is ready wait in the queue
            return listening
        listening.close()
        raise ValueError(f"{taken}; {number} is free")
    raise ValueError(f"{taken}, and neither can the next {FURTHER}")
