"""The kernels of each kind of action make and read the same numbers, and the text of an action says what it names."""

from spygames.agent_avenue import actions, make_game
from spygames.agent_avenue.cards import AGENTS, MARKET_CARDS
from spygames.core.game import as_record

GAME = make_game("advanced", 4)
KINDS = (
    ("discard", AGENTS, actions.discard_action, actions.discard_card),
    ("market", MARKET_CARDS, actions.market_action, actions.market_card),
    ("take", AGENTS, actions.take_action, actions.take_card),
    ("recruit", AGENTS, actions.recruit_action, actions.recruit_card),
    ("up", AGENTS, actions.up_action, actions.up_card),
    ("down", AGENTS, actions.down_action, actions.down_card),
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
            numbers.append(int(actions.pair_action(up, down)))
            assert actions.pair_cards(numbers[-1]) == (up, down)
            assert text_of(numbers[-1]) == f"play {one} {two}"
    for kind, own, partner in (
        ("lead", actions.LEAD_OWN, actions.LEAD_PARTNER),
        ("resolver", actions.RESOLVE_OWN, actions.RESOLVE_PARTNER),
    ):
        for mover in range(4):
            for action, seat in ((own, mover), (partner, mover ^ 1)):
                assert actions.named_seat(mover, action) == seat
                assert text_of(action, mover) == f"{kind} player_{seat}"
        numbers += [own, partner]
    assert sorted(numbers) == list(range(GAME.num_actions))
