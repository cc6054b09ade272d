"""Rules that scenarios do not cover: the printed game, the first hands, every icon, and hidden information."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from spygames.agent_avenue import board, cards, make_game
from spygames.core.game.game import Game, as_record

COPIES = {"double_agent": 6, "enforcer": 6, "codebreaker": 6, "saboteur": 6, "daredevil": 6, "sentinel": 6}
COPIES |= {"sidekick": 1, "mole": 1}
MOVES = {  # spaces moved by the 1st to 6th copy in one play area
    "double_agent": (-1, +6, -1, -1, -1, -1),
    "enforcer": (+1, +2, +3, +3, +3, +3),
    "codebreaker": (0, 0, 0),
    "saboteur": (-1, -1, -2, -2, -2, -2),
    "daredevil": (+2, +3, 0),
    "sentinel": (0, +2, +6, +6, +6, +6),
    "sidekick": (+4,),
    "mole": (-3,),
}


@pytest.mark.rule("AA-1")
def test_the_deck_is_the_printed_one(fresh: Callable[[int], Any]) -> None:
    assert dict(zip(cards.AGENTS, cards.COPIES.tolist(), strict=True)) == COPIES
    assert cards.CARDS == int(cards.COPIES.sum()) == 38
    mapping = fresh(5).mapping
    everything = [*mapping["deck"], *mapping["hands"]["0"], *mapping["hands"]["1"]]
    assert {card: everything.count(card) for card in everything} == COPIES


@pytest.mark.rule("AA-2", "AA-15")
def test_the_board_is_a_loop_of_14_spaces_with_homes_7_apart(
    at: Callable[..., Any], make_mapping: Callable[..., Any]
) -> None:
    assert board.SPACES == 14
    assert board.HOMES.tolist() == [0, 7]
    hands = {"0": ["enforcer"] * 4, "1": ["sentinel"] * 4}
    for p0, p1 in [(0, 0), (3, -2), (13, 12), (14, 10), (29, 30), (-1, 0), (-15, -14)]:
        position = at(make_mapping(hands, progress=[p0, p1]))
        spaces = [p0 % 14, (7 + p1) % 14]
        for seat in (0, 1):
            relative = [(space - 7 * seat) % 14 for space in (spaces[seat], spaces[1 - seat])]
            assert np.round(position.view(seat)["space"][0] * 14).tolist() == relative


@pytest.mark.rule("AA-5")
def test_set_up(fresh: Callable[[int], Any]) -> None:
    for seed in range(20):
        mapping = fresh(seed).mapping
        assert [len(hand) for hand in mapping["hands"].values()] == [4, 4]
        assert len(mapping["deck"]) == 30
        assert mapping["progress"] == [0, 0]
        assert mapping["in_play"] == {"0": {}, "1": {}}
        assert mapping["discarded"] == {"0": [], "1": []}
        assert mapping["discards_left"] == {"0": 4, "1": 4}
        assert (mapping["phase"], mapping["turn"], mapping["face_up"], mapping["face_down"]) == ("play", 1, None, None)


@pytest.mark.rule("AA-5")
def test_the_first_hands_are_uniform(game: Game) -> None:
    """Over many seeds the frequency of each kind of card at a few places is within five standard deviations."""
    n = 6000
    counts = np.zeros((4, cards.KINDS))
    pairs = 0
    for seed in range(n):
        states = game.start(seed)
        deck = states["deck"][0]
        for place, card in enumerate((deck[29], deck[15], deck[0])):
            counts[place, card] += 1
        counts[3] += states["hands"][0, 1] / 4
        pairs += deck[29] == deck[28]
    share = cards.COPIES / 38
    assert (np.abs(counts / n - share) < 5 * np.sqrt(share * (1 - share) / n)).all()
    alike = 6 * 6 * 5 / (38 * 37)
    assert abs(pairs / n - alike) < 5 * np.sqrt(alike * (1 - alike) / n)


@pytest.mark.rule("AA-6")
def test_the_first_player() -> None:
    for first in (0, 1):
        game = make_game(first_player=first)
        for seed in range(20):
            s = as_record(game.start(seed))
            assert (s.to_move, s.active_side) == (first, first)
    assert make_game().options["first_player"] == 0
    drawn = make_game(first_player="random")
    seats = [int(as_record(drawn.start(seed)).to_move) for seed in range(4000)]
    assert abs(np.mean(seats) - 0.5) < 5 * 0.5 / np.sqrt(4000)
    assert seats[:50] == [int(as_record(drawn.start(seed)).to_move) for seed in range(50)]
    three = make_game(players=3, first_player="random")
    sides = [int(as_record(three.start(seed)).active_side) for seed in range(400)]
    assert abs(np.mean(sides) - 0.5) < 5 * 0.5 / np.sqrt(400)  # with one half each, not by the number of seats


@pytest.mark.parametrize("value", [2, -1, "0", None, True, "first"])
@pytest.mark.rule("AA-6")
def test_invalid_first_players_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="first_player"):
        make_game(first_player=value)


ICON_CASES = [(card, n) for card, moves in MOVES.items() for n in range(1, len(moves) + 1)]


@pytest.mark.rule("AA-1", "AA-13", "AA-14")
@pytest.mark.parametrize("choice", ["up", "down"])
@pytest.mark.parametrize("active", [0, 1])
@pytest.mark.parametrize(("card", "n"), ICON_CASES)
def test_every_icon(
    at: Callable[..., Any], make_mapping: Callable[..., Any], card: str, n: int, active: int, choice: str
) -> None:
    """The side that recruits the n-th copy moves by the n-th number of the icon."""
    partner = next(c for c in ("sidekick", "mole") if c != card)
    for recruiter in (active, 1 - active):
        in_play = {str(recruiter): {card: n - 1} if n > 1 else {}}
        hands = {str(active): [card, partner]}
        # The meeples are too far apart for a catch, whatever card is recruited.
        position = at(make_mapping(hands, in_play, active=active, progress=[20, 20]))
        # The other side takes `choice`; the card is placed so that the recruiter gets it.
        lies_up = (choice == "up") == (recruiter != active)
        played = f"play {card} {partner}" if lies_up else f"play {partner} {card}"
        position.act(played, f"recruit {choice}")
        after = position.mapping
        assert after["in_play"][str(recruiter)] == {card: n}
        assert after["progress"][recruiter] == 20 + MOVES[card][n - 1]
        assert after["progress"][1 - recruiter] == 20 + MOVES[partner][0]


@pytest.mark.rule("AA-13", "AA-14")
@pytest.mark.parametrize("card", ["codebreaker", "daredevil"])
@pytest.mark.parametrize("n", [3, 4, 5])
def test_a_further_copy_uses_the_third_icon_also_where_three_end_the_game(
    at: Callable[..., Any], make_mapping: Callable[..., Any], card: str, n: int
) -> None:
    """No game of this mode goes past three of these cards, so the test sets the further copies directly."""
    position = at(make_mapping({"0": [card, "mole"]}))
    position.s.in_play[0, cards.AGENTS.index(card)] = n
    position.act(f"play mole {card}", "recruit up")
    assert position.mapping["progress"] == [0, -3]
    assert position.mapping["in_play"]["0"] == {card: n + 1}
    assert position.mapping["phase"] == "over"


def _other_seat_sees(position: Any, seat: int) -> tuple[Any, ...]:
    return position.view(seat).tobytes(), position.drawing(seat), tuple(position.mask)


@pytest.mark.rule("AA-9")
def test_a_discard_is_known_to_its_owner_only(at: Callable[..., Any], make_mapping: Callable[..., Any]) -> None:
    hands = {"0": ["enforcer", "saboteur", "sentinel", "mole"], "1": ["enforcer"] * 4}
    start = make_mapping(hands, deck=["daredevil", "codebreaker"])
    thrown = [at(start).act(f"discard {card}") for card in ("saboteur", "mole")]
    assert _other_seat_sees(thrown[0], 1)[:2] == _other_seat_sees(thrown[1], 1)[:2]
    assert thrown[0].view(0).tobytes() != thrown[1].view(0).tobytes()
    assert thrown[0].view(0)["discarded"][0].tolist() == [0, 0, 0, 0.25, 0, 0, 0, 0]
    assert (thrown[0].view(1)["unseen"] * 6).round().tolist() == [[6, 2, 6, 6, 6, 6, 1, 1]]
    assert (thrown[0].view(0)["unseen"] * 6).round().tolist() == [[6, 5, 6, 5, 5, 5, 1, 0]]


@pytest.mark.rule("AA-12")
def test_the_face_down_card_is_hidden_from_the_other_seat_until_recruited(
    at: Callable[..., Any], make_mapping: Callable[..., Any]
) -> None:
    """The chooser's view, mask and drawing do not depend on the face-down card or the drawn cards."""
    hands = {"0": ["double_agent", "saboteur", "sentinel", "mole"], "1": ["enforcer"] * 4}
    seen = set()
    for down in ("double_agent", "saboteur", "mole"):
        for top in (["daredevil", "codebreaker"], ["enforcer", "sidekick"]):
            position = at(make_mapping(hands, deck=top)).act(f"play sentinel {down}")
            seen.add(_other_seat_sees(position, 1))
            assert position.view(0)["face_down"][0].tolist() == [float(a == down) for a in cards.AGENTS]
            assert position.view(1)["face_up"][0].tolist() == [float(a == "sentinel") for a in cards.AGENTS]
            assert not position.view(1)["face_down"].any()
            for choice in ("recruit up", "recruit down"):
                after = at(position.mapping).act(choice)
                owner = "1" if choice == "recruit down" else "0"
                assert after.mapping["in_play"][owner] == {down: 1}
                relative = 0 if owner == "1" else 1
                assert after.view(1)["stacks"][0, relative, cards.AGENTS.index(down), 0] == 1
    assert len(seen) == 1


