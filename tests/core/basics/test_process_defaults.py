"""Process-wide settings neither change results nor are changed themselves."""

import io
import random
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import spygames
from spygames.agent_avenue_v0 import env, make_game, single_env, vector_env
from spygames.core.basics.text import say
from spygames.core.game.registry import game_ids
from spygames.core.players.search import SearchPlayer, search_values
from spygames.core.playing.batch import Batch
from spygames.core.records.film import Film
from spygames.core.records.record import play_record

LAST = 2**64 - 1
"""The largest seed; the seed after it wraps around."""


def results() -> list[Any]:
    """Return results of every kind from a seed."""
    game, found = make_game(), []
    record = play_record(game, ["greedy", "mcts:4"], seed=LAST)
    found.append((record, Film(record, adviser=SearchPlayer(game, "mcts", 4)).scene(2, 0)))
    one = env(render_mode="ansi")
    one.reset(seed=LAST)
    found += [one.determinize(one.agent_selection, LAST).save(), one.render(), one.state_to_dict()]
    batch = Batch(game, 3, LAST, threads=1)
    for _ in range(30):
        batch.step(batch.mask.argmax(axis=1))
    found.append(batch.states.tobytes())
    start = game.start(LAST)
    found += [array.tobytes() for array in search_values(game, start, int(start["to_move"][0]), 9, seed=LAST)]
    seat, seats = single_env(opponents="greedy"), vector_env(num_envs=2, opponents="greedy")
    found += [seat.reset(seed=LAST)[0].tobytes(), seat.determinize(LAST).env.save()]
    found += [seats.reset(seed=LAST - 1)[0].tobytes(), seats.step(seats.action_masks().argmax(axis=1))[0].tobytes()]
    return found


def test_results_are_the_same_with_strict_numpy_and_warnings() -> None:
    usual = results()
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert results() == usual


def test_global_random_generators_are_not_used() -> None:
    before = np.random.get_state()[1].tolist(), random.getstate()  # type: ignore[index, union-attr]
    results()
    assert before == (np.random.get_state()[1].tolist(), random.getstate())  # type: ignore[index, union-attr]


@pytest.mark.parametrize("game_id", game_ids())
def test_texts_of_positions_are_ascii(game_id: str) -> None:
    """Every terminal can print them."""
    game = spygames.make_game(game_id)
    record = play_record(game, ["random"] * game.num_players, seed=1)
    film = Film(record)
    for position in (0, len(film) // 2, len(film) - 1):
        assert film.text(position).isascii()
        assert film.text(position, 0).isascii()
    assert all(film.move(number).isascii() for number in range(1, min(len(film), 30)))


def test_messages_need_no_stderr(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stderr", stream)
        say("nobody reads this")
    assert capsys.readouterr().out == ""
