"""Warm-start a run from a checkpoint."""

from pathlib import Path
from typing import Any

import torch

from spygames.core.game.game import Game
from spygames.core.players.checkpoint_files import CheckpointError
from spygames_training.agents.checkpoint import Checkpoint, load_checkpoint
from spygames_training.config import NetworkShape
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.custom import Source
from spygames_training.ppo.learner import Learner


def start_from(
    path: str | Path, game: Game, learner: Learner, reward_scale: float, network: Source | None = None
) -> dict[str, Any]:
    """Load the weights of a checkpoint into a learner that has not started.

    These are the weights of the policy and, if both have them, of the value of the seat's own view and the belief. The
    value in games with bots starts from the same value. A critic that sees all keeps its random weights.

    Args:
        path: the folder of the checkpoint or of its run.
        game: the game.
        learner: its network, running mean and reference are changed.
        reward_scale: of the run; the value head is scaled to it, except in a custom network.
        network: see `load_checkpoint`.

    Returns:
        The description of that agent for the run's checkpoint (`Checkpoint.began_with`).

    Raises:
        ValueError: the checkpoint cannot be read, or has another game, layout or network. The learner is not changed.
    """
    try:
        found = load_checkpoint(path, game, network)
    except CheckpointError as error:
        raise CheckpointError(f"start_from {error}") from None
    theirs, ours = found.network, learner.network
    if difference := _difference(theirs, ours):
        raise ValueError(f"start_from {path}: its network has {difference}")
    weights = _weights(found, ours, reward_scale)
    for own in (learner.network, learner.ema, learner.reference):
        own.load_state_dict(own.state_dict() | weights)
    extra: Any = found.meta.get("extra")
    before, runs = found.began_with.get("runs", []), []
    if isinstance(extra, dict) and "config" in extra and not extra.get("own_code"):  # a config would not describe it
        last = {"config": extra["config"], "step": found.meta["step"], "seconds": extra.get("seconds", 0)}
        runs = [*(before if isinstance(before, list) else []), last]
    joined = (extra.get("joined") if isinstance(extra, dict) else None) or found.began_with.get("joined")
    return {
        "agent": str(path),
        "weights": found.meta["weights"]["sha256"],
        "decisions": found.decisions,
        "opponents": list(found.training_opponents),
        "runs": runs,
        **({"joined": joined} if joined else {}),
    }


def _difference(theirs: ActorCritic, ours: ActorCritic) -> str:
    """Describe the difference between the networks of two policies; "" if there is none."""
    differences = []
    for name in NetworkShape.__dataclass_fields__:
        there, here = getattr(theirs.config, name), getattr(ours.config, name)
        used = {"embedding": ours.config.kind == "entities", "memory": ours.config.kind == "recurrent"}.get(name, True)
        if used and there != here:
            differences.append(f"network.{name} {there}, the run {here}")
    return "; ".join(differences)


def _weights(found: Checkpoint, ours: ActorCritic, reward_scale: float) -> dict[str, torch.Tensor]:
    """Return the checkpoint's weights that `ours` has, by name."""
    weights = {}
    for name, tensor in found.network.state_dict().items():
        part, _, rest = name.partition(".")
        if part == "belief" and ours.belief is None:
            continue
        if part == "value":
            part, tensor = "own" if ours.sees_all else "value", tensor * (reward_scale / found.value_unit)
        weights[f"{part}.{rest}"] = tensor
        if part == "value" and ours.splits_value:
            weights[f"value_with_bots.{rest}"] = tensor
    return weights
