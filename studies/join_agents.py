"""Make one agent out of two: `python -m studies.join_agents AGENT AGENT --how beside --out FOLDER`."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from tyro.conf import Positional

from spygames import make_game
from spygames.core.game.game import Game
from spygames.core.game.registry import default_options
from spygames.core.players.checkpoint import checkpoint_game
from spygames_app.cli.arguments import AnyFolder, AnyPlayer, WrongArguments, chosen_folder, run_command, say
from spygames_training.agents.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from spygames_training.config import Network
from spygames_training.files.atomic import check_new
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.runs.run import CHANGEABLE

How = Literal["mean", "beside"]


@dataclass(frozen=True)
class Study:
    """Make one agent out of two agents of the same variant, without training.

    The new agent can be measured as it is, and a run can start from it (`start_from` in its config). It plays the game
    of the first agent; the second one may lack the view's history, which then has weights of 0.
    """

    first: Positional[AnyPlayer] = None
    """The folder of a checkpoint, or the name of an agent."""
    second: Positional[AnyPlayer] = None
    """The other one."""
    out: AnyFolder = None
    """Folder of the new checkpoint: one that does not exist, or an empty one."""
    how: How = "beside"
    """beside: a network of twice the width, with both networks side by side, whose logits and value are the means of
    theirs (an ensemble in one network). mean: the mean of the weights, which makes sense for two agents of the same
    origin (arXiv 2203.05482, section 2)."""
    without_history: bool = False
    """Leave the history out of the view: the agent decides as if no card had been offered yet."""

    def run(self) -> int:
        if self.first is None or self.second is None or self.out is None:
            raise WrongArguments(
                "name two agents and a folder, as in python -m studies.join_agents runs/a runs/b --out runs/c"
            )
        check_new(self.out)
        names = (self.first, self.second)
        first = load_checkpoint(chosen_folder(self.first))
        second = _second(chosen_folder(self.second), first.game)
        if {first.value_unit, second.value_unit} != {1.0}:
            raise ValueError("the values must be in the game's units: a run had ppo.reward_scale other than 1")
        if self.without_history and "history" not in {**default_options(first.game.id), **first.game.options}:
            raise WrongArguments(f"--without-history needs a game with the option history, not {first.game.id}")
        options = {name: value for name, value in first.game.options.items() if name != "history"}
        game = make_game(first.game.id, **options) if self.without_history else first.game
        network = join_networks(game, (first.network, second.network), self.how)
        parts = [_part(name, found) for name, found in zip(names, (first, second), strict=True)]
        began_with = {
            "agent": " and ".join(names),
            "weights": parts[0]["weights"],
            "decisions": _decisions(parts),
            "opponents": list(dict.fromkeys([*first.training_opponents, *second.training_opponents])),
        }
        seen: set[str] = set()
        agents = [_once(part, seen) for part in parts]
        joined = {"how": self.how, "without_history": self.without_history, "agents": agents}
        save_checkpoint(self.out, game, network, 0, {}, {"began_with": began_with, "joined": joined})
        say(f"agent: {self.out}")
        return 0


def _second(folder: Path, game: Game) -> Checkpoint:
    """Load the second agent for the game of the first one."""
    own = checkpoint_game(folder)
    if own.id == game.id and own.options.get("history", 0) > game.options.get("history", 0):
        raise WrongArguments("the second agent sees more of the history than the first one: name it first")
    return load_checkpoint(folder, game)


def join_networks(game: Game, networks: tuple[ActorCritic, ActorCritic], how: How) -> ActorCritic:
    """Make one network out of two.

    Args:
        game: the game that both play, with the same layout; its view may lack their view's last fields.
        networks: two networks of linear layers; they do not change.
        how: see `Study.how`.

    Raises:
        ValueError: a network has other layers, or their numbers of layers, or with "mean" their widths, differ.
    """
    one, two = networks
    for network in networks:
        if network.config.kind != "mlp" or {*network.state_dict()} != {*_names(network)}:
            raise ValueError("only networks of linear layers with one policy and one value can be joined")
    widths = [network.config.hidden for network in networks]
    if len(widths[0]) != len(widths[1]) or (how == "mean" and widths[0] != widths[1]):
        raise ValueError(f"the hidden layers differ: {_sizes(widths[0])} and {_sizes(widths[1])}")
    hidden = widths[0] if how == "mean" else tuple(map(sum, zip(*widths, strict=True)))
    joined = make_network(game, Network(hidden))
    weights = joined.state_dict()
    for name, tensor in weights.items():
        a, b = one.state_dict()[name], two.state_dict()[name]
        if name == "trunk.0.weight":
            a, b = a[:, : game.num_features], b[:, : game.num_features]
        if how == "mean":
            tensor.copy_((a + b) / 2)
        elif not name.startswith("trunk"):  # a head reads both halves; a bias has one half of each
            tensor.copy_(torch.cat([a, b], 1) / 2 if a.ndim == 2 else (a + b) / 2)
        elif name == "trunk.0.weight" or a.ndim == 1:  # both halves see the whole view
            tensor.copy_(torch.cat([a, b]))
        else:
            tensor.copy_(torch.block_diag(a, b))
    joined.load_state_dict(weights)
    return joined.eval()


def _names(network: ActorCritic) -> Iterator[str]:
    """The names of the weights of a network of linear layers, with one policy and one value."""
    layers = [f"trunk.{2 * k}" for k in range(len(network.config.hidden))]
    return (f"{layer}.{part}" for layer in [*layers, "policy", "value"] for part in ("weight", "bias"))


def _sizes(hidden: Sequence[int]) -> str:
    return "x".join(map(str, hidden))


def _part(name: str, found: Checkpoint) -> dict[str, Any]:
    """The record of an agent that was joined: how it was trained."""
    extra = found.meta["extra"]
    part = {"agent": name, "weights": found.meta["weights"]["sha256"], "step": found.meta["step"]}
    return part | {
        key: extra[key] for key in ("config", "seconds", "began_with", "value_fitted", "joined") if key in extra
    }


def _once(record: Mapping[str, Any], seen: set[str]) -> dict[str, Any]:
    """The record of an agent, or of what a run began with, that says only once how each agent was made.

    Where agents with common ancestors are joined again and again, the records would double each time.

    Args:
        record: see `_part` and `Checkpoint.began_with`.
        seen: the digests of the weights whose whole records stand earlier, in the order of `joined`, `began_with`;
            those of this record are added.
    """
    weights = record.get("weights", "")
    if weights in seen:
        return {key: record[key] for key in ("agent", "weights", "step", "decisions", "opponents") if key in record}
    own = dict(record)
    if joined := record.get("joined"):
        own["joined"] = {**joined, "agents": [_once(agent, seen) for agent in joined["agents"]]}
    if began_with := record.get("began_with"):
        own["began_with"] = _once(began_with, seen)
    if weights:
        seen.add(weights)
    return own


def _decisions(parts: Iterable[Mapping[str, Any]]) -> int:
    """The decisions of all runs behind the parts, each run once. A run that was made longer counts as it is now."""
    found: dict[str, int] = {}
    for run, decisions in _runs(parts):
        found[run] = max(decisions, found.get(run, 0))
    return sum(found.values())


def _runs(parts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """Each run behind the parts and its decisions; one behind both parts is given twice.

    A run is named by the settings that determine it, in JSON.
    """
    for part in parts:
        began_with = part.get("began_with", {})
        for run in [*began_with.get("runs", ()), *([part] if "config" in part else [])]:
            settings = {name: value for name, value in run["config"].items() if name not in CHANGEABLE}
            yield json.dumps(settings, sort_keys=True), run["step"]
        for joined in (part.get("joined"), began_with.get("joined")):
            yield from _runs(joined["agents"] if joined else ())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.join_agents")


if __name__ == "__main__":
    sys.exit(main())
