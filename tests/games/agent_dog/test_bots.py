"""The bots: their choices in clear positions, and how often they win. Seats are balanced.

To play more games for the table in the game's README:

    python -m tests.games.agent_dog.test_bots --deals 1000
"""

import argparse
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import as_record
from spygames.core.players.names import make_player
from spygames.core.playing.batch import spread
from spygames_training.evaluation.play_games import play_games
from tests.games.agent_dog.conftest import Position, game_of, make_mapping, position_at

PAIRS = (("greedy", "random"), ("expert", "random"), ("expert", "greedy"))
SEATINGS = {
    2: np.array([[0, 1], [1, 0]]),
    3: np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
    4: np.array([[0, 1, 0, 1], [1, 0, 1, 0]]),
}
"""The player of each seat, 0 for the first of a pair: a deal is played in every seating; of four, two are a team."""


def win_share(players: int, first: str, second: str, deals: int, seed: int = 0) -> tuple[float, int]:
    """The fraction of games that `first` wins, and the number of truncated games, which count as half a win.

    With three players one `first` plays against two of `second`, so equal strength is a fraction of one third.
    """
    game, seats = game_of({"players": players}), SEATINGS[players]
    seeds = np.repeat(spread(np.uint64(seed), deals), len(seats))
    seating = np.tile(seats, (deals, 1))
    returns = play_games(game, [make_player(game, name) for name in (first, second)], seating, seeds, seed)
    own = returns[np.arange(len(seeds)), seating.argmin(1)]
    return float((0.5 + 0.5 * np.sign(own)).mean()), int((own == 0).sum())


@pytest.mark.parametrize(
    ("players", "first", "second", "least"),
    [
        (2, "greedy", "random", 0.85),
        (2, "expert", "greedy", 0.55),
        (3, "greedy", "random", 0.7),
        (3, "expert", "greedy", 0.37),
        (4, "greedy", "random", 0.9),
        (4, "expert", "greedy", 0.55),
    ],
)
@pytest.mark.parametrize("deals", [45, pytest.param(180, marks=pytest.mark.slow)])
def test_strength(players: int, first: str, second: str, least: float, deals: int) -> None:
    share, cut_off = win_share(players, first, second, deals)
    assert share > least
    assert cut_off <= 2


def says(position: Position, bot: str) -> str:
    """The action of `bot` for the seat to move, as text."""
    seat = int(position.s.to_move)
    action = position.game.bots[bot](as_record(position.view(seat)), position.mask, np.zeros(1, np.uint64))
    return position.game.action_to_string(position.s, int(action), seat)


OTHERS: dict[str, list[str]] = {"blue": ["track 41"], "green": ["track 50"], "yellow": ["track 57"]}


@pytest.mark.parametrize("bot", ["greedy", "expert"])
@pytest.mark.parametrize(
    ("cards", "pawns", "choices"),
    [
        (["5", "9"], {"red": ["track 62", "track 20"]}, ["card 5", "from track 62 into goal"]),  # home
        (
            ["5", "6"],
            {"red": ["track 20"], "yellow": ["track 25"]},
            ["card 5", "from track 20"],
        ),  # an opponent is captured
        (["5", "6"], {"red": ["track 20", "track 25", "goal 3"]}, ["card 6"]),  # the own pawn is not captured
        (["5", "6"], {"red": ["track 20"], "green": ["track 25"]}, ["card 6"]),  # nor is the partner's
        (["1/11", "2"], {"red": ["track 20"]}, ["card 1/11 as start"]),  # a new pawn
    ],
)
def test_clear_choices(bot: str, cards: list[str], pawns: dict[str, Any], choices: list[str]) -> None:
    position = position_at(make_mapping(OTHERS | pawns, {"0": cards, "1": ["2"]}))
    for choice in choices:
        assert says(position, bot) == choice
        position.act(choice)


@pytest.mark.parametrize("start_card", ["1/11", "13"])
def test_expert_passes_its_partner_a_start_card(start_card: str) -> None:
    hands = {str(seat): ["2", "3", "5", "6", start_card if seat == 0 else "8"] for seat in range(4)}
    for green, passes in (([], True), (["track 40"], False)):
        pawns = {"red": ["track 5"], "blue": [], "green": green, "yellow": []}
        position = position_at(make_mapping(pawns, hands, phase="exchange"))
        assert (says(position, "expert") == f"pass {start_card}") == passes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=1000, help="each in every seating (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    args = parser.parse_args()
    print("| players | player | against | games | wins | cut off |\n|---|---|---|---|---|---|")
    for players, seats in SEATINGS.items():
        for first, second in PAIRS:
            share, cut_off = win_share(players, first, second, args.deals, args.seed)
            games = args.deals * len(seats)
            print(f"| {players} | {first} | {second} | {games} | {100 * share:.1f} % | {cut_off} |", flush=True)


if __name__ == "__main__":
    main()
