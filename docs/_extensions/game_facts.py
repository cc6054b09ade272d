"""Writes the facts of each variant into docs/games: `python docs/_extensions/game_facts.py` (minutes).

Sizes are the layout's; lengths and legal actions are those of random play.
"""

from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.game.game import Game
from spygames.core.game.registry import make_game
from spygames.core.playing.first_games import first_games

PAGES = Path(__file__).resolve().parents[1] / "games"
BEGIN, END = "<!-- facts: python docs/_extensions/game_facts.py writes from here -->", "<!-- to here, facts -->"
_HEIMLICH_FULL = {"top_secret": True, "secret_identities": True}
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "agent_avenue_v0": [{"mode": mode, "players": n} for mode in ("simple", "advanced") for n in (2, 3, 4)],
    "heimlich_v0": [{"players": n} for n in range(2, 8)] + [{"players": n, **_HEIMLICH_FULL} for n in (3, 4, 7)],
    "agent_dog_v0": [{"players": n} for n in (2, 3, 4)],
}
"""The variants that have a row."""
GAMES = {"agent_avenue_v0": 20_000, "heimlich_v0": 20_000, "agent_dog_v0": 2_000}
"""Games of random play a variant, seeds from 0."""
HEAD = "| options | sides | actions | floats | state, bytes | decisions: mean (most) | legal actions: mean (most) |"


def sizes(game: Game) -> str:
    """The cells that follow from the layout: sides, actions, floats of an observation, bytes of a state."""
    return f"{game.num_sides} | {game.num_actions} | {game.num_features} | {game.state_dtype.itemsize}"


def random_play(game: Game, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Plays games at random, seeds 0 to `games` - 1.

    Returns:
        Decisions of each game, int64 [games], and how many actions were legal at each decision, int64 [decisions].
    """
    lengths, legal = np.zeros(games, np.int64), []
    for step in first_games(game, np.arange(games, dtype=np.uint64)):
        going = step.mask[~step.over].sum(1, dtype=np.int64)
        legal.append(going)
        lengths[step.games[~step.over]] += 1
    return lengths, np.concatenate(legal)


def table(game_id: str, games: int) -> str:
    """The table of a game, in Markdown."""
    rows = []
    for options in VARIANTS[game_id]:
        game = make_game(game_id, **options)
        lengths, legal = random_play(game, games)
        named = ", ".join(f"`{name}={value!r}`" for name, value in options.items())
        rows.append(
            f"| {named} | {sizes(game)} | {lengths.mean():.1f} ({lengths.max()}) | {legal.mean():.1f} ({legal.max()}) |"
        )
    return "\n".join([HEAD, "|---|---:|---:|---:|---:|---:|---:|", *rows])


def page_of(game_id: str) -> Path:
    """The page of a game."""
    return PAGES / f"{game_id.rpartition('_v')[0]}.md"


def main() -> None:
    for game_id, games in GAMES.items():
        page = page_of(game_id)
        text = page.read_text(encoding="utf-8")
        before, begin, rest = text.partition(BEGIN)
        _, end, after = rest.partition(END)
        assert begin, f"{page} has no place for the facts"
        assert end, f"{page} has no place for the facts"
        page.write_text(f"{before}{BEGIN}\n\n{table(game_id, games)}\n\n{END}{after}", encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main()