@pytest.mark.rule("AA-8", "AA-10", "AA-12", "AA-20")
def test_random_play_conserves_cards_and_stays_in_bounds(game: Game, random_play: Callable[..., Iterator[Any]]) -> None:
    for position in random_play(150):
        s = position.s
        assert not (s.hands[2:] + s.discarded[2:]).any()  # seats of teams
        offered = [int(c) for c in (s.face_up, s.face_down) if c >= 0]
        places = s.hands.sum(0) + s.discarded.sum(0) + s.in_play.sum(0) + np.bincount(offered, minlength=8)
        places = places + np.bincount(s.deck[: s.deck_size], minlength=8)
        assert places.tolist() == cards.COPIES.tolist()
        assert (s.deck[s.deck_size :] == -1).all()
        thrown = s.discarded.sum(1)
        assert (thrown + s.discards_left)[:2].tolist() == [4, 4]
        waiting = 1 - int(s.active_side)
        if s.deck_size:
            assert s.hands[:2].sum(1).tolist() == [4, 4]
        if s.to_move >= 0:
            assert position.mask.any()
            assert abs(int(s.progress[0]) - int(s.progress[1])) < 7
            assert s.to_move == (waiting if s.phase == 1 else s.active_side)
        else:
            assert not position.mask.any()
        rewards = np.zeros(2, np.float32)
        game.returns(s, rewards)
        assert rewards.tolist() == ([0, 0] if s.to_move >= 0 else [1 - 2 * int(s.winner), 2 * int(s.winner) - 1])
        for seat in (0, 1):
            view = position.view(seat)[0]
            own, rival = s.hands[seat], s.hands[1 - seat]
            hidden = rival + s.discarded[1 - seat] + np.bincount(s.deck[: s.deck_size], minlength=8)
            if s.face_down >= 0 and seat != s.active_side:
                hidden = hidden + np.bincount([s.face_down], minlength=8)
            assert (view["unseen"] * 6).round().tolist() == hidden.tolist()
            assert view["hand"].sum(1).tolist() == own.tolist()
            assert (view["hand_size"] * 4).tolist() == [own.sum(), rival.sum()]
            assert float(view["lead"].argmax()) - 7 == np.clip(int(s.progress[seat]) - int(s.progress[1 - seat]), -7, 7)
            assert view["decides"] == (s.to_move == seat)
            assert view["active"] == (s.active_side == seat and s.to_move >= 0)
            assert view["discards_left"].sum(1).tolist() == [s.discards_left[seat], s.discards_left[1 - seat]]
