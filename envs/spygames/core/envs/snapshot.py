"""A game of an AEC environment as bytes: what `GameEnv.save` writes and `GameEnv.restore` reads."""

import json
import zlib
from functools import cache
from hashlib import sha256

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.padding import places, without_padding

_MAGIC = b"spygames save 1\n"


@cache
def _header(game: Game) -> bytes:
    """How a saved game begins: of which game, with which options, in which layout."""
    layout = sha256(repr(without_padding(game.state_dtype).descr).encode()).hexdigest()[:12]
    names = {"game": game.id, "options": dict(game.options), "state": layout}
    return _MAGIC + json.dumps(names).encode("ascii") + b"\n"


def pack(game: Game, raw: np.ndarray, seed: np.uint64, gone: int) -> bytes:
    """A game as bytes: a header, the fields of the state, the seed, how many agents are gone, and a checksum.

    Args:
        game: what is played.
        raw: the bytes of the STATE, uint8.
        seed: what the game started from.
        gone: agents that were stepped with None since the end.
    """
    body = raw[places(game.state_dtype)].tobytes() + seed.tobytes() + bytes([gone])
    return _header(game) + body + zlib.crc32(body).to_bytes(4, "little")


def unpack(game: Game, saved: object) -> tuple[np.ndarray, np.uint64, int]:
    """What `pack` was given: the bytes of the state, the seed, and how many agents are gone.

    Nothing in `saved` is executed.

    Raises:
        ValueError: `saved` is no saved game, one of another game or other options, damaged, or holds a position that
            the game does not know.
    """
    header = _header(game)
    if isinstance(saved, bytearray | memoryview):
        saved = bytes(saved)
    if not isinstance(saved, bytes) or not saved.startswith(_MAGIC):
        raise ValueError("this is no saved game of spygames")
    if not saved.startswith(header):
        theirs = one_line(saved[len(_MAGIC) :].split(b"\n")[0][:300].decode("ascii", "replace"), 300)
        ours = header[len(_MAGIC) : -1].decode("ascii")
        raise ValueError(f"this is saved from another game, {theirs}; this one is {ours}")
    body, check = saved[len(header) : -4], saved[-4:]
    size = without_padding(game.state_dtype).itemsize
    if len(body) != size + 9 or zlib.crc32(body).to_bytes(4, "little") != check:
        raise ValueError("this saved game is cut or damaged")
    raw = np.zeros(game.state_dtype.itemsize, np.uint8)
    raw[places(game.state_dtype)] = np.frombuffer(body, np.uint8, size)
    states = raw.view(game.state_dtype)
    gone, over = body[-1], states["to_move"][0] == NOBODY
    if not game.is_possible(states) or gone > (game.num_players if over else 0):
        raise ValueError(f"this saved game holds no position of {game.id}")
    return raw, np.frombuffer(body, np.uint64, 1, size)[0], gone
