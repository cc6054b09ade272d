"""Measure how long games of scripted players are, and how they end."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.registry import make_game
from spygames.core.playing.first_games import first_games

CHUNK = 10_000
MEASURED: dict[str, list[dict[str, Any]]] = {
    "agent_avenue_v0": [{"mode": mode, "players": n} for mode in ("simple", "advanced") for n in (2, 3, 4)],
    "heimlich_v0": [{"players": n} for n in range(2, 8)],
    "agent_dog_v0": [{"players": n} for n in (2, 3, 4)],
}
"""The variants that the docs show; any other game is measured in its default variant."""


def documented_variants(game_id: str) -> list[Game]:
    """Return the variants of a game whose figures the docs show."""
    return [make_game(game_id, **options) for options in MEASURED.get(game_id, [{}])]


def measure(
    game: Game, games: int, bot: str = "random", progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Play games of one variant: the first game of each seed from 0 to N - 1.

    Args:
        game: the variant.
        games: N, the number of games.
        bot: the scripted player in every seat, a key of `game.bots`.
        progress: called with the number of games that have ended since the last call.

    Returns:
        The figures as plain JSON values.

    Raises:
        ValueError: the game has no such scripted player.
    """
    check_bot(game, bot)
    decisions, states, results = [], [], []
    for start in range(0, games, CHUNK):
        seeds = np.arange(start, min(start + CHUNK, games), dtype=np.uint64)
        for number, step in enumerate(first_games(game, seeds, bot)):
            decisions.append(np.full(step.over.sum(), number))
            states.append(step.after[step.over])
            results.append(step.results[step.over])
            if progress:
                progress(int(step.over.sum()))
    last = np.concatenate(states)
    return {
        "options": dict(game.options),
        "games": games,
        "decisions": spread(np.concatenate(decisions)),
        **({"turns": spread(last["turn"])} if "turn" in (last.dtype.names or ()) else {}),
        "wins": (np.concatenate(results) > 0).mean(0).tolist(),
        "ends": ends(game, last),
    }


def check_bot(game: Game, bot: str) -> None:
    """Raise ValueError if the game has no such scripted player."""
    if bot not in game.bots:
        raise ValueError(f"{game.id} has no scripted player {bot[:100]!r}; it has {', '.join(game.bots)}")


def spread(numbers: np.ndarray) -> dict[str, float]:
    """Return mean, median, minimum and maximum."""
    return {
        "mean": float(numbers.mean()),
        "median": float(np.median(numbers)),
        "least": int(numbers.min()),
        "most": int(numbers.max()),
    }


def ends(game: Game, last: np.ndarray) -> dict[str, float]:
    """Return the share of each end reason, in the order of the game's list, from final states, STATE [n].

    Empty if the game has no field `end_reason`.
    """
    if "end_reason" not in (last.dtype.names or ()):
        return {}
    _, where, counts = np.unique(last["end_reason"], return_index=True, return_counts=True)
    names = [game.state_to_dict(as_record(last, int(k)))["end_reason"] for k in where]
    return {name: count / len(last) for name, count in zip(names, counts.tolist(), strict=True)}


def columns(rows: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the head and cells of a table of `measure` results, with the options in which the rows differ."""
    names = [name for name in rows[0]["options"] if len({str(row["options"][name]) for row in rows}) > 1]
    reasons = list(dict.fromkeys(reason for row in rows for reason in row["ends"]))
    lengths = [key for key in ("decisions", "turns") if key in rows[0]]  # a game may have no field `turn`
    head = [*names, *(f"mean {key} (median, most)" for key in lengths), "won by each seat", *reasons]
    lines = []
    for row in rows:
        cells = [str(row["options"][name]) for name in names]
        cells += ["{mean:.2f} ({median:.0f}, {most})".format(**row[key]) for key in lengths]
        cells.append(" / ".join(f"{100 * share:.1f} %" for share in row["wins"]))
        cells += [f"{100 * row['ends'].get(reason, 0):.2f} %" for reason in reasons]
        lines.append(cells)
    return head, lines
