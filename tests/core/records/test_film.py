"""Films: what a viewer sees of each position of a recorded game, the move before it, and the advice of a player."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import spygames
from spygames.core.game.game import NOBODY, as_record
from spygames.core.players.player import DecisionBatch
from spygames.core.records.film import Film
from spygames.core.records.record import RecordError, make_record, play_record
from spygames.core.svg.annotations import Advice, Look
from spygames.core.svg.pen import Pen
from tests.poker import kuhn
from tests.support.changed import changed

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


def draw_look(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw all that a picture shows beside the position."""
    for text in (*look.log, str(look.before), str(look.advice and look.advice.value), *look.names):
        pen.words(10, 20, text, 20)


def test_a_picture_shows_the_past_as_the_viewer_saw_it() -> None:
    game = changed(KUHN, draw=draw_look)
    film = Film(POKER, game, Thinker())
    moves = {0: ["player_1 has moved", "player_0: pass"], 1: ["player_1: bet", "player_0 has moved"]}
    for viewer, advice in ((0, "2.0"), (1, "None")):
        before = str(game.seen_to_dict(as_record(film.states, 1), viewer))
        for draw_advice in (True, False):
            picture = film.scene(2, viewer, draw_advice=draw_advice).picture
            shown = [each.text for each in ElementTree.fromstring(picture) if each.tag.endswith("text")]
            assert shown == [*moves[viewer], before, advice if draw_advice else "None", *POKER.players]


class Noting:
    """An adviser that wants a history, and returns its length as its value."""

    name, notes_size = "noting", 4

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        assert decisions.notes is not None
        return [Advice([("pass", 1.0)], value=float(decisions.notes.count[0]))]


def test_an_adviser_with_a_history_gets_it_at_any_position() -> None:
    for position in range(3):
        advice = Film(POKER, KUHN, Noting()).advice(position)
        assert advice
        assert advice.value == position


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


WRONG: list[tuple[Any, Any]] = [(-1, 0), (4, 0), (0, 2), (0, -2), ("1", 0), (1.5, 0), (None, 0), (0, "1"), (0, None)]


@pytest.mark.parametrize(("position", "viewer"), WRONG)
def test_invalid_positions_and_viewers_are_refused(position: Any, viewer: Any) -> None:
    film = Film(POKER, KUHN, Thinker())
    with pytest.raises(ValueError, match=r"position must be 0\.\.3|viewer must be a seat 0\.\.1"):
        film.scene(position, viewer)
    with pytest.raises(ValueError, match=r"position must be 0\.\.3, not|viewer must be"):
        film.text(position, viewer)
    with pytest.raises(ValueError, match=r"number must be 1\.\.3, not|viewer must be"):
        film.move(1 if position == 0 else position, viewer)
    if position != 0:
        with pytest.raises(ValueError, match=r"position must be 0\.\.3, not"):
            film.advice(position)


def test_a_film_refuses_a_record_of_another_game() -> None:
    with pytest.raises(RecordError):
        Film(play_record(spygames.make_game("agent_avenue_v0"), ["random", "random"], seed=5), KUHN)
    with pytest.raises(RecordError, match="name the game of another module"):
        Film(POKER)
