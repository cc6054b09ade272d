"""Action encoders and decoders agree for each kind of action, and action texts name what the numbers encode."""

from typing import Any

import pytest
from tests.games.agent_avenue.conftest import VARIANTS

from spygames.agent_avenue import actions, make_game
from spygames.agent_avenue.cards import AGENTS, MARKET_CARDS
from spygames.core.game.game import as_record

GAME = make_game("advanced", 4)
KINDS = (
    ("discard", AGENTS, actions.encode_discard, actions.decode_discard),
    ("market", MARKET_CARDS, actions.encode_market, actions.decode_market),
    ("take", AGENTS, actions.encode_take, actions.decode_take),
    ("recruit", AGENTS, actions.encode_recruit, actions.decode_recruit),
    ("up", AGENTS, actions.encode_up, actions.decode_up),
    ("down", AGENTS, actions.encode_down, actions.decode_down),
)


def text_of(action: int, seat: int = 0) -> str:
    return actions.action_to_string(GAME, as_record(GAME.start(1)), action, seat)


def test_cards_and_texts_of_every_action() -> None:
    numbers = [actions.RECRUIT_UP, actions.RECRUIT_DOWN, actions.DECLINE]
    assert [text_of(action) for action in numbers] == ["recruit up", "recruit down", "decline"]
    for kind, cards, encode, decode in KINDS:
        for card, name in enumerate(cards):
            numbers.append(int(encode(card)))
            assert decode(numbers[-1]) == card
            assert text_of(numbers[-1]) == f"{kind} {name}"
    for up, one in enumerate(AGENTS):
        for down, two in enumerate(AGENTS):
            numbers.append(int(actions.encode_pair(up, down)))
            assert actions.decode_pair(numbers[-1]) == (up, down)
            assert text_of(numbers[-1]) == f"play {one} {two}"
    for kind, own, partner in (
        ("lead", actions.LEAD_OWN, actions.LEAD_PARTNER),
        ("resolver", actions.RESOLVE_OWN, actions.RESOLVE_PARTNER),
    ):
        for mover in range(4):
            for action, seat in ((own, mover), (partner, mover ^ 1)):
                assert actions.decode_seat(mover, action) == seat
                assert text_of(action, mover) == f"{kind} player_{seat}"
        numbers += [own, partner]
    assert sorted(numbers) == list(range(GAME.num_actions))


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_action_has_one_text_for_its_seat(options: dict[str, Any]) -> None:
    game = make_game(**options)
    s = as_record(game.start(0))
    for seat in range(2):
        texts = [game.action_to_string(s, action, seat) for action in range(game.num_actions)]
        assert len(set(texts)) == game.num_actions
        assert [game.string_to_action(s, text, seat) for text in texts] == list(range(game.num_actions))
    if game.num_players > 2:
        assert game.action_to_string(s, 107, 0) == game.action_to_string(s, 106, 1) == "lead player_1"
    for text in ("lead player_9", "lead own", "up spy", "market mole", "take", "resolver"):
        with pytest.raises(ValueError, match="not an action of Agent Avenue"):
            game.string_to_action(s, text, 0)
