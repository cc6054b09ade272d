"""The card of an agent: what its checkpoint says about it, as a page for people."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spygames.core.players import split_spec
from spygames.core.released import find_agent
from spygames.core.shown import one_line
from spygames_training.atomic import read_file
from spygames_training.checkpoint import Checkpoint, CheckpointError
from spygames_training.identity import player_digest
from spygames_training.policy import from_network
from spygames_training.tables import markdown_table

__all__ = ["card", "read_evaluation"]

MAX_EVALUATION_BYTES = 1 << 24

UNOFFICIAL = (
    "Unofficial: neither the authors nor the publishers of the game have anything to do with this agent. "
    "Names of games and rights in them belong to their owners."
)
"""What every card says at its end."""


def read_evaluation(file: Path, checkpoint: Checkpoint) -> dict[str, Any]:
    """Reads what `spygames evaluate --json` wrote about an agent.

    Args:
        file: the JSON.
        checkpoint: the agent.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file, or its challengers are not this agent with these weights.
    """
    try:
        found = json.loads(read_file(file, MAX_EVALUATION_BYTES))
        measured = {row["challenger"]: found["players"][row["challenger"]]["digest"] for row in found["results"]}
        game = found["environment"]["id"], found["environment"]["options"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{file} is no result of `spygames evaluate --json`: {one_line(error, 200)}") from None
    if game != (checkpoint.game.id, dict(checkpoint.game.options)):
        raise ValueError(f"{file} is about another variant than this agent plays, {checkpoint.game.title}")
    digest = player_digest(checkpoint.game, from_network(checkpoint.game, checkpoint.network))
    if others := [name for name, its in measured.items() if its != digest]:
        raise ValueError(f"{file} is about other weights than this agent's, whose digest is {digest}: {others[0]}")
    return found


def card(checkpoint: Checkpoint, name: str, evaluation: Mapping[str, Any] | None = None) -> str:
    """Writes the card of an agent from its checkpoint.

    Args:
        checkpoint: what `load_checkpoint` found.
        name: what the agent is called.
        evaluation: what `read_evaluation` gave; None: the figures are those that the checkpoint notes.

    Returns:
        A page in Markdown: what it plays, how well, as far as that is known (win fractions in per cent with their 95 %
        intervals), how it was made, how it is used, and what it is not for. A figure that nobody noted is not on it.

    Raises:
        CheckpointError: what the checkpoint notes about its training is not as a run writes it.
    """
    try:
        return _card(checkpoint, name, evaluation)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"{name} notes its training in another form than a run does: {one_line(error, 200)}"
        ) from None


def _card(checkpoint: Checkpoint, name: str, evaluation: Mapping[str, Any] | None) -> str:
    results = checkpoint.meta.get("results")
    sections = [
        f"# {name}",
        f"An agent for `{checkpoint.game.id}`, trained by self-play.",
        "## What it is\n\n" + _list(_facts(checkpoint)),
        _evaluated(evaluation) if evaluation else _noted(results, old=checkpoint.is_of_0_1),
        _best_response(results),
        "## How it was trained\n\n" + _list(_training(checkpoint)),
        f"## Use\n\n    spygames evaluate {name} --against random greedy expert --games 2000\n"
        f"    spygames play --against {name}@argmax\n\n"
        "The weights are float32 tensors and everything else is JSON: loading them runs no code.",
        "## Limits\n\nIt plays this variant alone, with this layout of observations and actions. Its figures hold "
        f"against the players that are named, played as it is said; it was not measured against people. {UNOFFICIAL}",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _facts(checkpoint: Checkpoint) -> list[tuple[str, str]]:
    game, meta = checkpoint.game, checkpoint.meta
    options = ", ".join(f"{option}={value!r}" for option, value in game.options.items())
    code = meta.get("code") or {}
    return [
        ("plays", f"`{game.id}`"),
        ("options", f"`{options}`" if options else "none"),
        ("seats, sides", f"{game.num_players}, {game.num_sides}"),
        ("observation, actions", f"float32 [{game.num_features}], {game.num_actions}"),
        ("layout", f"`{meta['layout']['hash']}`"),
        ("network", _network(meta["network"])),
        ("weights", f"{sum(p.numel() for p in checkpoint.network.parameters()):,}"),
        ("SHA-256 of the weights", f"`{meta['weights']['sha256']}`"),
        ("made with", f"spygames {code.get('spygames', '?')}, torch {code.get('torch', '?')}"),
    ]


def _network(network: Mapping[str, Any]) -> str:
    layers = "x".join(str(width) for width in network["hidden"])
    return f"{network['kind']}, hidden layers {layers}"


def _training(checkpoint: Checkpoint) -> list[tuple[str, str]]:
    extra = checkpoint.meta.get("extra") or {}
    config = extra.get("config") or {}
    ppo, opponents = config.get("ppo") or {}, config.get("opponents") or {}
    rows = [("decisions", f"{checkpoint.meta['step']:,}")]
    if "seconds" in extra:
        rows.append(("seconds", f"{extra['seconds']:,.0f}"))
    if "seed" in config:
        rows.append(("seed", str(config["seed"])))
    if ppo:
        named = ("games", "steps", "epochs", "minibatch", "learning_rate", "entropy", "kl", "ema")
        rows.append(("PPO", ", ".join(f"{key} {ppo[key]}" for key in named if key in ppo)))
    if opponents.get("share"):
        trained = ", ".join(f"`{bot}`" for bot in checkpoint.training_opponents)
        rows.append(("scripted opponents", f"{trained or 'none'}, in {opponents['share']:.0%} of the games"))
    elif config:
        rows.append(("scripted opponents", "none: self-play only"))
    return rows


def _evaluated(evaluation: Mapping[str, Any]) -> str:
    """The section of figures of an evaluation: a row for each opponent, a column for each way to play."""
    rows = evaluation["results"]
    plays = list(dict.fromkeys(row["challenger"].rpartition("@")[2] for row in rows))
    fair = any(row["fair_share"] != 0.5 for row in rows)
    lines: dict[str, list[str]] = {}
    for row in rows:
        mark = " (trained against)" if row["training_opponent"] else ""
        start = [f"`{row['opponent']}`{mark}", *([f"{100 * row['fair_share']:.1f}"] if fair else [])]
        lines.setdefault(row["opponent"], start).append(_share(row))
    table = markdown_table(["games won against, %", *(["fair share"] if fair else []), *plays], [*lines.values()])
    return (
        f"## How well it plays\n\n{table}\n\n{rows[0]['games']:,} games a figure, every deal from every side, seed "
        f"{evaluation['seed']}; in brackets the 95 % interval over deals. Measured on {evaluation['date']} with "
        f"spygames {evaluation['code']['spygames']}, version {evaluation['protocol']} of the protocol."
    )


def _noted(results: object, old: bool) -> str:
    """The section of the figures that a checkpoint notes: measured after the run, or the run's last evaluation. The
    `expert` of 0.1.0 (`old`) is `expert-1` here."""
    if not isinstance(results, dict):
        return ""
    if isinstance(plays := results.get("play"), dict):
        rivals = list(dict.fromkeys(rival for found in plays.values() for rival in found))
        lines = [[_rival(rival, old), *(_share(found.get(rival)) for found in plays.values())] for rival in rivals]
        table = markdown_table(["games won against, %", *plays], lines)
        return (
            f"## How well it plays\n\n{table}\n\nAs the checkpoint notes it; in brackets the 95 % interval over deals."
        )
    shares = {key.partition("/")[2]: value for key, value in results.items() if key.startswith("win_share/")}
    if not shares:
        return ""
    lines = [[_rival(rival, old), f"{100 * share:.1f}"] for rival, share in shares.items()]
    table = markdown_table(["games won against, %", str(results.get("play", "sample"))], lines)
    games = results.get("games", "?")
    return f"## How well it plays\n\n{table}\n\nThe last evaluation of the run, {games} games a figure."


def _rival(name: str, old: bool) -> str:
    return f"`{'expert-1' if old and name == 'expert' else name}`"


def _share(found: Mapping[str, Any] | None) -> str:
    if not found:
        return ""
    low, high = found["interval"]
    return f"{100 * found['win_share']:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _best_response(results: object) -> str:
    """The section of what an adversary won that trained against it, where that is noted."""
    found = results.get("best_response") if isinstance(results, dict) else None
    if not isinstance(found, dict):
        return ""
    wins = [f"{_share(each)} % {play}" for play, each in found.items() if isinstance(each, dict)]
    agent = _released(found["agent"])
    return (
        f"## How far it can be exploited\n\nA fresh network that trained for {found['decisions']:,} decisions against "
        f"`{agent}` alone won {', '.join(wins)}. That bounds from below what a perfect adversary would win."
    )


def _released(spec: str) -> str:
    """A player's name with a released agent's in place of the folder by which 0.1.0 called it."""
    parts = split_spec(spec)
    agent = find_agent(parts.source)
    return spec if agent is None else parts._replace(source=agent.name).text


def _list(rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"- **{name}**: {value}" for name, value in rows)
