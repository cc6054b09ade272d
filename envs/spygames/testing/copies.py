"""Copies, saved games, and what belongs to whom."""

import copy
import pickle
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from spygames.core.envs.aec import GameEnv
from spygames.core.game.game import NOBODY
from spygames.testing.trial import Trial, difference

_TRACE = 40  # steps for which copies are followed
_CHANGED = 8  # states with changed bytes for each position
_GAME = 1000  # decisions of a game within which a copy is made


def _advance(env: GameEnv, choice: int) -> None:
    """One step: the choice among what is legal, or None for an agent whose game is over."""
    *_, termination, truncation, info = env.last()
    legal = np.flatnonzero(info["action_mask"])
    env.step(None if termination or truncation else int(legal[choice % len(legal)]))


def trace(env: GameEnv, steps: int = _TRACE) -> Iterator[bytes]:
    """All that an environment shows from here on for so many steps, over the end and into the next games."""
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
            assert (other["action_mask"] == right).all(), f"the info of {agent} shows a mask that is not its own"
        _advance(env, step)


def copies(trial: Trial) -> None:
    """Copied, cloned, pickled, saved and restored at any point, also while the dead are stepped, games go on alike."""
    for seed in trial.seeds(trial.times(20)):
        env = GameEnv(trial.game)
        choices = trial.rng.integers(2**31, size=_GAME).tolist()
        env.reset(seed=seed)
        length = 0
        while env.agents and length < _GAME:
            _advance(env, choices[length])
            length += 1
        steps = int(trial.rng.integers(length + 1))
        if trial.rng.integers(2):  # near the end, where the dead are stepped
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
        for name, other in others.items():  # one after the other: they share nothing
            if list(trace(other)) != first:
                trial.fail(f"the copy by {name} goes on as another game")
        env.restore(saved)
        if list(trace(env)) != first:
            trial.fail("restored into the environment that was saved, it goes on as another game")


def saves(trial: Trial) -> None:
    """A saved game that is cut, damaged or none is refused, and nothing changes."""
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
                trial.fail(f"a bad save is refused with {error}, which does not say so")
        else:
            trial.fail("restore takes a save that is cut, damaged or none")
        if env.save() != saved:
            trial.fail("restore refuses a save, but the environment has changed")


def known(trial: Trial) -> None:
    """`is_known` takes the positions that read back from their mapping, and no other bytes."""
    if trial.game.is_known is None:
        return
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
                    f"is_known {'takes' if one else 'refuses'} a state whose mapping "
                    f"{'does not read' if one else 'reads'} back; changed was {found if changes % 4 else 'nothing'}"
                )


def ownership(trial: Trial) -> None:
    """Arrays handed out never change afterwards, and changing them does nothing to the game."""
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
            trial.fail("two looks at one position differ")
        one.step(action)
        other.step(action)
        if one.save() != other.save():
            trial.fail("writing into an observation changed the game")
    if not all(np.array_equal(array, then) for array, then in held):
        trial.fail("an observation handed out earlier has changed")
