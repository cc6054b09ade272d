"""Invariants of Heimlich & Co. that hold at every decision, written from the rules.

Each invariant takes states, STATE [n], all of one variant, and returns bool [n]: whether it holds in each. Board and
card data are repeated here, independent of the code under test.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from spygames.heimlich.layout import CHOICE, GUESS, MOVE, NONE, OVER, ROUND, SAFE

States = np.ndarray
Holds = np.ndarray

VARIANTS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 3},
    {"players": 7},
    {"players": 3, "edition": "ravensburger", "secret_identities": True},
    {"players": 2, "top_secret": True},
    {"players": 7, "secret_identities": True},
    {"players": 4, "top_secret": True, "secret_identities": True},
]
"""The variants that random play covers."""

COPIES = np.array([2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 1])
WORTH = np.array([*range(11), -3])
SCORE_3 = 1
FIRST_OWNER = 2  # in `guesses`: 1 is free, 2 + seat an owner


# ---------------------------------------------------------------- states


def sizes(s: States) -> tuple[int, int]:
    """The numbers of players and agents."""
    return int(s["options"]["players"][0]), int(s["options"]["agents"][0])


def places(s: States) -> Holds:
    """HC-1: agents in play and the safe are in one of the twelve buildings."""
    _, agents = sizes(s)
    here = (s["positions"] >= 0) & (s["positions"] < 12)
    return here.all(1) & (s["positions"][:, agents:] == 0).all(1) & (s["safe"] >= 0) & (s["safe"] < 12)


def tokens(s: States) -> Holds:
    """HC-14, HC-17: no token is behind Start, and none is at the finish unless the game is over."""
    low, high = s["scores"].min(1), s["scores"].max(1)
    return (low >= 0) & ((high >= 42) == (s["phase"] == OVER))


def passports(s: States) -> Holds:
    """HC-5: each player has a different agent in play, and the other agents are free."""
    players, agents = sizes(s)
    own = s["passports"][:, :players]
    back = np.take_along_axis(s["owner"], own.astype(int) % 7, 1) == np.arange(players)
    in_play = (own >= 0) & (own < agents)
    return (back & in_play).all(1) & ((s["owner"] != NONE).sum(1) == players)


def points(s: States) -> Holds:
    """HC-9, HC-10, HC-23: the roll is spent exactly; a `1-3` is one to three points, or none to draw a card."""
    spent, open_ended = s["moved"].sum(1), s["die"] == 0
    roll = np.where(open_ended, 3, s["die"])
    least = np.where(open_ended, np.where(s["options"]["top_secret"] == 1, 0, 1), roll)
    moving = (spent + s["points_left"] == roll) & (s["points_left"] > 0)
    done = (s["points_left"] == 0) & (spent >= least) & (spent <= roll)
    return np.where(s["phase"] == MOVE, moving, done)


def order(s: States) -> Holds:
    """HC-11: agents move in the order of ids, so `next_agent` and the later ones have not moved."""
    later = np.arange(7) >= s["next_agent"][:, None]
    last = np.take_along_axis(s["moved"], np.maximum(s["next_agent"], 1)[:, None].astype(int) - 1, 1)[:, 0]
    return ~(later & (s["moved"] > 0)).any(1) & ((s["next_agent"] == 0) | (last > 0))


def arrivals(s: States) -> Holds:
    """HC-12, HC-26: agents that cause a scoring are in the safe's building; there are none after the scoring."""
    there = (s["arrived_by"] == NONE) | (s["positions"] == s["safe"][:, None])
    waits = np.isin(s["phase"], (SAFE, OVER)) | ((s["phase"] == MOVE) & (s["moved"].sum(1) == 0))
    return there.all(1) & (~waits | (s["arrived_by"] == NONE).all(1))


def cards(s: States) -> Holds:
    """HC-20, HC-21, HC-29, HC-31: each copy is in one place; no seat holds more than four."""
    if not s["options"]["top_secret"][0]:
        return (s["hand_sizes"] == 0).all(1) & (s["deck"] == NONE).all(1) & (s["used"] == NONE).all(1)
    copies = COPIES.copy()
    copies[-1] = s["options"]["new_identity"][0]
    lying = np.stack([(s["deck"] == kind).sum(1) + (s["used"] == kind).sum(1) for kind in range(15)], 1)
    sizes_fit = (s["hands"].sum(2) == s["hand_sizes"]).all(1) & (s["hand_sizes"].max(1) <= 4)
    piles_fit = ((s["deck"] != NONE).sum(1) == s["deck_size"]) & ((s["used"] != NONE).sum(1) == s["used_size"])
    counted = s["used_size"] == s["cards_played"].sum(1)
    return (s["hands"].sum(1) + lying == copies).all(1) & sizes_fit & piles_fit & counted


