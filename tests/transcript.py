"""Everything that some games show, byte for byte, by each way of playing them.

Run as a program with a game's id, its options and seeds as JSON, it prints digests; the contract test runs it also
with NUMBA_DISABLE_JIT=1 and expects the same.
"""

import hashlib
import json
import sys
from collections.abc import Iterator

import numpy as np

from spygames.core.aec import GameEnv
from spygames.core.batch import Batch
from spygames.core.game import Game, flat, record
from spygames.core.registry import make_game
from spygames.core.rng import next_seed

SEEDS = (0, 1, 2**63, 2**64 - 1)
STEPS = 60  # decisions of each seed's chain of games


def chosen(mask: np.ndarray, step: int) -> int:
    """A legal action that differs between steps."""
    legal = np.flatnonzero(mask)
    return int(legal[(step * 7919 + 13) % len(legal)])


def by_environment(game: Game, seed: int) -> Iterator[bytes]:
    """One step after the other: state, view and mask of the seat to move, and rewards where a game has ended."""
    env = GameEnv(game)
    env.reset(seed=seed)
    for step in range(STEPS):
        observation, *_ = env.last()
        assert observation is not None
        yield env.state().tobytes() + observation["observation"].tobytes() + observation["action_mask"].tobytes()
        env.step(chosen(observation["action_mask"], step))
        if env.to_move < 0:
            yield np.array([env.rewards[agent] for agent in env.possible_agents], np.float32).tobytes()
            env.reset()


def by_batch(game: Game, seeds: tuple[int, ...]) -> list[list[bytes]]:
    """The same for all seeds at once."""
    batch = Batch(game, len(seeds), threads=2 if len(seeds) > 1 else 1)
    batch.reset(seeds=np.array(seeds, np.uint64))
    pages: list[list[bytes]] = [[] for _ in seeds]
    for step in range(STEPS):
        for i, page in enumerate(pages):
            page.append(batch.states[i].tobytes() + batch.observation[i].tobytes() + batch.mask[i].tobytes())
        batch.step(np.array([chosen(mask, step) for mask in batch.mask]))
        for i in np.flatnonzero(batch.done):
            pages[i].append(batch.rewards[i].tobytes())
    return pages


def by_kernels(game: Game, seed: int) -> Iterator[bytes]:
    """The same by the kernels alone, into memory that held something else before."""
    states, views = game.new_states(), game.new_views()
    mask = np.empty(game.num_actions, np.int8)
    s, view, luck = record(states), record(views), np.uint64(seed)
    game.init(s, record(game.packed), luck)
    for step in range(STEPS):
        flat(views)[:], mask[:] = np.nan, 7
        game.observe(s, int(s.to_move), view)
        game.legal(s, mask)
        yield states.tobytes() + views.tobytes() + mask.tobytes()
        game.apply(s, chosen(mask, step))
        if s.to_move < 0:
            out = np.full(game.num_players, np.nan, np.float32)
            game.returns(s, out)
            yield out.tobytes()
            luck = np.uint64(next_seed(luck))
            states.view(np.uint8)[:] = 0
            game.init(s, record(game.packed), luck)


def by_waiting(game: Game, seed: int) -> Iterator[bytes]:
    """What every seat may know at each step of a game, also those that wait."""
    env = GameEnv(game)
    env.reset(seed=seed)
    while env.to_move >= 0:
        observations = [env.observe(agent) for agent in env.possible_agents]
        for o in observations:
            yield o["observation"].tobytes() + o["action_mask"].tobytes()
        env.step(chosen(observations[env.to_move]["action_mask"], 0))


def digests(game: Game, seeds: tuple[int, ...] = SEEDS) -> list[str]:
    """One digest for each way of playing, the first three are equal, and one of what the waiting see."""
    batch = b"".join(b"".join(page) for page in by_batch(game, seeds))
    env = b"".join(b"".join(by_environment(game, seed)) for seed in seeds)
    kernels = b"".join(b"".join(by_kernels(game, seed)) for seed in seeds)
    waiting = b"".join(b"".join(by_waiting(game, seed)) for seed in seeds)
    return [hashlib.sha256(text).hexdigest() for text in (batch, env, kernels, waiting)]


if __name__ == "__main__":
    name, options, numbers = sys.argv[1:]
    print(json.dumps(digests(make_game(name, **json.loads(options)), tuple(json.loads(numbers)))))
