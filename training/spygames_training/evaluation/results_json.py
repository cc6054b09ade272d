"""Results as JSON: the figures with everything that they depend on."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from spygames.core.basics.json_numbers import written
from spygames.core.basics.version import VERSION
from spygames.core.game.game import Game
from spygames.core.players.names import Player
from spygames_training.evaluation.digests import game_digest, player_digest, trained_against
from spygames_training.evaluation.evaluation import PROTOCOL, Result, paired_differences
from spygames_training.evaluation.line_ups import LineUpResult
from spygames_training.system.machine import instructions


def as_json(
    game: Game,
    results: Sequence[Result],
    seed: int,
    extra: Mapping[str, Any] | None = None,
    players: Sequence[Player] = (),
) -> dict[str, Any]:
    """Return results with everything that is needed to play the same games again.

    Args:
        game: the game that was played.
        results: all of the same seed.
        seed: of the deals.
        extra: further JSON-serializable entries.
        players: the players named in `results`, each once. A player that is missing here gets no digest.
    """
    known = {player.name: player for player in players}
    rows = []
    for result in results:
        row = asdict(result)
        del row["by_deal"]
        if result.forfeits is None:
            del row["forfeits"]
        pair = known.get(result.challenger), known.get(result.opponent)
        row["training_opponent"] = None if None in pair else trained_against(game, *pair)  # type: ignore[arg-type]
        rows.append(row)
    unit = "a deal, played with the challenger on every side (a team, or a seat that plays for itself)"
    differences = [asdict(difference) for difference in paired_differences(results, seed)]
    return _document(game, rows, seed, {"unit": unit, **(extra or {})}, known) | {"differences": differences}


def line_up_json(
    game: Game,
    results: Sequence[LineUpResult],
    seed: int,
    players: Sequence[Player] = (),
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """As `as_json`, for a line-up."""
    unit = "a deal, played once for each rotation of the line-up"
    known = {player.name: player for player in players}
    rows = [asdict(result) for result in results]
    for row in rows:
        if row["forfeits"] is None:
            del row["forfeits"]
    return _document(game, rows, seed, {"unit": unit, **(extra or {})}, known)


def _document(
    game: Game, rows: list[dict[str, Any]], seed: int, extra: Mapping[str, Any], known: Mapping[str, Player]
) -> dict[str, Any]:
    """Rows of results with everything that they depend on."""
    return {
        "protocol": PROTOCOL,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "code": {"spygames": VERSION, "game": game_digest(game), "worlds": game.worlds_version},
        "machine": {"system": f"{platform.system()} {platform.machine()}", "instructions": instructions()},
        "environment": {"id": game.id, "options": dict(game.options)},
        "players": {name: {"digest": player_digest(game, player)} for name, player in known.items()},
        "seed": written(seed),
        **extra,
        "results": rows,
    }