def predictions(s: States) -> Holds:
    """HC-33: all players predict at once when a token has reached 29; each assigns one agent to each other player."""
    players, agents = sizes(s)
    if not s["options"]["secret_identities"][0]:
        return (s["guesses"] == 0).all((1, 2)) & (s["guessed"] == 0) & (s["phase"] != GUESS)
    asking, over, done = s["phase"] == GUESS, s["phase"] == OVER, s["guessed"] == 1
    crossed = s["scores"].max(1) >= 29
    when: np.ndarray = np.where(asking, crossed & ~done, done | ~crossed | over)  # a token can fall behind 29 again
    seats = np.arange(players)
    behind = (seats - s["active"][:, None]) % players
    asked = (s["to_move"] - s["active"]) % players
    through = done[:, None] | (asking[:, None] & (behind < asked[:, None]))
    untouched = ~done[:, None] & ~(asking[:, None] & (behind <= asked[:, None]))
    guesses = s["guesses"][:, :players, :agents]
    named = (guesses[..., None] == FIRST_OWNER + seats).sum(2)  # [n, who predicts, owner]
    right = (named == 1 - np.eye(players, dtype=int)).all(2) & ((guesses > 0).sum(2) == agents - 1)
    blank: np.ndarray = (guesses == 0).all(2)
    return when & (right | ~through).all(1) & (blank | ~untouched).all(1)


def public_record(s: States) -> Holds:
    """Each movement is one to six points; without cards scores are sums of gains, and each turn moves an agent."""
    if s["options"]["top_secret"][0]:
        bounded: np.ndarray = (s["times"] >= 0) & (np.abs(s["points"]) <= 6 * s["times"] + 12)
        return np.asarray(bounded.all((1, 2)))
    fits: np.ndarray = (s["points"] >= s["times"]) & (s["points"] <= 6 * s["times"])
    gained = (s["gains"].sum(2) == s["scores"]).all(1) | (s["guessed"] == 1)
    turns = s["points"].sum((1, 2))
    return fits.all((1, 2)) & gained & (turns >= s["turn"]) & (turns <= 6 * (s["turn"] + 1))


def whose_decision(s: States) -> Holds:
    """HC-25: the active player moves agents and the safe; a seat to move in a card round holds a card."""
    players, _ = sizes(s)
    over, to_move = s["phase"] == OVER, s["to_move"]
    held = np.take_along_axis(s["hand_sizes"], np.maximum(to_move, 0)[:, None].astype(int), 1)[:, 0] > 0
    fits = np.where(np.isin(s["phase"], (MOVE, SAFE)), to_move == s["active"], to_move < players)
    fits &= (s["phase"] != ROUND) | held
    fits &= (s["passes"] == 0) | ((s["phase"] == ROUND) & (s["passes"] < players))
    return fits & (over == (to_move == NONE)) & ((s["phase"] == CHOICE) == (s["pending"] != NONE))


# ---------------------------------------------------------------- decisions


def during(s: States, *phases: int) -> np.ndarray:
    return np.isin(s["phase"], phases)


def turns_go_left(before: States, s: States) -> Holds:
    """HC-6, HC-8: a turn belongs to one player; then the next one to the left rolls, and no agent has moved."""
    players, _ = sizes(s)
    same = (s["turn"] == before["turn"]) & (s["active"] == before["active"])
    same &= during(s, OVER) | ((s["die"] == before["die"]) & (s["points_left"] <= before["points_left"]))
    begun = (s["turn"] == before["turn"] + 1) & (s["active"] == (before["active"] + 1) % players)
    begun &= during(s, MOVE) & (s["to_move"] == s["active"]) & (s["moved"].sum(1) == 0)
    return same | begun


def only_movers_move(before: States, s: States) -> Holds:
    """HC-9, HC-15, HC-25: a die moves an agent by its points, the safe moves in its phase only, cards do the rest."""
    steps = (s["positions"].astype(int) - before["positions"]) % 12
    by_die = ((steps > 0).sum(1) <= 1) & (steps.sum(1) <= before["points_left"])
    still, safe = steps.sum(1) == 0, s["safe"] == before["safe"]
    return np.select(
        [during(before, MOVE), during(before, SAFE), during(before, CHOICE)],
        [by_die & safe, still & ~safe, True],
        safe & (still | during(before, ROUND)),
    )


