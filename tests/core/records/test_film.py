"""Films: what a viewer sees of each position of a recorded game, the move before it, and the advice of a player."""

from xml.etree import ElementTree

import numpy as np
import pytest

import spygames
from spygames.core.game.game import NOBODY, as_record
from spygames.core.players.player import DecisionBatch
from spygames.core.records.film import Film
from spygames.core.records.record import RecordError, make_record, play_record
from spygames.core.svg.annotations import Advice
from tests.poker import kuhn

KUHN = kuhn.make_game()
POKER = make_record(KUHN, [kuhn.PASS, kuhn.BET, kuhn.BET], seed=3, players=("<b>Ann</b>", "Bob"))


class Thinker:
    """An adviser that counts the decisions of each seat in its memory and returns the count as its value."""

    name, memory_size = "thinker", 1

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        assert decisions.memory is not None
        (row,) = decisions.rows
        seat = int(decisions.states["to_move"][row])
        decisions.memory[row, seat, 0] += 1
        own = kuhn.CARDS[int(decisions.views["own"][row].argmax())]
        return [Advice([(f"bet on {own}", 0.75), ("pass", 0.25)], value=float(decisions.memory[row, seat, 0]))]


def test_a_scene_shows_a_position_and_the_move_before_it() -> None:
    film = Film(POKER, KUHN)
    assert len(film) == 4
    assert film.scene(0, 1).move == ""
    assert film.scene(1, 1).move == "player_0 has moved"
    assert film.scene(1, 0).move == "player_0: pass"
    assert film.scene(3).move == "player_0: bet"
    assert [film.scene(i).seat for i in range(4)] == [0, 1, 0, NOBODY]
    for position in range(4):
        for viewer in (NOBODY, 0, 1):
            text = KUHN.to_text(as_record(film.states, position), viewer)
            assert ElementTree.fromstring(film.scene(position, viewer).picture)[1].text == text


def test_advice_is_for_the_deciding_seat_only() -> None:
    film = Film(POKER, KUHN, Thinker())
    open_to_all = [film.scene(i).advice for i in range(4)]
    assert [advice and advice.value for advice in open_to_all] == [1, 1, 2, None]
    cards = [kuhn.CARDS[card] for card in film.states["cards"][0]]
    assert [advice.actions[0][0] for advice in open_to_all[:3] if advice] == [
        f"bet on {cards[seat]}" for seat in (0, 1, 0)
    ]
    assert [film.scene(i, 0).advice is not None for i in range(4)] == [True, False, True, False]
    assert [film.scene(i, 1).advice is not None for i in range(4)] == [False, True, False, False]


class Drawing:
    """An adviser that draws from the random stream and returns the stream as its value."""

    name = "drawing"

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        decisions.rng[0] += np.uint64(1)
        return [Advice([("pass", 1.0)], value=float(decisions.rng[0, 0]))]


def test_advice_does_not_depend_on_the_positions_that_were_shown_before() -> None:
    film, other = (Film(POKER, KUHN, Drawing()) for _ in range(2))
    assert other.advice(0)
    assert film.advice(1) == other.advice(1)


@pytest.mark.parametrize(("position", "viewer"), [(-1, 0), (4, 0), (0, 2), (0, -2)])
def test_invalid_positions_and_viewers_are_refused(position: int, viewer: int) -> None:
    with pytest.raises(ValueError, match=r"position must be 0\.\.3|viewer must be a seat 0\.\.1"):
        Film(POKER, KUHN).scene(position, viewer)


def test_a_film_refuses_a_record_of_another_game() -> None:
    with pytest.raises(RecordError):
        Film(play_record(spygames.make_game("agent_avenue_v0"), ["random", "random"], seed=5), KUHN)
    with pytest.raises(RecordError, match="name the game of another module"):
        Film(POKER)
