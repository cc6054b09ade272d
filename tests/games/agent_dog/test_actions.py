"""Action numbers: decoding inverts encoding, and each number has the kind and the text of its action."""

from collections.abc import Iterator
from typing import Any

import pytest

from spygames.agent_dog import actions, make_game
from spygames.agent_dog.cards import CARDS, CHOICES, FUNCTIONS, KINDS, OFFERED
from spygames.core.game.game import as_record

BOARDS = [{"track": 64, "holes": [3, 7, 11, 15], "meeting": 8}, {"track": 56, "holes": [4, 6], "meeting": 5}]


def encoded(track: int, holes: list[int], meeting: int) -> Iterator[tuple[int, Any, Any, Any, str]]:
    """For each action its kind, number, decoded values, encoded values, and text for red."""
    goals, quarter = ("goal", "goal blue", "goal green", "goal yellow"), track // 4
    for card in range(KINDS):
        n = actions.encode_pass(card)
        yield actions.PASS, n, actions.decode_pass(n), card, f"pass {CARDS[card]}"
        n = actions.encode_discard(card)
        yield actions.DISCARD, n, actions.decode_discard(n), card, f"discard {CARDS[card]}"
    for choice, (card, function) in enumerate(CHOICES):
        n = actions.encode_play(choice)
        several = f" as {FUNCTIONS[function]}" if len(OFFERED[card]) != 1 else ""
        yield actions.PLAY, n, actions.decode_play(n), (card, function), f"card {CARDS[card]}{several}"
    n = actions.encode_from_area()
    yield actions.FROM_AREA, n, None, None, "from area"
    for partner in range(2):
        for i in range(3):
            n = actions.encode_from_goal(partner, i)
            yield actions.FROM_GOAL, n, actions.decode_from_goal(n), (partner, i), f"from {goals[2 * partner]} {i}"
        for distance in range(1, 13):
            n = actions.encode_into_goal(partner, distance)
            text = f"from track {(2 * partner * quarter - distance) % track} into goal"
            yield actions.INTO_GOAL, n, actions.decode_into_goal(n), (partner, distance), text
    for space in range(track):
        n = actions.encode_from_track(space)
        yield actions.FROM_TRACK, n, actions.decode_from_track(n), space, f"from track {space}"
        n = actions.encode_step_track(space, track)
        yield actions.STEP_TRACK, n, actions.decode_step_track(n, track), space, f"step track {space}"
    for quadrant in range(4):
        for i in range(3):
            n = actions.encode_step_goal(quadrant, i)
            yield actions.STEP_GOAL, n, actions.decode_step_goal(n), (quadrant, i), f"step {goals[quadrant]} {i}"
        n = actions.encode_step_into(quadrant)
        text = f"step track {quadrant * quarter} into goal"
        yield actions.STEP_INTO, n, actions.decode_step_into(n), quadrant, text
        n = actions.encode_meet(quadrant)
        yield actions.MEET, n, actions.decode_meet(n), quadrant, f"meet {quadrant * quarter + meeting}"
        for hole, offset in enumerate(holes):
            n = actions.encode_swap(quadrant, hole, track, len(holes))
            text = f"swap track {quadrant * quarter + offset}"
            yield actions.SWAP_TRACK, n, actions.decode_swap(n, track, len(holes)), (quadrant, hole), text


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_encoding_decoding_and_texts_agree(board: dict[str, Any]) -> None:
    game = make_game(board=board)
    s = as_record(game.start(1))
    numbers = []
    for kind, n, decoded, stands_for, text in encoded(**board):
        numbers.append(n)
        assert (actions.kind_of(n, board["track"]), decoded) == (kind, stands_for)
        assert game.action_to_string(s, n, 0) == text
    assert sorted(numbers) == list(range(game.num_actions))
