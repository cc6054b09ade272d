"""Action encoders and decoders agree for each kind of action, and action texts name what the numbers encode."""

from tests.games.heimlich.conftest import AGENTS, COPIES, game_of

from spygames.core.game.game import as_record
from spygames.heimlich import actions
from spygames.heimlich.actions import BASE_ACTIONS, CARD_ACTIONS

BUILDINGS = ("church", *(str(n) for n in range(1, 11)), "ruins")
KINDS = (
    ("safe", BUILDINGS, actions.encode_safe, actions.decode_safe),
    ("card", tuple(COPIES), actions.encode_card, actions.decode_card),
    ("step", ("-2", "-1", "1", "2", "3"), actions.encode_step, actions.decode_step),
    ("building", BUILDINGS, actions.encode_building, actions.decode_building),
)


def test_numbers_and_texts_of_every_action() -> None:
    game = game_of(players=4, top_secret=True, secret_identities=True)
    s, seat = as_record(game.start(3)), 2
    own = AGENTS[s.passports[seat]]
    agents = [own, *(name for name in AGENTS if name != own)]

    def text_of(action: int) -> str:
        return game.action_to_string(s, action, seat)

    numbers = [actions.ACT_DONE, actions.ACT_DRAW, actions.ACT_PASS]
    assert [text_of(action) for action in numbers] == ["done", "draw", "pass"]
    for agent, name in enumerate(agents):
        for points in range(1, 7):
            numbers.append(int(actions.encode_move(agent, points)))
            assert actions.decode_move(numbers[-1]) == (agent, points)
            assert text_of(numbers[-1]) == f"move {name} {points}"
        numbers.append(int(actions.encode_agent(agent)))
        assert actions.decode_agent(numbers[-1]) == agent
        assert text_of(numbers[-1]) == f"agent {name}"
    for kind, names, encode, decode in KINDS:
        for i, name in enumerate(names):
            numbers.append(int(encode(i)))
            assert decode(numbers[-1]) == i
            assert text_of(numbers[-1]) == f"{kind} {name}"
    assert sorted(numbers) == list(range(CARD_ACTIONS))
    for first_guess in (BASE_ACTIONS, CARD_ACTIONS):
        guesses = []
        for agent in range(1, 7):
            for places, owner in enumerate(("free", "player_3", "player_0", "player_1")):
                guesses.append(int(actions.encode_guess(first_guess, 4, agent, places)))
                assert actions.decode_guess(first_guess, 4, guesses[-1]) == (agent, places)
                if first_guess == CARD_ACTIONS:
                    assert text_of(guesses[-1]) == f"guess {agents[agent]} {owner}"
        assert guesses == list(range(first_guess, first_guess + 24))
