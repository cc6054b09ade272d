"""Mappings, pictures and action texts for a seat contain all that it may know and nothing else."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.games.heimlich.conftest import Position, game_of
from tests.support.changed import changed
from tests.support.leaks import LONG_PAIRS, PAIRS, leaks
from tests.support.suites import slow_but

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.heimlich.cards import CARDS as CARD_NAMES
from spygames.heimlich.texts.seen import seen_to_dict
from spygames.testing.trial import determinized, mask_of

VARIANTS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 4},
    {"players": 7},
    {"players": 3, "edition": "ravensburger", "secret_identities": True},
    {"players": 2, "top_secret": True},
    {"players": 6, "top_secret": True, "card_round_opens": "active"},
    {"players": 5, "secret_identities": True, "first_player": "random"},
    {"players": 4, "top_secret": True, "secret_identities": True},
    {"players": 7, "top_secret": True, "secret_identities": True, "new_identity": "none"},
]
FULL = {"players": 4, "top_secret": True, "secret_identities": True}


def positions(game: Game, number: int, seed: int = 0) -> Iterator[np.ndarray]:
    """`number` positions of random games, STATE [1]: about one decision in nine, and every final position."""
    rng = np.random.default_rng(seed)
    while True:
        states = game.start(int(rng.integers(2**63)))
        s = as_record(states)
        while True:
            over = s.to_move == NOBODY
            if over or rng.integers(9) == 0:
                yield states.copy()
                number -= 1
                if number == 0:
                    return
            if over:
                break
            game.apply(s, int(rng.choice(np.flatnonzero(mask_of(game, s)))))


def sentences(game: Game, states: np.ndarray, viewer: int) -> dict[str, str]:
    """The viewer's text of each legal action, by the mover's text of it."""
    s = as_record(states)
    mover, legal = int(s.to_move), np.flatnonzero(mask_of(game, s))
    return {game.action_to_string(s, int(a), mover): game.seen_action(s, int(a), mover, viewer) for a in legal}


@pytest.mark.parametrize("options", slow_but(VARIANTS, 0, 6, -1), ids=str)
def test_nothing_leaks(options: dict[str, Any]) -> None:
    game = game_of(**options)
    assert leaks(game, positions(game, PAIRS)) == (PAIRS, set())


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_no_picture_leaks(options: dict[str, Any]) -> None:
    game = game_of(**options)
    assert leaks(game, positions(game, LONG_PAIRS, seed=1), LONG_PAIRS, pictures=1) == (LONG_PAIRS, set())


def with_more(key: str, value: Callable[[Any, int], Any]) -> Callable[[Game, Any, int], dict[str, Any]]:
    """A `seen_to_dict` with more than a seat may know."""
    return lambda game, s, viewer: seen_to_dict(game, s, viewer) | {key: value(s, viewer)}


def relative_scores(s: Any, _: int) -> dict[str, int]:
    """The scores in an order that begins with the mover's agent."""
    names = ["red", "yellow", "green", "blue", "purple", "orange", "grey"]
    own = int(s.passports[s.to_move])
    return {names[a]: int(s.scores[a]) for a in sorted(range(7), key=lambda a: a != own)}


