"""Checks of copies, saved games, and the ownership of arrays."""

import copy
import pickle
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from spygames.core.envs.aec import GameEnv
from spygames.core.game.game import NOBODY
from spygames.testing.trial import Skip, Trial, difference, short

_TRACE = 40  # steps for which copies are compared
_CHANGED = 8  # states with changed bytes per position
_GAME = 1000  # decisions of a game within which a copy is made


def _advance(env: GameEnv, choice: int) -> None:
    """Step with the legal action number `choice` (modulo their number), or with None for an agent that is done."""
    *_, termination, truncation, info = env.last()
    legal = np.flatnonzero(info["action_mask"])
    env.step(None if termination or truncation else int(legal[choice % len(legal)]))


def trace(env: GameEnv, steps: int = _TRACE) -> Iterator[bytes]:
    """Yield everything that an environment shows in the next `steps` steps, across the ends of games."""
    for step in range(steps):
        if not env.agents:
            env.reset()
        observation, reward, termination, truncation, _ = env.last()
        assert observation is not None
        shown = (env.agent_selection, env.agents, env.rewards, reward, termination, truncation)
        yield repr(shown).encode() + env.state().tobytes()
        yield observation["observation"].tobytes() + observation["action_mask"].tobytes()
        for agent, other in env.infos.items():
            yield agent.encode() + other["action_mask"].tobytes()
            right = observation["action_mask"] if agent == env.agent_selection else 0
            assert (other["action_mask"] == right).all(), f"the mask in the info of {agent} is not its own"
        _advance(env, step)


def copies(trial: Trial) -> None:
    """A game that is copied, cloned, pickled, saved or restored at any point continues in the same way.

    This includes the steps of agents that are done.
    """
    for seed in trial.seeds(trial.times(20)):
        env = GameEnv(trial.game)
        choices = trial.rng.integers(2**31, size=_GAME).tolist()
        env.reset(seed=seed)
        length = 0
        while env.agents and length < _GAME:
            _advance(env, choices[length])
            length += 1
        steps = int(trial.rng.integers(length + 1))
        if trial.rng.integers(2):  # near the end, where agents that are done must be stepped
            steps = max(0, length - int(trial.rng.integers(8)))
        trial.at = f"seed {seed}, step {steps}"
        env.reset(seed=seed)
        for choice in choices[:steps]:
            _advance(env, choice)
        restored, saved = GameEnv(trial.game), env.save()
        restored.restore(saved)
        others: dict[str, Any] = {
            "copy.copy": copy.copy(env),
            "copy.deepcopy": copy.deepcopy(env),
            "clone": env.clone(),
            "pickle": pickle.loads(pickle.dumps(env)),
            "save and restore": restored,
        }
        first = list(trace(env))
        for name, other in others.items():  # one after the other, so that shared memory would show
            if list(trace(other)) != first:
                trial.fail(f"the copy by {name} continues differently")
        env.restore(saved)
        if list(trace(env)) != first:
            trial.fail("an environment that restores its own save continues differently")


def saves(trial: Trial) -> None:
    """`restore` refuses bytes that are truncated, damaged or not from `save`, and changes nothing."""
    env = GameEnv(trial.game)
    env.reset(seed=1)
    saved: Any = env.save()
    bad = [b"", b"x", saved[:-1], saved[:40], saved + b"x", "x", None]
    bad.append(saved[:-20] + bytes([saved[-20] ^ 1]) + saved[-19:])
    for blob in bad:
        try:
            env.restore(blob)
        except ValueError as error:
            if "saved" not in str(error):
                trial.fail(f"the error for an invalid save must contain 'saved', not be {short(error)!r}")
        else:
            trial.fail("restore must raise ValueError for a save that is truncated or damaged, and for any other value")
        if env.save() != saved:
            trial.fail("a refused save changed the environment")


def known(trial: Trial) -> None:
    """`is_known` accepts exactly the states whose mapping reads back as the same bytes."""
    if trial.game.is_known is None:
        raise Skip("the game has no `is_known`")
    by_mapping = replace(trial.game, is_known=None)
    for states in trial.positions(20):
        for changes in range(_CHANGED):
            changed = states.copy()
            raw = changed.view(np.uint8)
            for at in trial.rng.integers(raw.size, size=changes % 4):
                raw[at] = (0, 1, 2, 255, int(raw[at]) + 1 & 255, int(raw[at]) - 1 & 255)[trial.rng.integers(6)]
            one, other = trial.game.is_possible(changed), by_mapping.is_possible(changed)
            if one != other:
                found = difference(states, changed, ("before", "now"))
                trial.fail(
                    f"is_known {'accepts' if one else 'rejects'} a state whose mapping "
                    f"{'does not read' if one else 'reads'} back; changed bytes: {found if changes % 4 else 'none'}"
                )


def ownership(trial: Trial) -> None:
    """Arrays that were returned never change afterwards, and writing into them does not change the game."""
    one, other = GameEnv(trial.game), GameEnv(trial.game)
    one.reset(seed=6)
    other.reset(seed=6)
    held = []
    for step in range(200):
        if one.to_move == NOBODY:
            break
        trial.at = f"seed 6, decision {step}"
        seen: list[Any] = [one.last() for _ in range(2)] + [other.last()]
        held += [(array, array.copy()) for array in seen[0][0].values()]
        action = int(np.flatnonzero(seen[0][4]["action_mask"])[-1])
        for values in (seen[2][0], {"info": seen[2][4]["action_mask"]}):
            for array in values.values():
                array[:] = 1 - array
        if not np.array_equal(seen[0][0]["observation"], one.observe(one.agent_selection)["observation"]):
            trial.fail("two observations of one position differ")
        one.step(action)
        other.step(action)
        if one.save() != other.save():
            trial.fail("writing into an observation changed the game")
    if not all(np.array_equal(array, then) for array, then in held):
        trial.fail("an observation that was returned earlier has changed")
