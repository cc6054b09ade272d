"""The form: layouts, pickling, and what PettingZoo and Gymnasium ask of every environment."""

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
    warnings.simplefilter("ignore", DeprecationWarning)  # of PettingZoo, about its own games
    from pettingzoo.test import api_test, seed_test

_PETTINGZOO = ("reset options", "Observation space for each agent probably", "Observation is not a NumPy array")
"""Warnings that come of observations with a mask, which PettingZoo's test knows of a list of its own games only."""
_GYMNASIUM = ("is not legal", "is -infinity", "is infinity", "Not able to test alternative render modes")


def layout(trial: Trial) -> None:
    """Every byte of a record is a field's; STATE has `rng` and `to_move`, VIEW float32 alone; options are JSON; there
    is a bot `random`."""
    game = trial.game
    for name, dtype in (("STATE", game.state_dtype), ("VIEW", game.view_dtype), ("OPTIONS", game.packed.dtype)):
        if not has_no_padding(dtype):
            trial.fail(
                f"{name} has bytes of no field, which NumPy does not copy, so equal records may differ in bytes; "
                f'end it, or the record within, with ("padding", int8, n)'
            )
    fields = {path: dtype for path, dtype in leaves(game.state_dtype) if len(path) == 1}
    if fields.get(("rng",)) != np.uint64:
        trial.fail(f"STATE has the field rng as {fields.get(('rng',))}; it is uint64, the random stream of chance")
    if ("to_move",) not in fields or fields["to_move",].kind != "i":
        trial.fail(f"STATE has the field to_move as {fields.get(('to_move',))}; it is a signed integer, the seat or -1")
    for path, dtype in leaves(game.view_dtype):
        if dtype != np.float32 or len(path) > 1:
            trial.fail(f"VIEW's field {'.'.join(path)} is {dtype}; every one is float32, without records within")
    try:
        same = json.loads(json.dumps(dict(game.options))) == dict(game.options)
    except (TypeError, ValueError):
        same = False
    if not same:
        trial.fail(
            f"options {short(dict(game.options))} are not plain JSON, which records and checkpoints keep them as"
        )
    if "random" not in game.bots:
        trial.fail(f"there is no bot random, only {', '.join(game.bots) or 'none'}; take spygames.authoring.random_bot")
    if game.teams and (len(game.teams) != game.num_players or set(game.teams) != set(range(max(game.teams) + 1))):
        trial.fail(f"teams are {game.teams}; they are one number for each of {game.num_players} seats, from 0 on")
    if len(vector(view_of(game, as_record(game.start(5)), 0))) != game.num_features:
        trial.fail(f"a view is no vector of {game.num_features} float32")


def pickling(trial: Trial) -> None:
    """A game comes back from pickle as an equal game, with its bots, that plays alike."""
    game = trial.game
    try:
        again = pickle.loads(pickle.dumps(game))
    except Exception as error:
        trial.fail(
            f"it cannot be pickled ({short(error)}); its module or the package around has a make_game(**options)"
        )
    if set(again.bots) != set(game.bots):
        trial.fail(f"pickled it has the bots {', '.join(again.bots)} instead of {', '.join(game.bots)}")
    if again != game:
        trial.fail(f"pickled it comes back as another game, {again.title}; make_game(**options) of its module makes it")
    if again.start(7).tobytes() != game.start(7).tobytes():
        trial.fail("pickled it starts another game from seed 7")


@contextlib.contextmanager
def _noting(trial: Trial, known: tuple[str, ...], by: str) -> Iterator[None]:
    """Unknown warnings become notes; what is printed is dropped."""
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
    """Gymnasium's `check_env` accepts the environment of one seat."""
    with _noting(trial, _GYMNASIUM, "Gymnasium"):
        check_env(SingleEnv(trial.game, render_mode="ansi"))