PLANTED = {
    "luck": with_more("rng", lambda s, _: int(s.rng)),
    "order of the deck": with_more("deck", lambda s, _: [int(kind) for kind in s.deck[: s.deck_size]]),
    "whole of the deck": with_more("deck", lambda s, _: sorted(int(kind) for kind in s.deck[: s.deck_size])),
    "cards of the left": with_more("left", lambda s, viewer: s.hands[(viewer + 1) % 4].tolist()),
    "an order that marks the mover": with_more("scores", relative_scores),
    "former agent of another": with_more("former", lambda s, _: int(s.former)),
    "first prediction of all": with_more("guesses", lambda s, _: s.guesses[:4, :1].tolist()),
    "turn that betrays an owner": with_more("turn", lambda s, _: int(s.turn) + 100 * int(s.owner[0])),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_leaks_are_found(name: str) -> None:
    game = game_of(**FULL)
    leaky = changed(
        game,
        seen_to_dict=PLANTED[name],
        draw=None,
        draw_portrait=None,
        draw_compact=None,
        describe=None,
        effects=None,
        to_text=lambda *_: "",
    )
    assert "mapping" in leaks(leaky, positions(game, 60))[1]


def test_a_planted_leak_of_the_picture_is_found() -> None:
    """The picture is drawn from more than the mapping."""
    game = game_of(**FULL)
    draw = game.texts.draw
    assert draw is not None
    told = changed(
        game,
        seen_to_dict=PLANTED["luck"],
        draw=lambda pen, seen, look: (draw(pen, seen, look), pen.words(9, 9, str(seen["rng"]), 9))[0],
    )
    assert {"mapping", "picture"} <= leaks(told, positions(game, 5))[1]


def test_a_planted_leak_of_a_sentence_is_found() -> None:
    game = game_of(**FULL)
    told = changed(game, seen_action=lambda g, s, a, seat, _: f"player_{seat} {s.owner[0]}")
    assert "moves" in leaks(told, positions(game, 20))[1]


# ---------------------------------------------------------------- views


def view_of_mapping(game: Game, m: dict[str, Any], seat: int) -> dict[str, Any]:
    """The view of a seat, computed from the mapping of everything."""
    n, own, record = game.num_players, m["passports"][str(seat)], m["record"]
    agents = [own, *(agent for agent in m["agents"] if agent != own)]
    seats = [(seat + places) % n for places in range(n)]
    over, mine = m["phase"] == "over", m["guesses"].get(str(seat), {})
    pending = m["pending_card"] or {"card": None, "agents": []}
    asked = next((agent for agent in m["agents"] if agent != own and agent not in mine), None)

    def mover(*phases: str) -> list[bool]:
        return [m["phase"] in phases and m["to_move"] == each for each in seats]

    def guess(each: int, agent: str) -> float:
        owner = m["guesses"][str(each)].get(agent) if over or each == seat else None
        return 0 if owner is None else -1 if owner == "free" else (1 + (int(owner[7:]) - seat) % n) / 7

    def noted(key: str, unit: int) -> list[list[float]]:
        return [[record[key][str(each)].get(agent, 0) / unit for each in seats] for agent in agents]

    found: dict[str, Any] = {
        "own": [agent == own for agent in m["agents"]],
        "position": [[m["positions"][agent] == building for building in range(12)] for agent in agents],
        "to_safe": [[(m["safe"] - m["positions"][agent]) % 12 == k for k in range(1, 7)] for agent in agents],
        "score": [m["scores"][agent] / 42 for agent in agents],
        "moved": [m["moved"].get(agent, 0) / 6 for agent in agents],
        "safe": [m["safe"] == building for building in range(12)],
        "points_left": [m["points_left"] == k for k in range(1, 7)],
        "one_to_three": m["die"] == "1-3",
        "phase": [m["phase"] == phase for phase in ("move", "safe")],
        "decides": m["to_move"] == seat,
        "active": [not over and m["active"] == each for each in seats],
        "record": np.stack([noted("points", 20), noted("times", 10), noted("gains", 20)], axis=-1),
        "scorings": [record["scorings"][each] / 10 for each in seats],
        "revealed": [agents.index(m["passports"][str(each)]) / 7 if over else 0 for each in seats],
    }
    if game.options["top_secret"]:
        found |= {
            "card_phase": [m["phase"] == phase for phase in ("cards", "card_choice")],
            "hand": [m["hands"][str(seat)].count(card) / 2 for card in CARD_NAMES],
            "hand_sizes": [len(m["hands"][str(each)]) / 4 for each in seats],
            "deck_size": len(m["deck"]) / 26,
            "used": [m["used"].count(card) / 2 for card in CARD_NAMES],
            "cards_played": [record["cards_played"][each] / 4 for each in seats],
            "card_mover": mover("cards", "card_choice"),
            "passes": m["passes"] / n,
            "pending": [pending["card"] == card for card in CARD_NAMES],
            "named": [agent in pending["agents"] for agent in agents],
            "arrived": [agent in m["arrived"] for agent in agents],
            "swapped": [record["swapped"] == each for each in seats],
            "former": [record["swapped"] == seat and record["former"] == agent for agent in agents],
        }
    if game.options["secret_identities"]:
        found |= {
            "guess_phase": m["phase"] == "guess",
            "guess_mover": mover("guess"),
            "guessed": m["guessed"],
            "card_turn": [m["card_turn"] == each for each in seats],
            "swapped_late": record["swapped_late"],
            "guesses_made": [len(m["guesses"][str(each)]) / (len(agents) - 1) for each in seats],
            "asked": [mover("guess")[0] and agent == asked for agent in agents],
            "guesses": [[guess(each, agent) for agent in agents] for each in seats],
        }
    return found


@pytest.mark.parametrize("options", slow_but(VARIANTS, 3, 7), ids=str)
def test_views_hold_what_a_seat_may_know(options: dict[str, Any]) -> None:
    game = game_of(**options)
    for states in positions(game, 25, seed=3):
        position = Position(game, states)
        mapping = position.mapping
        for seat in range(game.num_players):
            view, expected = position.view(seat)[0], view_of_mapping(game, mapping, seat)
            assert set(view.dtype.names) == set(expected)
            for name, value in expected.items():
                assert np.abs(np.subtract(view[name], value)).max() < 1e-6, (name, seat)


# ---------------------------------------------------------------- mappings


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_nobody_sees_everything(options: dict[str, Any]) -> None:
    game = game_of(**options)
    for states in positions(game, 30):
        mapping = game.state_to_dict(as_record(states))
        del mapping["rng"]
        record = mapping.pop("record")
        public = ("points", "times", "gains", "scorings", "cards_played")
        mapping["notebook"] = {key: record[key] for key in public}
        mapping |= {key: record[key] for key in ("swapped", "swapped_late", "former")}
        assert game.seen_to_dict(as_record(states), NOBODY) == mapping


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_seat_sees_its_own_cards_and_counts_of_others(options: dict[str, Any]) -> None:
    game = game_of(**options)
    hidden = {"passports", "hands", "deck", "guesses", "former"}
    for states in positions(game, 40):
        full = game.seen_to_dict(as_record(states), NOBODY)
        for viewer in range(game.num_players):
            seen = game.seen_to_dict(as_record(states), viewer)
            assert {key: seen[key] for key in full if key not in hidden} == {
                key: value for key, value in full.items() if key not in hidden
            }
            assert seen.keys() == full.keys()
            assert seen["deck"] == len(full["deck"])
            over = full["phase"] == "over"
            for seat, agent in full["passports"].items():
                mine = int(seat) == viewer
                assert seen["passports"][seat] == (agent if mine or over else "?")
                if full["hands"]:
                    cards = full["hands"][seat]
                    assert seen["hands"][seat] == (cards if mine else len(cards))
                if full["guesses"]:
                    guesses = full["guesses"][seat]
                    assert seen["guesses"][seat] == (guesses if mine or over else len(guesses))


@pytest.mark.rule("HC-31")
def test_only_its_seat_knows_the_former_agent(at: Callable[..., Position]) -> None:
    table = at(FULL, phase="cards", hands={"0": ["new_identity"], "1": ["join"]}).act("card new_identity")
    former = [table.game.seen_to_dict(table.s, viewer)["former"] for viewer in (NOBODY, 0, 1, 2, 3)]
    assert former == ["red", "red", "?", "?", "?"]
    assert [table.game.seen_to_dict(table.s, viewer)["swapped"] for viewer in (NOBODY, 0, 1)] == [0, 0, 0]
    assert at(FULL).game.seen_to_dict(at(FULL).s, 1)["former"] is None


def test_mappings_are_json(at: Callable[..., Position]) -> None:
    for states in positions(game_of(**FULL), 30):
        for viewer in (NOBODY, 0):
            seen = game_of(**FULL).seen_to_dict(as_record(states), viewer)
            assert json.loads(json.dumps(seen)) == seen


# ---------------------------------------------------------------- action texts

CARDS = {"players": 4, "top_secret": True}
GUESS = ({"players": 3, "secret_identities": True}, {"phase": "guess", "guessing": [0, 1, 2], "scores": {"red": 30}})
SENTENCES: list[tuple[dict[str, Any], dict[str, Any], list[str], str, str, str]] = [
    # options, parts of a position, earlier actions, the action, text for its seat, text for another seat
    ({"players": 3}, {"die": 4}, [], "move red 3", "player_0 moves red by 3", ""),
    ({"players": 3}, {"die": "1-3"}, ["move red 1"], "done", "player_0 leaves 2 steps unused", ""),
    ({"players": 3}, {"die": 2, "positions": {"red": 8}}, ["move red 2"], "safe 9",
     "player_0 moves the safe to building 9", ""),
    ({"players": 3}, {"die": 2, "positions": {"red": 8}}, ["move red 2"], "safe church",
     "player_0 moves the safe to the Church", ""),
    (CARDS, {"die": "1-3"}, [], "draw", "player_0 takes a card instead of moving", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["swap"]}}, [], "pass", "player_0 passes", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["swap"]}}, [], "card swap", "player_0 plays Swap", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["swap"]}}, ["card swap"], "agent green",
     "player_0 names green for Swap", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["join"]}, "positions": {"red": 3, "blue": 4, "purple": 5, "grey": 5}},
     ["card join", "agent red"], "agent purple", "player_0 names purple for Join",
     "player_0 names an agent in building 5 for Join"),
    (CARDS, {"phase": "cards", "hands": {"0": ["join"]}, "positions": {"red": 3, "blue": 4, "purple": 5, "grey": 5}},
     ["card join", "agent red"], "agent blue", "player_0 names blue for Join", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["back_1_2"]}}, ["card back_1_2", "agent blue"], "step -2",
     "player_0 moves blue back by 2", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["forward_1_3"]}}, ["card forward_1_3", "agent blue"], "step 3",
     "player_0 moves blue on by 3", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["move_safe"]}}, ["card move_safe"], "building ruins",
     "player_0 moves the safe to the Ruins", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["ruins_to_church"]}, "positions": {"red": 11, "grey": 11}},
     ["card ruins_to_church", "agent red"], "done", "player_0 names no second agent", ""),
    (CARDS, {"phase": "cards", "hands": {"0": ["new_identity"]}}, [], "card new_identity",
     "player_0 plays New identity", ""),
    (*GUESS, [], "guess yellow player_2", "player_0 predicts that yellow belongs to player_2",
     "player_0 makes a prediction"),
    (*GUESS, [], "guess yellow free", "player_0 predicts that yellow belongs to nobody",
     "player_0 makes a prediction"),
]  # fmt: skip


