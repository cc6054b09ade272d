"""Make an agent that plays closer to its likeliest action: `python -m studies.sharpen AGENT --out FOLDER`."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from tyro.conf import Positional

from spygames.core.players.checkpoint_files import find_checkpoint
from spygames_app.cli.arguments import AnyPlayer, WrongArguments, run_command, say
from spygames_app.shipped import agent_folder
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.networks.actor_critic import ActorCritic

TEMPERATURE = 0.5


@dataclass(frozen=True)
class Study:
    """Divide an agent's logits by a temperature below 1, without training.

    Sampled, the new agent plays as the old one at that temperature: probabilities are raised to the power of 1 /
    temperature. By argmax it plays as the old one does. The penalty for leaving the reference (`ppo.kl`) keeps actions
    likely that are a little worse; the new agent takes them less often.
    """

    agent: Positional[AnyPlayer] = None
    """The folder of a checkpoint, or the name of an agent."""
    out: Path | None = None
    """Folder of the new checkpoint."""
    temperature: float = TEMPERATURE
    """Above 0 and below 1."""

    def run(self) -> int:
        if self.agent is None or self.out is None:
            raise WrongArguments(
                "name an agent and a folder, as in python -m studies.sharpen runs/first --out runs/second"
            )
        found = load_checkpoint(find_checkpoint(agent_folder(self.agent)))
        sharpen(found.network, self.temperature)
        meta, extra = found.meta, found.meta["extra"]
        if "value_fitted" in extra:
            raise ValueError(f"{self.agent} has a value fitted to its games: sharpen first, then fit the value")
        earlier = extra.get("sharpened", {}).get("temperature", 1.0)
        how = {"temperature": self.temperature * earlier}
        save_checkpoint(self.out, found.game, found.network, meta["step"], {}, {**extra, "sharpened": how})
        say(f"agent: {self.out}")
        return 0


def sharpen(network: ActorCritic, temperature: float) -> None:
    """Divide the logits of a network by a temperature, in place.

    Args:
        network: its policy's last layer changes.
        temperature: above 0 and below 1.

    Raises:
        ValueError: `temperature` is out of range, or the network is a custom one, whose logits have no layer of ours.
    """
    if not (0 < temperature < 1 and math.isfinite(1 / temperature)):
        raise ValueError(f"temperature must be above 0 and below 1, not {temperature}")
    if not isinstance(network.policy, nn.Linear):
        raise ValueError("a custom network cannot be sharpened: it has no last layer of a known kind")
    with torch.no_grad():
        for weights in network.policy.parameters():
            weights.div_(temperature)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.sharpen")


if __name__ == "__main__":
    sys.exit(main())
