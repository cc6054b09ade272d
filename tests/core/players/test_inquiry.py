"""Questions about what is hidden, as texts, and the reader of answers to them."""

import json
import random
from typing import Any

import numpy as np
import pytest

from spygames import Game, make_game
from spygames.core.game.belief_targets import UNASKED
from spygames.core.game.game import as_record
from spygames.core.players.player import PlayerFailed
from spygames.core.players.python_function import PythonPlayer
from spygames.testing.trial import determinized, play, uniform_choice
from spygames.text import (
    BELIEF_GRAMMAR,
    BeliefVerdict,
    Turn,
    Unknown,
    belief_briefing,
    belief_correction,
    belief_question,
    belief_turn_of,
    parse_beliefs,
    read_beliefs,
    unknowns,
)
from tests.poker import kuhn

COIN, DIE = Unknown("the coin", ("heads", "tails")), Unknown("player_1's die", ("1", "2", "3"))
ASKED = [COIN, DIE]
GOOD = {"the coin": {"heads": 0.25, "tails": 0.75}, "player_1's die": {"2": 1}}
OK, INVALID, UNPARSEABLE = BeliefVerdict.OK, BeliefVerdict.INVALID, BeliefVerdict.UNPARSEABLE
GAMES = [("agent_avenue_v0", {}), ("heimlich_v0", {"players": 3}), ("agent_dog_v0", {"players": 2})]


def told(found: Any, before: str = "I think. ", after: str = "") -> str:
    return f"{before}{json.dumps({'beliefs': found})}{after}"


@pytest.mark.parametrize(
    ("answer", "verdict", "coin"),
    [
        (told(GOOD), OK, (0.25, 0.75)),
        (told(GOOD, after=" That is all."), OK, (0.25, 0.75)),
        (told({"THE_COIN ": {"Heads": 1.0}, "player 1's DIE": {"3": 1}}), OK, (1.0, 0.0)),
        (told(GOOD | {"the weather": {"rain": 3}}), OK, (0.25, 0.75)),
        (told(GOOD | {"the coin": {"heads": 0.5, "tails": 0.49}}), OK, (0.5 / 0.99, 0.49 / 0.99)),
        (told(GOOD, after=told(GOOD | {"the coin": {"heads": 1}})), OK, (1.0, 0.0)),
        (told({"player_1's die": {"1": 1}}), INVALID, None),
        (told(GOOD | {"the coin": {"heads": 0.5, "tails": 0.48}}), OK, (0.5 / 0.98, 0.48 / 0.98)),
        (told(GOOD | {"the coin": {"heads": 0.5, "tails": 0.47}}), INVALID, None),
        (told(GOOD | {"the coin": {"heads": 0.5}}), INVALID, None),
        (told(GOOD | {"the coin": {"heads": 0.5, "tails": 0.6}}), INVALID, None),
        (told(GOOD | {"the coin": {"heads": 1.2, "tails": -0.2}}), INVALID, None),
        (told(GOOD | {"the coin": {"heads": 1, "edge": 0}}), INVALID, None),
        (told(GOOD | {"the coin": {"heads": True}}), INVALID, None),
        (told(GOOD | {"the coin": {"heads": "1"}}), INVALID, None),
        (told(GOOD | {"the coin": [0.5, 0.5]}), INVALID, None),
        ('{"beliefs": {"the coin": {"heads": 0.5, "HEADS": 0.5}, "player_1\'s die": {"1": 1}}}', INVALID, None),
        ('{"beliefs": {"the coin": {"heads": 1e999}}}', INVALID, None),
        ('{"beliefs": {"the coin": {"heads": ' + "9" * 10_000 + "}}}", INVALID, None),
        ("The coin shows heads with 50 %.", UNPARSEABLE, None),
        ("", UNPARSEABLE, None),
        (json.dumps(GOOD), UNPARSEABLE, None),
        (told(GOOD)[:-1], UNPARSEABLE, None),
        (told([1, 2]), UNPARSEABLE, None),
        ('{"beliefs": {"the coin": {"heads": NaN}}}', UNPARSEABLE, None),
        ('{"beliefs": {}, "action": "pass"}', UNPARSEABLE, None),
        ('{"beliefs": {"the coin": {"heads": 1}, "THE COIN": {"tails": 1}}}', UNPARSEABLE, None),
        ('{"beliefs":' + "[" * 100_000, UNPARSEABLE, None),
        ('{"beliefs":' * 6000, UNPARSEABLE, None),
    ],
)
def test_an_answer_is_read_strictly(answer: str, verdict: BeliefVerdict, coin: tuple[float, ...] | None) -> None:
    found = parse_beliefs(answer, ASKED)
    assert found.verdict is verdict
    assert found.probabilities[0] == (None if coin is None else pytest.approx(coin))
    assert bool(found.wrong) is (verdict is not OK)
    assert all(len(line) < 300 and line.isprintable() for line in found.wrong)


def test_each_question_is_valid_by_itself() -> None:
    found = parse_beliefs(told(GOOD | {"the coin": {}}), ASKED)
    assert found.probabilities == (None, (0.0, 1.0, 0.0))
    assert "the coin: its probabilities add up to 0, not to 1" in belief_correction(found)
    assert BELIEF_GRAMMAR in belief_correction(found)


