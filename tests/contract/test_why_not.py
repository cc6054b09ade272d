"""Why an action is not legal: each reason is true, names a rule that is about it, and reveals nothing."""

import importlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rulebook import Reason
from spygames.text import correction, parse, turn_of
from spygames_app.rules import rules_of
from tests.poker import kuhn

ABOUT: Mapping[str, Mapping[str, str]] = {
    "agent_avenue": {
        "over": "wins",
        "waiting": "other side has its turn",
        "discard_now": "before playing",
        "discard_held": "hand card",
        "discard_deck": "deck is empty, nobody discards",
        "discard_left": "only four times",
        "discard_left_team": "member of a team has two discards",
        "play_now": "active player offers two cards",
        "play_held": "its hand",
        "play_names": "different names",
        "play_team": "One member plays a card face up",
        "recruit_now": "other side takes either card",
        "single_now": "then the other member plays a card",
        "single_solo": "solo player plays both cards",
        "single_held": "plays a card",
        "single_names": "another name",
        "market_off": "In advanced mode",
        "market_now": "ends exactly on a market space",
        "market_supply": "of the supply",
        "take_now": "goes back to a hand (Mind Control, Spycation)",
        "recruit_hand_now": "market card recruits an agent",
        "decline_now": "second half of Spycation",
        "ability": "effects in the table",
        "lead_now": "who plays face up",
        "resolver_now": "names the member that resolves",
    },
    "heimlich": {
        "over": "game ends",
        "waiting": "goes to the left",
        "choices": "choices of a card",
        "agent": "Agents in play",
        "agent_1984": "agents in play",
        "move_now": "rolls, then moves",
        "move_points": "points of the roll",
        "move_order": "at most once in a turn, in increasing order",
        "move_rest": "leaves points that no agent can take",
        "done_now": "All points of the roll must be spent",
        "done_first": "1, 2 or 3 points",
        "done_card": "table below",
        "safe_now": "whose turn it is moves the safe",
        "safe_same": "any other building",
        "safe_free": "unoccupied building",
        "draw_now": "take one card instead of moving",
        "draw_full": "full hand",
        "draw_deck": "empty deck",
        "round_now": "before the scoring",
        "card_held": "with an empty hand is skipped",
        "card_idle": "table below",
        "choice_now": "choices of a card are asked",
        "choice": "table below",
        "guess_now": "predicts once",
        "guess_order": "order of their ids",
        "guess_named": "every other player one agent",
        "guess_free": "the rest free",
    },
    "agent_dog": {
        "over": "wins",
        "waiting": "play goes clockwise, one card in a turn",
        "pass_now": "start of a round",
        "pass_first": "each player passes one card",
        "pass_held": "passes one card",
        "discard_now": "without a playable card",
        "discard_team": "whole hand",
        "discard_first": "discards one card",
        "discard_held": "discards one card",
        "finish": "carried out completely",
        "card_held": "holds a playable card",
        "card_copy": "last card played",
        "card_swap": "fewer than two",
        "card_start": "from the start area",
        "card_start_taken": "while a pawn of that color",
        "card_companion": "All points must be spent",
        "card_number": "carried out completely",
        "area_now": "A start card",
        "move_now": "A number moves",
        "move_pawn": "never a visible pawn of another player",
        "move_hidden": "may not move hidden pawns",
        "move_blocked": "neither jumped nor captured",
        "move_goal": "exact count",
        "step_now": "companion",
        "step_pawn": "over the player's own, its partner's and hidden pawns",
        "step_blocked": "neither jumped nor captured",
        "step_goal": "never captured, and they block",
        "step_enter": "first of them",
        "step_rest": "remaining points can be spent",
        "swap_now": "exchange two hidden pawns",
        "swap_hidden": "two hidden pawns",
        "swap_first": "two hidden pawns",
        "meet_now": "two or more are left",
        "meet_due": "several meetings are due",
    },
}
"""Words of the rule that each reason names."""
SPOTS: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    ("agent_avenue_v0", {}, {"hands": {"0": ["mole"]}}, "discard enforcer", "discard_held"),
    ("agent_avenue_v0", {}, {"hands": {"0": ["mole"]}, "deck": 0}, "discard mole", "discard_deck"),
    ("agent_avenue_v0", {}, {"hands": {"0": ["mole"]}}, "discard mole", "discard_left"),
    ("agent_avenue_v0", {"players": 3}, {"hands": {"0": ["mole"]}, "phase": "up"}, "discard mole", "discard_left_team"),
    ("agent_avenue_v0", {}, {"hands": {"0": ["mole", "enforcer"]}}, "play mole mole", "play_held"),
    ("agent_avenue_v0", {}, {"hands": {"0": ["enforcer"] * 2}}, "play enforcer enforcer", "play_names"),
    ("agent_avenue_v0", {}, {"phase": "recruit"}, "play mole enforcer", "play_now"),
    ("agent_avenue_v0", {}, {"to_move": 1}, "recruit up", "waiting"),
    ("agent_avenue_v0", {}, {"phase": "over", "to_move": None}, "recruit up", "over"),
    ("agent_avenue_v0", {"players": 4}, {"hands": {"0": ["mole"]}, "phase": "down"}, "down mole", "single_names"),
    ("agent_avenue_v0", {"players": 4}, {}, "market outpost", "market_off"),
    ("agent_avenue_v0", {"mode": "advanced"}, {"phase": "market"}, "market outpost", "market_supply"),
    ("heimlich_v0", {}, {"moved": {"green": 2}}, "move red 1", "move_order"),
    ("heimlich_v0", {}, {"points_left": 2}, "move grey 1", "move_rest"),
    ("heimlich_v0", {}, {"points_left": 2}, "move red 3", "move_points"),
    ("heimlich_v0", {"players": 2}, {}, "move grey 1", "agent"),
    ("heimlich_v0", {"players": 2, "edition": "ravensburger"}, {}, "move grey 1", "agent_1984"),
    ("heimlich_v0", {}, {"die": 4}, "done", "done_now"),
    ("heimlich_v0", {}, {"die": "1-3"}, "done", "done_first"),
    ("heimlich_v0", {}, {"phase": "safe", "safe": 0}, "safe church", "safe_same"),
    ("heimlich_v0", {"edition": "ravensburger"}, {"phase": "safe"}, "safe church", "safe_free"),
    ("heimlich_v0", {"top_secret": True}, {"die": "1-3", "moved": {"red": 1}}, "draw", "draw_now"),
    ("heimlich_v0", {"top_secret": True}, {"die": "1-3", "hands": {"0": ["swap"] * 4}}, "draw", "draw_full"),
    ("heimlich_v0", {"top_secret": True}, {"die": "1-3", "hands": {"0": []}}, "draw", "draw_deck"),
    ("heimlich_v0", {"top_secret": True}, {"phase": "cards", "hands": {"0": []}}, "card swap", "card_held"),
    ("heimlich_v0", {"top_secret": True}, {"phase": "cards", "hands": {"0": ["swap"]}}, "card swap", "card_idle"),
    ("agent_dog_v0", {}, {"phase": "card", "hands": {"0": []}}, "card 9", "card_held"),
    ("agent_dog_v0", {}, {"phase": "card", "hands": {"0": ["copy"]}}, "card copy as 9", "card_copy"),
    ("agent_dog_v0", {}, {"phase": "card", "hands": {"0": ["swap"]}}, "card swap", "card_swap"),
    ("agent_dog_v0", {}, {"phase": "card", "hands": {"0": ["companion"]}}, "card companion", "card_companion"),
    ("agent_dog_v0", {}, {"phase": "card", "hands": {"0": ["13"]}}, "card 13 as start", "card_start_taken"),
    ("agent_dog_v0", {}, {"phase": "step", "pending": {"moved": [], "card": "companion"}}, "step track 0", "step_rest"),
    ("agent_dog_v0", {}, {"phase": "meeting"}, "meet 8", "meet_due"),
    ("agent_dog_v0", {"players": 2}, {}, "discard 9", "discard_now"),
    ("agent_dog_v0", {}, {}, "discard 9", "discard_team"),
]  # fmt: skip
"""Game, options, what differs from what the first seat sees at the start of game 1, an action, and the reason."""


