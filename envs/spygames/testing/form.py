"""Checks of layouts and pickling, and the tests of PettingZoo and Gymnasium."""

import contextlib
import io
import json
import pickle
import warnings
from collections.abc import Iterator

import numpy as np
from gymnasium.utils.env_checker import check_env

from spygames.core.envs.aec import GameEnv
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import as_record
from spygames.testing.trial import Trial, has_no_padding, leaves, short, vector, view_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # from PettingZoo, about its own games
    from pettingzoo.test import api_test, seed_test

_PETTINGZOO = ("reset options", "Observation space for each agent probably", "Observation is not a NumPy array")
"""Expected warnings about observations with a mask, which PettingZoo's test accepts only from its own games."""
_GYMNASIUM = ("is not legal", "is -infinity", "is infinity", "Not able to test alternative render modes")


def layout(trial: Trial) -> None:
    """All bytes of a record belong to fields. STATE has `rng` and `to_move`, VIEW only float32. Options are JSON, and
    there is a bot `random`."""
    game = trial.game
    for name, dtype in (("STATE", game.state_dtype), ("VIEW", game.view_dtype), ("OPTIONS", game.packed.dtype)):
        if not has_no_padding(dtype):
            trial.fail(
                f"all bytes of {name} must belong to fields, since NumPy does not copy the others and equal records "
                f'would differ in bytes; end {name}, or its nested record, with ("padding", int8, n)'
            )
    fields = {path: dtype for path, dtype in leaves(game.state_dtype) if len(path) == 1}
    if fields.get(("rng",)) != np.uint64:
        trial.fail(f"field rng of STATE must be uint64, the random stream of chance, not {fields.get(('rng',))}")
    if ("to_move",) not in fields or fields["to_move",].kind != "i":
        trial.fail(f"field to_move of STATE must be a signed integer, the seat or -1, not {fields.get(('to_move',))}")
    for path, dtype in leaves(game.view_dtype):
        if dtype != np.float32 or len(path) > 1:
            trial.fail(f"field {'.'.join(path)} of VIEW must be float32 and not in a nested record, but is {dtype}")
    try:
        same = json.loads(json.dumps(dict(game.options))) == dict(game.options)
    except (TypeError, ValueError):
        same = False
    if not same:
        trial.fail(
            f"options must be plain JSON, as records and checkpoints store them, not {short(dict(game.options))}"
        )
    if "random" not in game.bots:
        trial.fail(
            f"bots must have 'random' (spygames.authoring.random_bot), not only {', '.join(game.bots) or 'none'}"
        )
    if game.teams and (len(game.teams) != game.num_players or set(game.teams) != set(range(max(game.teams) + 1))):
        trial.fail(f"teams must be numbers from 0 on, one for each of {game.num_players} seats, not {game.teams}")
    if len(view := vector(view_of(game, as_record(game.start(5)), 0))) != game.num_features:
        trial.fail(f"a view must be a vector of {game.num_features} float32, not {len(view)}")


def pickling(trial: Trial) -> None:
    """An unpickled game equals the original, with its bots, and starts in the same way."""
    game = trial.game
    try:
        again = pickle.loads(pickle.dumps(game))
    except Exception as error:
        trial.fail(
            f"the game cannot be pickled ({short(error)}); its module, or the package around it, must have a "
            "make_game(**options)"
        )
    if set(again.bots) != set(game.bots):
        trial.fail(f"the unpickled game must have the bots {', '.join(game.bots)}, not {', '.join(again.bots)}")
    if again != game:
        trial.fail(f"the unpickled game is a different one: {again.title}; make_game(**options) must make the same")
    if again.start(7).tobytes() != game.start(7).tobytes():
        trial.fail("the unpickled game starts differently from seed 7")


@contextlib.contextmanager
def _noting(trial: Trial, known: tuple[str, ...], by: str) -> Iterator[None]:
    """Turn warnings into notes, except those in `known`, and drop printed output."""
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        yield
    texts = {short(w.message) for w in caught if not any(text in str(w.message) for text in known)}
    trial.notes.extend(f"{by} warns: {text}" for text in sorted(texts))


def pettingzoo(trial: Trial) -> None:
    """PettingZoo's `api_test` and `seed_test` accept the environment."""
    cycles = trial.times(200)
    with _noting(trial, _PETTINGZOO, "PettingZoo"):
        api_test(GameEnv(trial.game), num_cycles=cycles)
        seed_test(lambda: GameEnv(trial.game), num_cycles=cycles)


def gymnasium(trial: Trial) -> None:
    """Gymnasium's `check_env` accepts the single-seat environment."""
    with _noting(trial, _GYMNASIUM, "Gymnasium"):
        check_env(SingleEnv(trial.game, render_mode="ansi"))
