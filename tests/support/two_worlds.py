"""Two worlds that a seat cannot distinguish, played with the same actions, and what a seat is shown in both."""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from spygames.core.envs.aec import GameEnv
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.moments import Moment
from spygames.testing.trial import determinized, mask_of, view_of

Rows = dict[str, np.ndarray]
"""The arrays of two games, by the names of `FunctionalRows`."""
Step = Callable[..., Rows]
"""Steps games, as `FunctionalGame.step` does."""
SHOWN = ("seats", "rewards", "terminated", "truncated", "observation", "mask")
"""What a step returns for seats to see; the last two are those of the seat to move alone."""


def known(game: Game, states: np.ndarray, seat: int) -> tuple[bytes, dict[str, Any]]:
    """What a seat may know of a position, STATE [1]."""
    s = as_record(states.view(game.state_dtype))
    return view_of(game, s, seat).tobytes(), game.seen_to_dict(s, seat)


def pairs(game: Game, games: int, steps: int) -> Iterator[tuple[int, GameEnv, GameEnv, list[Moment]]]:
    """Play two worlds that a seat cannot distinguish with the same actions, and yield them while it still cannot.

    Yields:
        The seat, the environments in both worlds, and the moments in both. The last pair of each game is one that the
        seat can distinguish, if there is such a pair.
    """
    for n in range(games):
        rng, seat = np.random.default_rng(n), n % game.num_players
        states = game.start(n)
        for _ in range(int(rng.integers(30))):
            legal = np.flatnonzero(mask_of(game, as_record(states)))
            if not len(legal):
                break
            game.apply(as_record(states), int(rng.choice(legal)))
        worlds, envs = [states, determinized(game, states, seat, n)], [GameEnv(game), GameEnv(game)]
        worlds[1]["rng"] = states["rng"]
        for env, world in zip(envs, worlds, strict=True):
            env.reset(seed=0, options={"state": game.state_to_dict(as_record(world))})
        ways = [Moment(env.state().tobytes()) for env in envs]
        for _ in range(steps):
            if envs[0].to_move == NOBODY:
                break
            both = []
            for env in envs:
                legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
                both.append({env.action_to_string(int(action)): int(action) for action in legal})
            if not (texts := sorted(both[0].keys() & both[1].keys())):
                break
            text = texts[rng.integers(len(texts))]
            for k, env in enumerate(envs):
                env.step(both[k][text])
                ways[k] = Moment(env.state().tobytes(), ways[k], both[k][text])
            yield seat, envs[0], envs[1], ways
            if known(game, envs[0].state(), seat) != known(game, envs[1].state(), seat):
                break


def told(
    game: Game, step: Step, games: int = 24, steps: int = 8, show: Callable[[Rows], Rows] = dict
) -> tuple[int, int, set[str]]:
    """Compare what a step shows to a seat in two worlds that the seat cannot distinguish.

    Args:
        game: the game.
        step: steps both worlds.
        games: number of games.
        steps: maximum number of steps in each.
        show: what is shown of the arrays; `leaky` shows more.

    Returns:
        The number of pairs compared; the number of those in which the seat is to move; and the names of the arrays that
        differ although the seat may see them.
    """
    compared, moved, found = 0, 0, set[str]()
    rows: Rows = {}
    for seat, one, other, ways in pairs(game, games, steps):
        begins = [way.before for way in ways if way.before is not None]
        if begins[0].before is None:
            memory, over = np.stack([np.frombuffer(begin.raw, np.uint8) for begin in begins]), np.zeros(2, bool)
            seats = memory.reshape(-1).view(game.state_dtype)["to_move"].astype(np.int32)
            # A seed says what chance will bring, so the worlds have different ones.
            rows = {"memory": memory, "seeds": np.arange(2, dtype=np.uint64), "seats": seats}
            rows |= {"terminated": over, "truncated": over}
        before = [rows[name] for name in ("memory", "seeds", "seats", "terminated", "truncated")]
        rows = step(*before, np.array([way.action for way in ways]))
        assert [row.tobytes() for row in rows["memory"]] == [way.raw for way in ways]
        if known(game, one.state(), seat) == known(game, other.state(), seat):
            shown, own = show(rows), bool(rows["seats"][0] == seat)
            compared, moved = compared + 1, moved + own
            names = SHOWN if own else SHOWN[:-2]
            found |= {name for name in names if shown[name][0].tobytes() != shown[name][1].tobytes()}
    return compared, moved, found


def leaky(name: str) -> Callable[[Rows], Rows]:
    """Plant a leak: a bit of the hidden state changes an array that seats see."""

    def show(rows: Rows) -> Rows:
        bits = np.array([zlib.crc32(row.tobytes()) & 1 for row in rows["memory"]])
        array = rows[name].copy()
        array.reshape(2, -1)[:, 0] = array.reshape(2, -1)[:, 0] == bits
        return {**rows, name: array}

    return show
