"""Checks that malformed input and illegal actions are refused, and change nothing."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from spygames.core.envs.aec import GameEnv
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import NOBODY, IllegalAction, ImpossibleState
from spygames.core.playing.batch import Batch
from spygames.testing.copies import trace
from spygames.testing.trial import MAX_DECISIONS, Trial, few, short

_ILLEGAL = 20  # illegal actions tried per position
MALFORMED: list[Any] = [
    None,
    0.0,
    1.5,
    "0",
    b"",
    True,
    np.bool_(True),
    np.float32(1),
    np.zeros(1, np.int64),
    [0],
    (),
    {},
    -1,
    2**70,
]
"""Values that are not actions."""


def _refuses(
    trial: Trial, error: type[Exception], what: str, call: Callable[..., object], *args: Any, **kwargs: Any
) -> None:
    """Fail unless `call` raises `error`."""
    try:
        call(*args, **kwargs)
    except error:
        return
    except Exception as other:
        trial.fail(f"{what} must raise {error.__name__}, not {type(other).__name__} ({short(other)})")
    trial.fail(f"{what} must raise {error.__name__}, but is accepted")


def actions(trial: Trial) -> None:
    """The environment refuses malformed and illegal actions; afterwards it is unchanged, and the game continues."""
    env = GameEnv(trial.game)
    _refuses(trial, ResetNeeded, "a step before the first reset", env.step, 0)
    for seed in trial.seeds(trial.times(10)):
        env.reset(seed=seed)
        for step in range(int(trial.rng.integers(26))):
            mask = env.observe(env.agent_selection)["action_mask"]
            if not mask.any():
                break
            env.step(int(np.flatnonzero(mask)[step % mask.sum()]))
        trial.at = f"seed {seed}, {env.agent_selection}"
        over, before = env.to_move == NOBODY, _shown(env)
        illegal = few(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0), _ILLEGAL)
        for action in [*MALFORMED, trial.game.num_actions, *illegal]:
            if over and action is None:
                continue
            _refuses(trial, IllegalAction, f"the action {action!r}", env.step, action)
            if _shown(env) != before:
                trial.fail(f"the refused action {action!r} changed the environment")
        list(trace(env))
    for _ in range(MAX_DECISIONS):
        if not env.agents:
            break
        mask = env.infos[env.agent_selection]["action_mask"]
        env.step(int(mask.argmax()) if mask.any() else None)
    else:
        return
    _refuses(trial, ResetNeeded, "a step after the last agent was removed", env.step, None)


def _shown(env: GameEnv) -> tuple[bytes, str]:
    return env.save(), repr((env.rewards, env.terminations, env.truncations, env.agent_selection, env.agents))


def resets(trial: Trial) -> None:
    """A reset with an invalid seed or state is refused, and nothing changes."""
    env = GameEnv(trial.game)
    env.reset(seed=4)
    before, position = env.save(), env.state_to_dict()
    for seed in (-1, 2**64, 1.0, "1", True):
        _refuses(trial, ValueError, f"the seed {seed!r}", env.reset, seed=seed)
    lacking = {key: value for key, value in position.items() if key != "to_move"}
    states: list[Any] = [{}, [], "x", {**position, "nonsense": 1}, {**position, "to_move": 99}, {**position, "rng": -1}]
    if len(lacking) < len(position):
        states.append(lacking)
    for state in states:
        options = {"state": state}
        _refuses(trial, ImpossibleState, f"the state {short(state, 60)}", env.reset, seed=9, options=options)
    if env.save() != before:
        trial.fail("a refused reset changed the environment")


def batch(trial: Trial) -> None:
    """A batch refuses a step with one illegal action, and no game changes."""
    game = trial.game
    games = Batch(game, 3, seed=2)

    def shown() -> tuple[bytes, ...]:
        return games.states.tobytes(), games.observation.tobytes(), games.mask.tobytes()

    before = shown()
    legal = games.mask.argmax(1)
    for action in [game.num_actions, -1, *np.flatnonzero(games.mask[1] == 0)[:3]]:
        row = np.array([legal[0], action, legal[2]])
        _refuses(trial, IllegalAction, f"the action {action} in a batch", games.step, row)
        if shown() != before:
            trial.fail(f"the refused action {action} changed games of the batch")
    games.step(legal)
    if games.states.tobytes() == before[0]:
        trial.fail("a step of the batch changed no game")


def single(trial: Trial) -> None:
    """The single-seat environment refuses or ignores an illegal action, and does not change."""
    for illegal in ("ignore", "raise"):
        env = SingleEnv(trial.game, illegal=illegal)
        env.reset(seed=8)
        before = env.env.save()
        for action in [*MALFORMED, trial.game.num_actions]:
            _refuses(trial, IllegalAction, f"the action {action!r}", env.step, action)
            if env.env.save() != before:
                trial.fail(f"the refused action {action!r} changed the environment")
        for action in few(np.flatnonzero(~env.action_masks()), _ILLEGAL):
            if illegal == "raise":
                _refuses(trial, IllegalAction, f"the illegal action {action}", env.step, action)
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    *_, reward, terminated, truncated, info = env.step(action)
                if (reward, terminated, truncated) != (0.0, False, False) or "illegal_action" not in info:
                    trial.fail(
                        f"the illegal action {action} must be ignored, with 'illegal_action' in the info: reward "
                        f"{reward}, terminated {terminated}, truncated {truncated}"
                    )
            if env.env.save() != before:
                trial.fail(f"the illegal action {action} changed the environment")
        env.step(int(env.action_masks().argmax()))
        if env.env.save() == before:
            trial.fail("a legal action changed nothing")
