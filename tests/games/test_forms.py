"""The portrait and compact forms of all games: letters, targets, contrasts, and all actions of the full board."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.agent_avenue.cards import AGENTS, MARKET_CARDS
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import Picture, draw_seen
from spygames.core.players.turns import turn_of
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import CANVAS, Size
from spygames.heimlich.cards import CARDS, HAND
from spygames.testing.trial import mask_of
from tests.support import svg

THEMES: tuple[Theme, ...] = ("dark", "light")
FORMS: tuple[Size, ...] = ("portrait", "compact")
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("agent_avenue_v0", {}),
    ("agent_avenue_v0", {"mode": "advanced", "players": 4}),
    ("heimlich_v0", {"players": 3, "edition": "ravensburger"}),
    ("heimlich_v0", {"players": 7, "top_secret": True, "secret_identities": True}),
    ("agent_dog_v0", {}),
    ("agent_dog_v0", {"players": 3, "hidden_colours": "tracked"}),
]
LETTERS, TARGETS, SCREEN = 12.0, 44.0, 320
"""The least size of letters and of targets, and the width of the narrowest screen, in pixels."""
NAMES = ("", "A player with a very long name", "<script>", "Hard", "", "", "")


def positions(game: Game, number: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield positions of random games, each with the one before: about one decision in five, and each final one."""
    rng, found = np.random.default_rng(seed), 0
    while found < number:
        states = game.start(int(rng.integers(2**60)))
        before = states.copy()
        while found < number:
            over = as_record(states).to_move == NOBODY
            if over or rng.integers(5) == 0:
                yield states.copy(), before
                found += 1
            if over:
                break
            before = states.copy()
            game.apply(as_record(states), int(rng.choice(np.flatnonzero(mask_of(game, as_record(states))))))


def drawn(game: Game, number: int, seed: int, theme: Theme = "dark") -> Iterator[tuple[dict[Size, Picture], list[str]]]:
    """Yield the forms of positions, and the legal actions that they show: for the mover, another seat and NOBODY."""
    for i, (states, before) in enumerate(positions(game, number, seed)):
        s = as_record(states)
        mover = int(s.to_move)
        viewer = (mover, mover, NOBODY, (mover + 1) % game.num_players)[i % 4]
        actions = np.flatnonzero(mask_of(game, s)) if viewer == mover != NOBODY else ()
        legal = [game.action_to_string(s, int(action), mover) for action in actions]
        look = Look(viewer, game.seen_to_dict(as_record(before), viewer), legal, names=NAMES, alt="")
        yield {size: draw_seen(game, game.seen_to_dict(s, viewer), look, theme, size) for size in CANVAS}, legal


def cut_words(picture: str) -> list[str]:
    """Return the texts that were cut, except names of players, which may have any length."""
    cut = [each.text for each in svg.texts(picture) if each.text.endswith("…")]
    return [text for text in cut if not any(name.startswith(text[:-1]) for name in NAMES)]


def faults(picture: str) -> list[str]:
    """Return what is wrong with a portrait form on the narrowest screen."""
    scale = CANVAS["portrait"][0] / SCREEN
    small = svg.small_letters(picture, LETTERS * scale) + svg.small_targets(picture, TARGETS * scale)
    return small + cut_words(picture) + svg.overlaps(picture) + svg.outside(picture)


def check(game: Game, number: int, seed: int) -> int:
    """Check the small forms of positions, and return the number of legal actions that were found in them."""
    found = 0
    for forms, legal in drawn(game, number, seed):
        for size in FORMS:
            picture = str(forms[size])
            assert svg.canvas(picture) == CANVAS[size]
            assert svg.outside(picture) == []
            assert svg.overlaps(picture) == []
            assert svg.strange(picture) == []
            assert svg.small_letters(picture, LETTERS) == []
            assert svg.dangling(picture, legal) == []
        assert svg.unreachable(str(forms["portrait"]), legal) == svg.unreachable(str(forms["full"]), legal) == []
        assert faults(str(forms["portrait"])) == []
        found += len(legal)
    return found


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_small_forms_are_well_made(name: str, options: dict[str, Any]) -> None:
    assert check(make_game(name, **options), 16, seed=1) > 16


def phone(game: Game, seen: dict[str, Any], legal: Iterable[str]) -> str:
    """Draw the portrait form of a mapping for the first seat."""
    return str(draw_seen(game, seen, Look(0, legal=tuple(legal), names=NAMES[: game.num_players]), size="portrait"))


def test_all_market_cards_fit_the_portrait_form() -> None:
    game = make_game("agent_avenue_v0", mode="advanced", players=4)
    seen = game.seen_to_dict(as_record(game.start(1)), 0)
    for first in range(0, len(MARKET_CARDS), 3):
        cards = list(MARKET_CARDS[first : first + 3])
        supply = seen | {"market_supply": cards}
        for owned in ([], cards[:1], cards):
            supply["market_in_play"] = {"0": owned, "1": owned[:2]}
            assert faults(phone(game, supply, [f"market {card}" for card in cards])) == []
            for card in cards:
                played = {"phase": "ability", "ability": {"card": card, "taken": None}}
                assert faults(phone(game, supply | played, [f"take {kind}" for kind in AGENTS])) == []


