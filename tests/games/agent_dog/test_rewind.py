"""`rewind` restores an earlier decision of a seat: the true one for some draws, and all possible ones equally often."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.agent_dog.actions import encode_discard, encode_meet, encode_pass, encode_play, encode_swap
from spygames.agent_dog.cards import CARDS, CHOICES, FUNCTIONS, KINDS
from spygames.agent_dog.layout import CARD, EMPTY, EXCHANGE, MEETING, NONE, REDRAW, SWAPPING
from spygames.core.game.game import Game, as_record
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING
from tests.support.rewinding import agree, check_many, check_own_view, check_redrawn, check_right_luck, rewound

VARIANTS: list[dict[str, Any]] = [
    {"players": 2, "max_turns": 100},
    {"players": 3, "max_turns": 100},
    {"players": 4, "max_turns": 100},
    {"players": 4, "max_turns": 100, "hidden_colours": "tracked"},
]
GAMES = 5
"""Some thousand decisions."""
PUBLIC = (
    "turn", "cards_played", "round_number", "moved", "first", "area", "lost", "out", "deck_size", "discarded",
    "last_card", "card", "function", "points", "meetings", "penalty", "redrawn", "phase", "to_move", "dealer",
)  # fmt: skip
TWO, FIVE, START, THIRTEEN, SWAP_CARD = (CARDS.index(name) for name in ("2", "5", "1/11", "13", "swap"))


def name_of(options: dict[str, Any]) -> str:
    return "-".join(map(str, options.values()))


def may_be_silent(past: np.ndarray, actions: np.ndarray) -> np.ndarray:
    return (past["phase"] == MEETING) | ((past["phase"] == SWAPPING) & (past["first"] != NONE))


def silent(game: Game, past: np.ndarray, action: int) -> bool:
    """Others cannot see which meeting is held first, and with which pawn a swap exchanges the first one."""
    return True


def gone(now: np.ndarray, past: np.ndarray) -> np.ndarray:
    """Whether the hands of the earlier decision are gone because its round is over."""
    return now["round_number"] != past["round_number"]


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_some_draws_restore_the_true_past(options: dict[str, Any]) -> None:
    assert check_right_luck(make_game("agent_dog_v0", **options), GAMES, silent, may_be_silent, gone) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_some_draws_restore_the_true_past_in_100_000_decisions(options: dict[str, Any]) -> None:
    game = make_game("agent_dog_v0", **options)
    check_many(game, 8 * GAMES, silent, may_be_silent, gone)


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_rewinding_a_redrawn_world_keeps_public_facts_and_reads_no_hidden_ones(options: dict[str, Any]) -> None:
    counts = check_redrawn(make_game("agent_dog_v0", **options), 1, PUBLIC)
    assert counts["told"] > 100
    assert counts["legal"] == counts["told"]
    assert counts["impossible"] < 0.05 * counts["told"]


@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_rewinding_depends_only_on_what_the_seat_sees(options: dict[str, Any]) -> None:
    assert check_own_view(make_game("agent_dog_v0", **options), 1) > 100


def position(hand: Sequence[int], lost: Sequence[int] = (), players: int = 2, **fields: Any) -> tuple[Game, np.ndarray]:
    """A position in which seat 1 holds `hand` and has lost the cards `lost`; all its pawns are in its area."""
    game = make_game("agent_dog_v0", players=players)
    states = game.start(1)
    states["board"], states["area"], states["phase"] = EMPTY, 4, CARD
    states["hands"][0, 1] = np.bincount(hand, minlength=KINDS)
    states["lost"][0, 1] = np.bincount(lost, minlength=KINDS) if len(lost) else 0
    for name, value in fields.items():
        states[name] = value
    return game, states


def cards_of(states: np.ndarray) -> tuple[int, ...]:
    return tuple(np.repeat(np.arange(KINDS), states["hands"][0, 1]).tolist())


def play(card: str, function: str) -> int:
    return int(encode_play(CHOICES.index((CARDS.index(card), FUNCTIONS.index(function)))))


def test_lost_cards_return_to_the_hand() -> None:
    game, now = position((TWO, FIVE), (TWO, THIRTEEN), to_move=0)
    _, past = position((TWO, TWO, FIVE), (THIRTEEN,), to_move=1)
    states, told = rewound(game, now, past, 1, play("2", "2"), 1)
    assert told == play("2", "2")
    assert cards_of(states) == (TWO, TWO, FIVE)


def test_undoing_the_exchange_returns_the_passed_card_of_the_world() -> None:
    """AD-6: the received card must be among those that the seat has held since; otherwise the world is impossible."""
    _, past = position((0, 0, 0, 0, 0), to_move=1, phase=EXCHANGE)
    game, now = position((TWO, FIVE), (TWO, THIRTEEN, START), to_move=0)
    for received, told in ((START, encode_pass(FIVE)), (SWAP_CARD, IMPOSSIBLE)):
        now["passed"][0] = (received, FIVE, NONE, NONE)
        states, action = rewound(game, now, past, 1, encode_pass(TWO), 1)
        assert action == told
    now["passed"][0] = (START, FIVE, NONE, NONE)
    states, _ = rewound(game, now, past, 1, encode_pass(TWO), 1)
    assert cards_of(states) == (TWO, TWO, FIVE, FIVE, THIRTEEN)
    game, now = position((TWO, FIVE, FIVE, START), to_move=0, phase=EXCHANGE)  # the exchange is not complete
    now["passed"][0] = (NONE, THIRTEEN, NONE, NONE)
    states, action = rewound(game, now, past, 1, encode_pass(TWO), 1)
    assert action == encode_pass(THIRTEEN)
    assert cards_of(states) == (TWO, FIVE, FIVE, START, THIRTEEN)


def test_a_redrawn_card_can_be_any_if_no_card_is_playable() -> None:
    """AD-35: all pawns are in the area, so only start cards are playable."""
    game, now = position((TWO, TWO, FIVE), (TWO,), to_move=1, phase=REDRAW, redrawn=1)
    _, past = position((0, 0, 0), to_move=1, phase=REDRAW)
    seen = Counter(cards_of(rewound(game, now, past, 1, encode_discard(TWO), luck * 7919)[0]) for luck in range(3000))
    agree(seen, Counter({(TWO, TWO, FIVE): 2, (TWO, TWO, TWO): 1}))


def test_a_redrawn_card_is_the_playable_one() -> None:
    _, past = position((0, 0, 0), to_move=1, phase=REDRAW)
    game, now = position((TWO, FIVE, START), (TWO,), to_move=1, redrawn=1)
    for luck in range(20):
        states, told = rewound(game, now, past, 1, encode_discard(TWO), luck)
        assert told == encode_discard(TWO)
        assert cards_of(states) == (TWO, TWO, FIVE)
    game, now = position((TWO, THIRTEEN, START), (TWO,), to_move=1, redrawn=1)
    assert rewound(game, now, past, 1, encode_discard(TWO), 1)[1] == IMPOSSIBLE  # one was in the hand before
    game, now = position((TWO, THIRTEEN), (TWO, FIVE), to_move=0)
    _, past = position((0, 0, 0), (TWO,), to_move=1, phase=REDRAW, redrawn=1)
    assert rewound(game, now, past, 1, encode_discard(FIVE), 1)[1] == IMPOSSIBLE  # no playable card was drawn


def test_each_copy_counts_unless_the_viewer_passed_the_card() -> None:
    """The passed card is the first of its kind to leave the hand, so it is gone after one has left."""
    for lost, ways in (((), 1), ((TWO,), 2)):
        game, states = position((TWO, TWO), lost, to_move=1)
        states["passed"][0] = (TWO, FIVE, NONE, NONE)
        assert game.ways is not None
        assert game.ways(as_record(states), as_record(states), 0, 1, play("2", "2")) == ways


def test_invisible_decisions_and_earlier_rounds_reveal_nothing() -> None:
    game, now = position((TWO,), to_move=0)
    _, past = position((TWO,), to_move=1, phase=SWAPPING, first=3, function=FUNCTIONS.index("swap"))
    swap = int(encode_swap(0, 1, 64, 4))
    assert rewound(game, now, past, 1, swap, 1)[1] == TELLS_NOTHING
    past["first"] = NONE
    assert rewound(game, now, past, 1, swap, 1)[1] == swap
    _, past = position((TWO,), to_move=1, phase=MEETING)
    assert rewound(game, now, past, 1, int(encode_meet(1)), 1)[1] == TELLS_NOTHING
    _, past = position((TWO, TWO), to_move=1, round_number=-1)
    assert rewound(game, now, past, 1, play("2", "2"), 1)[1] == TELLS_NOTHING