def reasons(game: str) -> Mapping[str, Reason]:
    return importlib.import_module(f"spygames.{game}.texts.why_not").REASONS


def names(game: Game, reason: Reason) -> list[str]:
    """The names of the reasons with this text and rule."""
    return [
        name
        for name, each in reasons(game.name).items()
        if each.rule == reason.rule and re.fullmatch(re.sub(r"\\\{\w+\\\}", ".*", re.escape(each.text)), reason.text)
    ]


@pytest.mark.parametrize("name", ABOUT)
def test_each_reason_names_a_rule_that_is_about_it(name: str) -> None:
    rules = rules_of(make_game(f"{name}_v0"))
    assert ABOUT[name].keys() == reasons(name).keys()
    for reason, words in ABOUT[name].items():
        rule = rules[reasons(name)[reason].rule]
        assert words.casefold() in rule.text.casefold(), f"{reason}: {rule.id} does not say {words!r}"


@pytest.mark.parametrize(("game_id", "options", "changes", "action", "reason"), SPOTS)
def test_a_position_gives_its_reason(
    game_id: str, options: dict[str, Any], changes: dict[str, Any], action: str, reason: str
) -> None:
    game = make_game(game_id, **options)
    seen = game.seen_to_dict(as_record(game.start(1)), 0) | changes
    assert game.texts.why_not is not None
    assert reason in names(game, game.texts.why_not(game, seen, action, 0))