@pytest.mark.parametrize("case", SENTENCES, ids=lambda case: case[4])
def test_sentences(at: Callable[..., Position], case: tuple[Any, ...]) -> None:
    options, parts, before, text, own, other = case
    table = at(options, **parts).act(*before)
    action = table.game.string_to_action(table.s, text, 0)
    assert text in table.legal
    said = [table.game.seen_action(table.s, action, 0, viewer) for viewer in (0, NOBODY, 1, 2)]
    assert said == [own, own, other or own, other or own]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_actions_that_look_the_same_have_one_text(options: dict[str, Any]) -> None:
    """If another seat sees the same after two actions, it reads the same text, in all states possible for it."""
    game = game_of(**options)
    rng = np.random.default_rng(2)
    alike = 0
    for states in positions(game, 40, seed=3):
        mover = int(as_record(states).to_move)
        if mover == NOBODY:
            continue
        viewer = (mover + 1 + int(rng.integers(game.num_players - 1))) % game.num_players
        said: dict[str, str] = {}
        for each in (states, determinized(game, states, viewer, int(rng.integers(2**32)))):
            for action in np.flatnonzero(mask_of(game, as_record(each))).tolist():
                after = each.copy()
                game.apply(as_record(after), action)
                known = json.dumps(game.seen_to_dict(as_record(after), viewer))
                text = game.seen_action(as_record(each), action, mover, viewer)
                assert text.startswith(f"player_{mover} ")
                alike += known in said
                assert said.setdefault(known, text) == text
    assert alike > 0


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_texts_for_the_own_seat_identify_the_action(options: dict[str, Any]) -> None:
    game = game_of(**options)
    for states in positions(game, 40, seed=4):
        mover = int(as_record(states).to_move)
        said = sentences(game, states, mover)
        assert len(set(said.values())) == len(said)
        assert said == sentences(game, states, NOBODY)