def test_mutated_answers_give_no_traceback_and_no_other_probabilities() -> None:
    rng, good = random.Random(5), told(GOOD)
    valid = 0
    for _ in range(3000):
        text = list(good)
        for _ in range(rng.randrange(1, 6)):
            text[rng.randrange(len(text))] = rng.choice('{}[]":,.0123456789eE+-\\u\n ¤truefalsn')
        found = parse_beliefs("".join(text), ASKED)
        for chances, asked in zip(found.probabilities, ASKED, strict=True):
            if chances is not None:
                valid += 1
                assert len(chances) == len(asked.answers)
                assert min(chances) >= 0
                assert sum(chances) == pytest.approx(1)
    assert valid > 300


@pytest.mark.parametrize(
    ("name", "options"),
    [*GAMES, ("agent_avenue_v0", {"players": 4, "mode": "advanced"}), ("agent_dog_v0", {"players": 4})],
)
def test_questions_have_different_texts_and_are_about_the_targets(name: str, options: dict[str, Any]) -> None:
    """The text of the true answer is what the seat would see if nothing were hidden."""
    game = make_game(name, **options)
    assert game.questions is not None
    for n in range(6):
        states = play(game, n, uniform_choice(n), 6 + 5 * n)
        s = as_record(states)
        seat = int(s.to_move)
        if seat < 0:
            continue
        truth = np.zeros(len(game.questions.sizes), np.int8)
        game.questions.answer(s, np.int64(seat), truth)
        asked, everything = unknowns(game, states), game.seen_to_dict(s, -1)
        assert [each.target for each in asked] == np.flatnonzero(truth != UNASKED).tolist()
        assert len({each.about for each in asked}) == len(asked) > 0
        for each in asked:
            assert len(set(each.answers)) == len(each.answers) == game.questions.sizes[each.target]
            assert each.answers[truth[each.target]] == shown(each, everything)


def test_the_most_copies_in_a_hand_of_agent_avenue() -> None:
    """A hand has four cards, and more of them where abilities bring cards back to it."""
    for mode, most in {"simple": "4", "advanced": "4 or more"}.items():
        game = make_game("agent_avenue_v0", mode=mode)
        held = [each for each in unknowns(game, game.start(1)) if each.group == "hands"]
        assert {each.answers for each in held} == {("0", "1", "2", "3", most)}


def shown(asked: Unknown, seen: Any) -> str:
    """Return the answer to a question from a mapping in which nothing is hidden."""
    if asked.group == "identities":
        return seen["passports"][asked.about.removeprefix("player_").partition("'")[0]]
    if asked.group == "face_down":
        return seen["face_down"].replace("_", " ")
    if asked.group == "hats":
        place = f"track {asked.about.rpartition(' ')[2]}"
        (colour,) = [colour for colour, places in seen["pawns"].items() if place in places]
        return colour
    assert asked.group == "hands"
    card, _, rest = asked.about.removeprefix("copies of ").rpartition(" in player_")
    copies = [name.replace("_", " ") for name in seen["hands"][rest.partition("'")[0]]].count(card)
    text = str(min(copies, len(asked.answers) - 1))
    return next(answer for answer in asked.answers if answer in (text, f"{text} or more"))


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_the_questions_reveal_nothing(name: str, options: dict[str, Any]) -> None:
    game, compared = make_game(name, **options), 0
    for n in range(12):
        states = play(game, n, uniform_choice(n), 3 * n)
        seat = int(states["to_move"][0])
        if seat >= 0:
            world = determinized(game, states, seat, n)
            texts = [belief_question(belief_turn_of(game, each)) for each in (states, world)]
            assert texts[0] == texts[1]
            compared += states.tobytes() != world.tobytes()
    assert compared > 5


def test_a_game_without_words_has_numbers() -> None:
    game = kuhn.make_game()
    turn = belief_turn_of(game, game.start(1))
    assert turn.unknowns == (Unknown("card 1", ("0", "1", "2"), "card", 0),)
    assert "- card 1: 0, 1, 2" in belief_question(turn)
    assert BELIEF_GRAMMAR in belief_briefing(game, 0)
    assert "action" not in belief_briefing(game, 0).partition("How to answer:")[2]


def test_probabilities_may_be_numbers_of_numpy() -> None:
    coin = Unknown("the coin", ("heads", "tails"))
    for one, other in ((np.float32(0.25), np.float32(0.75)), (np.int64(0), np.int64(1))):
        read = read_beliefs({"the coin": {"heads": one, "tails": other}}, [coin])
        assert read.probabilities == ((float(one), float(other)),), read.wrong
    assert read_beliefs({"the coin": {"heads": np.True_}}, [coin]).verdict is BeliefVerdict.INVALID


class Guesses:
    """Believes each answer equally; in the words of a class, which may also fail."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.seed = seed

    def act_text(self, turn: Turn) -> str:
        return turn.legal[0]

    def beliefs(self, turn: Turn) -> Any:
        if self.seed == 13:
            raise KeyError("no idea")
        return {each.about: dict.fromkeys(each.answers, 1 / len(each.answers)) for each in turn.unknowns}


def test_a_python_class_is_asked_for_beliefs() -> None:
    game = make_game("agent_avenue_v0")
    player, turn = PythonPlayer(game, Guesses, "guesses"), belief_turn_of(game, game.start(1))
    assert player.has_beliefs
    assert set(player.believe(turn, 1)) == {each.about for each in turn.unknowns}
    with pytest.raises(PlayerFailed, match="failed in seat 0: KeyError: 'no idea'"):
        player.believe(turn, 13)
    assert not PythonPlayer(game, lambda observation, mask: 0, "first").has_beliefs
    with pytest.raises(TypeError, match=r"beliefs of the class .* must take \(turn\), not \(\)"):
        PythonPlayer(game, type("Wrong", (Guesses,), {"beliefs": lambda self: {}}), "wrong")
