"""Beginning a run from the weights of an agent that there is."""

from pathlib import Path
from typing import Any

import torch

from spygames.core.game.game import Game
from spygames_training.agents.checkpoint import Checkpoint, load_checkpoint
from spygames_training.agents.folder import CheckpointError
from spygames_training.config import NetworkShape
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.custom import Source
from spygames_training.ppo.learner import Learner


def start_from(
    path: str | Path, game: Game, learner: Learner, reward_scale: float, network: Source | None = None
) -> dict[str, Any]:
    """Gives a learner that has not begun the weights of a checkpoint.

    They are those of the policy, and of the value of its own view and the belief if there are such. A critic that sees
    all begins as ever.

    Args:
        path: the checkpoint's folder or its run's.
        game: what is played.
        learner: whose network, running mean and reference are changed.
        reward_scale: of the run, to which the value is scaled, but for a network of one's own.
        network: as of `load_checkpoint`.

    Returns:
        What the checkpoint of the run says of that agent (`Checkpoint.began_with`).

    Raises:
        ValueError: the checkpoint cannot be read or is of another game, layout or network; the learner is then as it
            was.
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
    if isinstance(extra, dict) and "config" in extra and not extra.get("own_code"):  # of which a config does not tell
        last = {"config": extra["config"], "step": found.meta["step"], "seconds": extra.get("seconds", 0)}
        runs = [*(before if isinstance(before, list) else []), last]
    return {
        "agent": str(path),
        "weights": found.meta["weights"]["sha256"],
        "decisions": found.decisions,
        "opponents": list(found.training_opponents),
        "runs": runs,
    }


def _difference(theirs: ActorCritic, ours: ActorCritic) -> str:
    """In what the networks of two policies differ, in words; "" if in nothing."""
    found = []
    for name in NetworkShape.__dataclass_fields__:
        there, here = getattr(theirs.config, name), getattr(ours.config, name)
        used = {"embedding": ours.config.kind == "entities", "memory": ours.config.kind == "recurrent"}.get(name, True)
        if used and there != here:
            found.append(f"network.{name} {there}, the run {here}")
    return "; ".join(found)


def _weights(found: Checkpoint, ours: ActorCritic, reward_scale: float) -> dict[str, torch.Tensor]:
    """The weights of `ours` that a checkpoint has, by name."""
    weights = {}
    for name, tensor in found.network.state_dict().items():
        part, _, rest = name.partition(".")
        if part == "belief" and ours.belief is None:
            continue
        if part == "value":
            part, tensor = "own" if ours.sees_all else "value", tensor * (reward_scale / found.value_unit)
        weights[f"{part}.{rest}"] = tensor
    return weights
