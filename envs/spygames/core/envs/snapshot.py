"""Save a game of an AEC environment as bytes, for `GameEnv.save` and `GameEnv.restore`."""

import json
import zlib
from functools import cache
from hashlib import sha256

import numpy as np

from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.padding import places, without_padding

_MAGIC = b"spygames save 1\n"


@cache
def _header(game: Game) -> bytes:
    """Return the header of a saved game: its game, its options and the layout of its state."""
    layout = sha256(repr(without_padding(game.state_dtype).descr).encode()).hexdigest()[:12]
    names = {"game": game.id, "options": dict(game.options), "state": layout}
    return _MAGIC + json.dumps(names).encode("ascii") + b"\n"


def pack(game: Game, raw: np.ndarray, seed: np.uint64, gone: int) -> bytes:
    """Return a game as bytes: header, fields of the state, seed, number of removed agents, checksum.

    Args:
        game: the game.
        raw: uint8, the bytes of the STATE.
        seed: the seed that the game started from.
        gone: number of agents that were stepped with None since the end.
    """
    body = raw[places(game.state_dtype)].tobytes() + seed.tobytes() + bytes([gone])
    return _header(game) + body + zlib.crc32(body).to_bytes(4, "little")


def unpack(game: Game, saved: object) -> tuple[np.ndarray, np.uint64, int]:
    """Return the `raw`, `seed` and `gone` that were passed to `pack`. Nothing in `saved` is executed.

    Raises:
        ValueError: `saved` is not a saved game, was saved from another game or with other options, is damaged, or does
            not hold a valid position.
    """
    header = _header(game)
    if isinstance(saved, bytearray | memoryview):
        saved = bytes(saved)
    if not isinstance(saved, bytes) or not saved.startswith(_MAGIC):
        raise ValueError(f"saved must be bytes from GameEnv.save, not {shown(saved)}")
    if not saved.startswith(header):
        theirs = one_line(saved[len(_MAGIC) :].split(b"\n")[0][:300].decode("ascii", "replace"), 300)
        ours = header[len(_MAGIC) : -1].decode("ascii")
        raise ValueError(f"saved must be of this game and its options, {ours}, not {theirs}")
    body, check = saved[len(header) : -4], saved[-4:]
    size = without_padding(game.state_dtype).itemsize
    if len(body) != size + 9 or zlib.crc32(body).to_bytes(4, "little") != check:
        raise ValueError("saved is incomplete or damaged")
    raw = np.zeros(game.state_dtype.itemsize, np.uint8)
    raw[places(game.state_dtype)] = np.frombuffer(body, np.uint8, size)
    states = raw.view(game.state_dtype)
    gone, over = body[-1], states["to_move"][0] == NOBODY
    if not game.is_possible(states) or gone > (game.num_players if over else 0):
        raise ValueError(f"saved must hold a position of {game.id}")
    return raw, np.frombuffer(body, np.uint64, 1, size)[0], gone
