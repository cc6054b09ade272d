"""What holds in every state of random play, over whole tables of games at once, and that each check can fail."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.heimlich.conftest import COPIES, game_of

from spygames.core.batch import Batch, bot_loop
from spygames.core.game import record
from spygames.heimlich.state import CHOICE, GUESS, MOVE, NONE, OVER, ROUND, SAFE

States = np.ndarray
FIRST_OWNER = 2  # in `guesses`: 1 is free, 2 + seat an owner
KINDS = np.array(list(COPIES.values()))


def sizes(states: States) -> tuple[int, int]:
    """Players and agents."""
    return int(states["options"]["players"][0]), int(states["options"]["agents"][0])


def places(states: States) -> np.ndarray:
    """HC-1: agents in play and the safe stand in one of the twelve buildings."""
    _, agents = sizes(states)
    here = (states["positions"] >= 0) & (states["positions"] < 12)
    return here.all(1) & (states["positions"][:, agents:] == 0).all(1) & (states["safe"] >= 0) & (states["safe"] < 12)


def tokens(states: States) -> np.ndarray:
    """HC-14, HC-17: no token is behind Start, and none at the end unless the game is over."""
    low, high = states["scores"].min(1), states["scores"].max(1)
    return (low >= 0) & ((high >= 42) == (states["phase"] == OVER))


def passports(states: States) -> np.ndarray:
    """HC-5: each player has an agent in play of its own, and the others are free."""
    players, agents = sizes(states)
    own = states["passports"][:, :players]
    back = np.take_along_axis(states["owner"], own.astype(int) % 7, 1) == np.arange(players)
    in_play = (own >= 0) & (own < agents)
    return (back & in_play).all(1) & ((states["owner"] != NONE).sum(1) == players)


def points(states: States) -> np.ndarray:
    """HC-9, HC-10, HC-23: the roll is spent exactly; of a `1-3` one to three points, or none for a card."""
    spent, open_ended = states["moved"].sum(1), states["die"] == 0
    roll = np.where(open_ended, 3, states["die"])
    least = np.where(open_ended, np.where(states["options"]["top_secret"] == 1, 0, 1), roll)
    moving = (spent + states["points_left"] == roll) & (states["points_left"] > 0)
    done = (states["points_left"] == 0) & (spent >= least) & (spent <= roll)
    return np.where(states["phase"] == MOVE, moving, done)


def order(states: States) -> np.ndarray:
    """HC-11: no agent at or behind the next one in the order of ids has been moved."""
    later = np.arange(7) >= states["next_agent"][:, None]
    last = np.take_along_axis(states["moved"], np.maximum(states["next_agent"], 1)[:, None].astype(int) - 1, 1)[:, 0]
    return ~(later & (states["moved"] > 0)).any(1) & ((states["next_agent"] == 0) | (last > 0))


def arrivals(states: States) -> np.ndarray:
    """HC-12, HC-26: who would cause a scoring stands with the safe; after it and on a new turn there is nobody."""
    there = (states["arrived_by"] == NONE) | (states["positions"] == states["safe"][:, None])
    waits = np.isin(states["phase"], (SAFE, OVER)) | ((states["phase"] == MOVE) & (states["moved"].sum(1) == 0))
    return there.all(1) & (~waits | (states["arrived_by"] == NONE).all(1))


def cards(states: States) -> np.ndarray:
    """HC-20, HC-21, HC-29, HC-31: each copy is in one place; nobody holds more than four."""
    if not states["options"]["top_secret"][0]:
        return (states["hand_sizes"] == 0).all(1) & (states["deck"] == NONE).all(1) & (states["used"] == NONE).all(1)
    copies = KINDS.copy()
    copies[-1] = states["options"]["new_identity"][0]
    lying = np.stack([(states["deck"] == kind).sum(1) + (states["used"] == kind).sum(1) for kind in range(15)], 1)
    sizes_fit = (states["hands"].sum(2) == states["hand_sizes"]).all(1) & (states["hand_sizes"].max(1) <= 4)
    piles_fit = ((states["deck"] != NONE).sum(1) == states["deck_size"]) & (
        (states["used"] != NONE).sum(1) == states["used_size"]
    )
    counted = states["used_size"] == states["cards_played"].sum(1)
    return (states["hands"].sum(1) + lying == copies).all(1) & sizes_fit & piles_fit & counted


def predictions(states: States) -> np.ndarray:
    """HC-33: all are asked when a token has come to 29, at once; each gives every other player one agent, no other."""
    players, agents = sizes(states)
    if not states["options"]["secret_identities"][0]:
        return (states["guesses"] == 0).all((1, 2)) & (states["guessed"] == 0) & (states["phase"] != GUESS)
    asking, over, done = states["phase"] == GUESS, states["phase"] == OVER, states["guessed"] == 1
    crossed = states["scores"].max(1) >= 29
    when: np.ndarray = np.where(asking, crossed & ~done, done | ~crossed | over)  # a token can fall behind 29 again
    seats = np.arange(players)
    behind = (seats - states["active"][:, None]) % players
    asked = (states["to_move"] - states["active"]) % players
    through = done[:, None] | (asking[:, None] & (behind < asked[:, None]))
    untouched = ~done[:, None] & ~(asking[:, None] & (behind <= asked[:, None]))
    guesses = states["guesses"][:, :players, :agents]
    named = (guesses[..., None] == FIRST_OWNER + seats).sum(2)  # [n, who predicts, owner]
    right = (named == 1 - np.eye(players, dtype=int)).all(2) & ((guesses > 0).sum(2) == agents - 1)
    blank: np.ndarray = (guesses == 0).all(2)
    return when & (right | ~through).all(1) & (blank | ~untouched).all(1)


def public_record(states: States) -> np.ndarray:
    """Each movement is one to six points; without cards scores are what was gained, and each turn moved something."""
    if states["options"]["top_secret"][0]:
        bounded: np.ndarray = (states["times"] >= 0) & (np.abs(states["points"]) <= 6 * states["times"] + 12)
        return np.asarray(bounded.all((1, 2)))
    fits: np.ndarray = (states["points"] >= states["times"]) & (states["points"] <= 6 * states["times"])
    gained = (states["gains"].sum(2) == states["scores"]).all(1) | (states["guessed"] == 1)
    turns = states["points"].sum((1, 2))
    return fits.all((1, 2)) & gained & (turns >= states["turn"]) & (turns <= 6 * (states["turn"] + 1))


def whose_decision(states: States) -> np.ndarray:
    """HC-25: the active player moves agents and the safe; whoever is asked in a card round holds a card."""
    players, _ = sizes(states)
    over, to_move = states["phase"] == OVER, states["to_move"]
    held = np.take_along_axis(states["hand_sizes"], np.maximum(to_move, 0)[:, None].astype(int), 1)[:, 0] > 0
    fits = np.where(np.isin(states["phase"], (MOVE, SAFE)), to_move == states["active"], to_move < players)
    fits &= (states["phase"] != ROUND) | held
    fits &= (states["passes"] == 0) | ((states["phase"] == ROUND) & (states["passes"] < players))
    return fits & (over == (to_move == NONE)) & ((states["phase"] == CHOICE) == (states["pending"] != NONE))


INVARIANTS = (
    places, tokens, passports, points, order, arrivals, cards, predictions, public_record, whose_decision,
)  # fmt: skip
VARIANTS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 3},
    {"players": 7},
    {"players": 3, "edition": "ravensburger", "secret_identities": True},
    {"players": 2, "top_secret": True},
    {"players": 7, "secret_identities": True},
    {"players": 4, "top_secret": True, "secret_identities": True},
]


def tables(options: dict[str, Any], games: int, seed: int) -> Iterator[States]:
    """All states of some games in lockstep, [n] at a time, the last ones included."""
    game = game_of(**options)
    batch, loop = Batch(game, games, seed=seed, threads=1), bot_loop(game, "random")
    luck = np.random.default_rng(seed).integers(2**64, size=(games, 1), dtype=np.uint64)
    actions, rows, going = np.zeros(games, np.int64), np.arange(games), np.ones(games, bool)
    while going.any():
        yield batch.states[going]
        loop(batch.views, batch.mask, luck, rows, actions, 0, games)
        before = batch.states.copy()
        batch.step(actions)
        ended = np.flatnonzero(batch.done & going)
        for row in ended:  # the batch has begun the next game in this row already
            game.apply(record(before, int(row)), int(actions[row]))
        if len(ended):
            yield before[ended]
        going &= ~batch.done


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_random_play_keeps_every_invariant(options: dict[str, Any]) -> None:
    phases: set[int] = set()
    for states in tables(options, 300, 5):
        for invariant in INVARIANTS:
            assert invariant(states).all(), (invariant.__name__, states[~invariant(states)][0])
        phases.update(states["phase"].tolist())
    switches = bool(options.get("top_secret")), bool(options.get("secret_identities"))
    assert phases == {MOVE, SAFE, OVER} | ({ROUND, CHOICE} if switches[0] else set()) | (
        {GUESS} if switches[1] else set()
    )


def set_to(name: str, value: int, *where: int) -> Callable[[States], None]:
    """Writes a value into a field."""

    def corrupt(states: States) -> None:
        states[name][(slice(None), *where)] = value

    return corrupt


def add(name: str, value: int, *where: int) -> Callable[[States], None]:
    """Adds to a field."""

    def corrupt(states: States) -> None:
        states[name][(slice(None), *where)] += value

    return corrupt


def swap_without_owner(states: States) -> None:
    states["passports"][:, [0, 1]] = states["passports"][:, [1, 0]]


def predict_twice(states: States) -> None:
    states["guesses"][:, 0] = FIRST_OWNER + 1


FULL = VARIANTS[-1]
BROKEN: list[tuple[Any, dict[str, Any], int, Callable[[States], None]]] = [
    (places, {"players": 3}, MOVE, set_to("positions", 12, 0)),
    (places, {"players": 3}, MOVE, set_to("positions", 1, 6)),
    (places, {"players": 3}, MOVE, set_to("safe", -1)),
    (tokens, {"players": 3}, MOVE, set_to("scores", -1, 2)),
    (tokens, {"players": 3}, MOVE, set_to("scores", 42, 2)),
    (tokens, {"players": 3}, OVER, set_to("scores", 41)),
    (passports, {"players": 3}, MOVE, swap_without_owner),
    (passports, {"players": 3}, MOVE, set_to("passports", 6, 0)),
    (passports, {"players": 3}, MOVE, set_to("owner", 0)),
    (points, {"players": 3}, MOVE, add("points_left", 1)),
    (points, {"players": 3}, SAFE, add("points_left", 1)),
    (points, {"players": 3}, SAFE, set_to("moved", 0)),
    (order, {"players": 3}, SAFE, add("next_agent", -1)),
    (order, {"players": 3}, SAFE, set_to("moved", 0)),
    (arrivals, {"players": 3}, SAFE, set_to("arrived_by", 1, 0)),
    (arrivals, FULL, ROUND, set_to("arrived_by", 1)),
    (cards, {"players": 3}, MOVE, set_to("hand_sizes", 1, 0)),
    (cards, FULL, ROUND, add("hands", 1, 0, 3)),
    (cards, FULL, ROUND, add("deck_size", -1)),
    (cards, FULL, CHOICE, add("used_size", -1)),
    (cards, FULL, CHOICE, add("cards_played", 1, 2)),
    (predictions, {"players": 3}, MOVE, set_to("guessed", 1)),
    (predictions, FULL, GUESS, set_to("scores", 28)),
    (predictions, FULL, GUESS, set_to("guessed", 1)),
    (predictions, FULL, OVER, predict_twice),
    (public_record, {"players": 3}, SAFE, add("times", 700, 0, 0)),
    (public_record, {"players": 3}, SAFE, add("gains", 1, 0, 0)),
    (public_record, {"players": 3}, SAFE, add("turn", 300)),
    (public_record, FULL, SAFE, add("points", 3000, 0, 0)),
    (whose_decision, {"players": 3}, MOVE, add("to_move", 1)),
    (whose_decision, FULL, ROUND, set_to("hand_sizes", 0)),
    (whose_decision, FULL, ROUND, set_to("pending", 3)),
    (whose_decision, FULL, MOVE, set_to("passes", 1)),
]  # fmt: skip


@pytest.mark.parametrize(("invariant", "options", "phase", "corrupt"), BROKEN)
def test_a_wrong_state_is_found(
    invariant: Callable[[States], np.ndarray], options: dict[str, Any], phase: int, corrupt: Callable[[States], None]
) -> None:
    found = np.concatenate([states[states["phase"] == phase] for states in tables(options, 8, 1)])
    assert invariant(found).all()
    corrupt(found)
    assert not invariant(found).any()


def test_every_invariant_is_broken_once() -> None:
    assert {invariant for invariant, *_ in BROKEN} == set(INVARIANTS)