def tokens_move_by_scorings(before: States, s: States) -> Holds:
    """HC-14, HC-30, HC-34: tokens move by buildings' values, two of them by 3 for a card, by fives at the end."""
    old, new = before["scores"].astype(int), s["scores"].astype(int)
    scored = (s["scorings"].sum(1) > before["scorings"].sum(1))[:, None] & (np.arange(7) < sizes(s)[1])
    predicted = (during(s, OVER) & (s["guessed"] == 1))[:, None] & (s["owner"] != NONE)
    carded = during(before, CHOICE) & (before["pending"] == SCORE_3)

    def follows(score: np.ndarray) -> np.ndarray:
        more = new - np.where(scored, np.maximum(score + WORTH[s["positions"] % 12], 0), score)
        return (more == 0) | (predicted & (more > 0) & (more % 5 == 0))

    plain, by_card = follows(old), carded[:, None] & (old < 40) & follows(np.minimum(old + 3, 40))
    return (plain | by_card).all(1) & ((~plain).sum(1) <= 2)


def nothing_comes_back(before: States, s: States) -> Holds:
    """HC-29, HC-33: the deck only loses cards from the top; used cards, predictions and the public record stay."""
    below = np.arange(s["deck"].shape[1]) < s["deck_size"][:, None]
    fine = (s["deck_size"] <= before["deck_size"]) & (~below | (s["deck"] == before["deck"])).all(1)
    lies = np.arange(s["used"].shape[1]) < before["used_size"][:, None]
    fine &= (s["used_size"] >= before["used_size"]) & (~lies | (s["used"] == before["used"])).all(1)
    fine &= ((before["guesses"] == 0) | (s["guesses"] == before["guesses"])).all((1, 2))
    fine &= (s["guessed"] >= before["guessed"]) & (s["scorings"] >= before["scorings"]).all(1)
    return fine & (s["times"] >= before["times"]).all((1, 2))


def identities_stay(before: States, s: States) -> Holds:
    """HC-5, HC-31: only the card changes a passport: once, its player's, to a free agent."""
    players, agents = sizes(s)
    changed = (s["passports"] != before["passports"]) & (np.arange(7) < players)
    first = (before["swapped"] == NONE) & (s["swapped"] == before["to_move"]) & during(before, ROUND)
    other = changed & (np.arange(7) != before["to_move"][:, None])
    was_free = np.take_along_axis(before["owner"], s["passports"][:, :players].astype(int) % 7, 1) == NONE
    fits = (changed.sum(1) == 1) & ~other.any(1) & (was_free | ~changed[:, :players]).all(1) & (players < agents)
    return np.where(first, fits, ~changed.any(1) & (s["swapped"] == before["swapped"]))


OF_STATE: tuple[Callable[[States], Holds], ...] = (
    places, tokens, passports, points, order, arrivals, cards, predictions, public_record, whose_decision,
)  # fmt: skip
"""Invariants of a state."""
OF_DECISION: tuple[Callable[[States, States], Holds], ...] = (
    turns_go_left, only_movers_move, tokens_move_by_scorings, nothing_comes_back, identities_stay,
)  # fmt: skip
"""Invariants of a state and the one after a decision."""


def due(s: States) -> np.ndarray:
    """HC-18, HC-19, HC-37: the returns of the seats, float [n, P], from tokens and passports."""
    players, _ = sizes(s)
    option = s["options"]
    tokens_of = np.take_along_axis(s["scores"], np.maximum(s["passports"][:, :players], 0).astype(int), 1).astype(int)
    best = s["scores"].max(1)
    free = ((s["owner"] == NONE) & (s["scores"] == best[:, None])).any(1) & (option["tie_to_player"] == 0)
    won = (tokens_of == best[:, None]) & ~free[:, None]
    number = won.sum(1, keepdims=True)
    share = np.where(won, 1 / np.maximum(number, 1), -1 / np.maximum(players - number, 1))
    share = np.where(number == 0, option["nobody_wins"][:, None], np.where(number == players, 0, share))
    mean = (tokens_of.sum(1, keepdims=True) - tokens_of) / (players - 1)
    return np.where(option["by_score"][:, None] == 1, (tokens_of - mean) / 42, share) * during(s, OVER)[:, None]