@pytest.mark.parametrize("verb", ["card", "move"])
def test_all_cards_of_heimlich_fit_the_portrait_form(verb: str) -> None:
    """Full hands can be read when the cards can be chosen, and beside the buttons of agents and steps."""
    game = make_game("heimlich_v0", players=7, top_secret=True)
    seen = game.seen_to_dict(as_record(game.start(1)), 0)
    moves = [f"move {agent} {steps}" for agent in seen["agents"] for steps in range(1, 7)]
    for first in range(0, len(CARDS), HAND):
        hand = [*CARDS, *CARDS][first : first + HAND]
        legal = [*moves, "draw"] if verb == "move" else [*(f"card {card}" for card in hand), "pass"]
        picture = phone(game, seen | {"hands": seen["hands"] | {"0": hand}}, legal)
        assert faults(picture) == svg.unreachable(picture, legal) == []


HAND_VERBS = {
    "agent_avenue": ("play", "up", "down", "recruit"),
    "agent_dog": ("card", "pass", "discard"),
    "heimlich": ("card",),
}
"""The verbs of actions that a tap on a card of the own hand means, by game; discarding has a button of its own."""


def check_refused(game: Game, number: int, seed: int) -> int:
    """Check what carries a refused action in positions, and return how many actions were found.

    It is the hand of the seat that decides, without the cards that it can choose. Other viewers find nothing.
    """
    found = 0
    verbs = HAND_VERBS[game.id.removesuffix("_v0")]
    for states, _ in positions(game, number, seed):
        s = as_record(states)
        mover = int(s.to_move)
        if mover == NOBODY:
            continue
        turn, seen = turn_of(game, states), game.seen_to_dict(s, mover)
        look = Look(mover, legal=turn.legal)
        full, portrait, compact = (svg.refused(str(draw_seen(game, seen, look, size=size))) for size in CANVAS)
        for text in {*full, *portrait}:
            reason = turn.why_not(text)
            assert reason is not None, text
            assert reason.rule
        can = {word for text in turn.legal if text.split()[0] in verbs for word in text.split()[1:]}
        hand = {card for card in seen["hands"].get(str(mover), ()) if card not in can}
        cards = {text.split()[1] for text in full if text.split()[0] in verbs}
        assert cards - can == hand
        assert {text.split()[1] for text in portrait} <= hand
        assert compact == []
        other = (mover + 1) % game.num_players
        for look in (Look(mover), Look(other), Look(NOBODY, legal=turn.legal)):
            assert svg.refused(str(draw_seen(game, game.seen_to_dict(s, look.viewer), look))) == []
        found += len(full)
    return found


@pytest.mark.parametrize(("name", "options"), GAMES[1::2])
def test_what_cannot_be_chosen_has_a_reason(name: str, options: dict[str, Any]) -> None:
    assert check_refused(make_game(name, **options), 8, seed=6) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_what_cannot_be_chosen_has_a_reason_in_many_positions(name: str, options: dict[str, Any]) -> None:
    assert check_refused(make_game(name, **options), 60, seed=7) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_many_small_forms_are_well_made(name: str, options: dict[str, Any]) -> None:
    assert check(make_game(name, **options), 500, seed=2) > 500


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("name", "options"), GAMES[1::2])
def test_small_forms_are_readable(name: str, options: dict[str, Any], theme: Theme) -> None:
    for forms, _ in drawn(make_game(name, **options), 2, seed=3, theme=theme):
        for size in FORMS:
            assert svg.pale(str(forms[size])) == []


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_many_small_forms_are_readable(name: str, options: dict[str, Any], theme: Theme) -> None:
    for forms, _ in drawn(make_game(name, **options), 20, seed=4, theme=theme):
        for size in FORMS:
            assert svg.pale(str(forms[size])) == []


@pytest.mark.parametrize(("name", "options"), GAMES[1::2])
def test_themes_of_small_forms_differ_in_colors_only(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    for (dark, _), (light, _) in zip(drawn(game, 3, 5, "dark"), drawn(game, 3, 5, "light"), strict=True):
        for size in FORMS:
            assert dark[size] != light[size]
            assert svg.colorless(dark[size]) == svg.colorless(light[size])


def test_small_letters_and_targets_are_found() -> None:
    game = make_game("agent_avenue_v0")
    s = as_record(game.start(1))
    legal = [game.action_to_string(s, int(action), 0) for action in np.flatnonzero(mask_of(game, s))]
    full = str(draw_seen(game, game.seen_to_dict(s, 0), Look(0, legal=legal)))
    assert "'13': 12.5" not in svg.small_letters(full)
    assert "'discards': 11.5" in svg.small_letters(full)
    assert {each.split(":")[0] for each in svg.small_targets(full)} >= {"2", "discard sentinel"}