TRUE: Mapping[str, Callable[[Mapping[str, Any], list[str], int], bool]] = {
    "discard_held": lambda seen, words, seat: words[1] not in seen["hands"][str(seat)],
    "discard_deck": lambda seen, words, seat: seen["deck"] == 0,
    "discard_left": lambda seen, words, seat: seen["discards_left"][str(seat)] == 0,
    "discard_left_team": lambda seen, words, seat: seen["discards_left"][str(seat)] == 0,
    "play_held": lambda seen, words, seat: bool(Counter(words[1:]) - Counter(seen["hands"][str(seat)])),
    "play_names": lambda seen, words, seat: words[1] == words[2] and len({*seen["hands"][str(seat)]}) > 1,
    "single_names": lambda seen, words, seat: words[1] == seen["face_up"] and len({*seen["hands"][str(seat)]}) > 1,
    "market_supply": lambda seen, words, seat: words[1] not in seen["market_supply"],
    "move_points": lambda seen, words, seat: int(words[2]) > seen["points_left"],
    "move_rest": lambda seen, words, seat: int(words[2]) < seen["points_left"] and words[1] == seen["agents"][-1],
    "done_first": lambda seen, words, seat: not seen["moved"],
    "safe_free": lambda seen, words, seat: words[1] in ("church", "ruins", *(map(str, seen["positions"].values()))),
    "guess_named": lambda seen, words, seat: words[2] in seen["guesses"][str(seat)].values(),
    "pass_held": lambda seen, words, seat: words[1] not in seen["hands"][str(seat)],
    "card_held": lambda seen, words, seat: words[1] not in seen["hands"][str(seat)],
    "card_swap": lambda seen, words, seat: len(seen["hidden"]) < 2,
    "swap_hidden": lambda seen, words, seat: int(words[2]) not in seen["hidden"],
    "meet_due": lambda seen, words, seat: int(words[1]) not in seen["pending"]["meetings"],
}
"""What must be so where a reason is given: (what the seat sees, words of the action, seat) -> bool."""
PLAYED = [
    ("agent_avenue_v0", {}, 12, 2),
    ("heimlich_v0", {"players": 4, "top_secret": True, "secret_identities": True}, 3, 6),
    ("agent_dog_v0", {"players": 2}, 1, 30),
    pytest.param("agent_avenue_v0", {"mode": "advanced", "players": 3}, 20, 2, marks=pytest.mark.slow),
    pytest.param("heimlich_v0", {"players": 2, "edition": "ravensburger"}, 10, 2, marks=pytest.mark.slow),
    pytest.param("agent_dog_v0", {"players": 4}, 2, 50, marks=pytest.mark.slow),
    pytest.param("agent_dog_v0", {"players": 3, "hidden_colours": "tracked"}, 2, 50, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("game_id", "options", "games", "every"), PLAYED)
def test_reasons_are_true_and_reveal_nothing(game_id: str, options: dict[str, Any], games: int, every: int) -> None:
    game, rng = make_game(game_id, **options), np.random.default_rng(1)
    mask, checked = np.zeros(game.num_actions, np.int8), 0
    for seed in range(games):
        states, number = game.start(seed), 0
        s = as_record(states)
        while s.to_move != NOBODY:
            game.legal(s, mask)
            legal, number = np.flatnonzero(mask), number + 1
            if number % every == 0:
                seat = int(s.to_move)
                world = states.copy()
                game.determinize(as_record(world), seat, np.uint64(number))
                checked += check_reasons(game, s, as_record(world), seat, mask)
            game.apply(s, int(rng.choice(legal)))
    assert checked > 1000


def check_reasons(game: Game, s: Any, world: Any, seat: int, mask: np.ndarray) -> int:
    """Check the reasons against all illegal actions in a position; return their number."""
    assert game.texts.why_not is not None
    seen, same = game.seen_to_dict(s, seat), game.seen_to_dict(world, seat)
    texts = [game.action_to_string(s, action, seat) for action in range(game.num_actions)]
    kinds = {_kind(text) for text, legal in zip(texts, mask, strict=True) if legal}
    refused = [text for text, legal in zip(texts, mask, strict=True) if not legal]
    for text in refused:
        reason = game.texts.why_not(game, seen, text, seat)
        assert reason == game.texts.why_not(game, same, text, seat), text
        found = names(game, reason)
        assert found, f"{text}: {reason}"
        for name in found:
            if name.endswith("_now") and name not in ("done_now", "draw_now", "move_now"):
                assert _kind(text) not in kinds, f"{text}: {reason}"
            if len(found) == 1 and name in TRUE:
                assert TRUE[name](seen, text.split(), seat), f"{text}: {reason}"
    return len(refused)


def _kind(text: str) -> str:
    """The kind of an action: its first word, and the second if there is no other."""
    return text if text in ("recruit up", "recruit down", "from area") else text.split()[0]


def test_a_game_and_a_turn_give_the_reason() -> None:
    game = make_game("agent_avenue_v0")
    states = game.start(1)
    turn = turn_of(game, states)
    assert turn.why_not(turn.legal[0]) is None
    assert turn.why_not("fold") is None
    reason = turn.why_not("Recruit_Up")
    assert reason == game.why_not(as_record(states), 72, 0) == reasons("agent_avenue")["recruit_now"]
    assert game.why_not(as_record(states), 8, 1) == reasons("agent_avenue")["waiting"]
    assert game.why_not(as_record(states), 2, 0) is None  # legal
    told = correction(parse("[recruit up]", turn.legal), None, reason)
    assert told.startswith(f'"recruit up" is not one of your legal actions: {reason}.')


def test_a_game_without_reasons_gives_none() -> None:
    game = kuhn.make_game()
    states = game.start(1)
    assert game.why_not(as_record(states), 0, 1) is None
    assert turn_of(game, states).why_not("fold") is None
