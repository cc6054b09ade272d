"""The opponents in training games: scripted bots and earlier selves, and how likely each is drawn."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.names import Player, named_players
from spygames_training.agents.policy import from_network
from spygames_training.config import Opponents
from spygames_training.files.state_dicts import tensor_difference, tensors_of
from spygames_training.networks.actor_critic import ActorCritic

FADE = 0.95
"""Weight that earlier games keep at each update, in the win fraction against an opponent."""
LOWEST_WEIGHT = 0.05
"""Weight in the draw, before they are made to sum to 1, of an opponent that is always beaten."""


class League:
    """The opponents, each with a number of its own: 1 and up, never used again, so that a game is played to its end
    against the opponent that it began with, also after the league has replaced that one."""

    def __init__(self, game: Game, config: Opponents):
        self.game, self.config = game, config
        self.bots = dict(enumerate(named_players(game, config.bots, "opponents.bots"), 1))
        self.snapshots: dict[int, ActorCritic] = {}
        """Earlier selves by number, the oldest first; those no longer drawn but still in a game included."""
        self.next_number = len(self.bots) + 1
        self.players: dict[int, Player] = dict(self.bots)
        self.results: dict[int, list[float]] = {}
        """The learner's recent games against each opponent, [wins, games]; older ones fade (`FADE`)."""

    @property
    def drawable(self) -> list[int]:
        """The numbers of those who can be drawn for a new game."""
        recent = list(self.snapshots)[-self.config.snapshots :] if self.config.snapshots else []
        return [*self.bots, *recent]

    def add_results(self, results: Iterable[Mapping[int, Sequence[float] | np.ndarray]]) -> None:
        """Adds the learner's results since the last call, mappings {number: [wins, games]}, added in their order."""
        for entry in self.results.values():
            entry[0] *= FADE
            entry[1] *= FADE
        for part in results:
            for number, (wins, games) in part.items():
                entry = self.results.setdefault(number, [0.0, 0.0])
                entry[0] += float(wins)
                entry[1] += float(games)

    def win_fraction(self, number: int) -> float:
        """The learner's recent win fraction against this opponent, 0 to 1; it begins at the fair one."""
        wins, games = self.results.get(number, (0.0, 0.0))
        return (wins + 2 / self.game.num_sides) / (games + 2)

    @property
    def chances(self) -> np.ndarray:
        """How likely each of `drawable` is drawn, float64, of sum 1.

        "hard" is prioritised fictitious self-play (Vinyals et al. 2019, doi:10.1038/s41586-019-1724-z, with its
        weighting f_hard(x) = (1 - x)^p, p = 2), over the bots, too.
        """
        numbers = self.drawable
        weights = np.ones(len(numbers))
        if self.config.draw == "hard":
            weights = np.array([LOWEST_WEIGHT + (1 - self.win_fraction(number)) ** 2 for number in numbers])
        return weights / weights.sum()

    def add_snapshot(self, network: ActorCritic) -> None:
        """Keeps a copy of the network as an opponent."""
        self._put_snapshot(self.next_number, copy.deepcopy(network).requires_grad_(False))

    def _put_snapshot(self, number: int, network: ActorCritic) -> None:
        self.snapshots[number] = network
        self.players[number] = from_network(self.game, network, name=f"snapshot {number}")
        self.next_number = max(self.next_number, number + 1)

    def forget(self, playing: Iterable[int]) -> None:
        """Drops the snapshots that can no longer be drawn and are not `playing`."""
        keep = {*self.drawable, *playing}
        for number in [n for n in self.snapshots if n not in keep]:
            del self.snapshots[number], self.players[number]
            self.results.pop(number, None)

    def state_dict(self) -> dict[str, Any]:
        """The snapshots' tensors (`snapshot.NUMBER.` and a weight's name), their numbers in `snapshots`, `next_number`,
        and `record` as [[number, wins, games], ...]."""
        tensors = {
            f"snapshot.{number}.{k}": v.detach()
            for number, network in self.snapshots.items()
            for k, v in network.state_dict().items()
        }
        return {
            **tensors,
            "snapshots": list(self.snapshots),
            "next_number": self.next_number,
            "record": [[number, *entry] for number, entry in self.results.items()],
        }

    def load_state_dict(self, state: Mapping[str, Any], network: ActorCritic) -> None:
        """Continues from what `state_dict` gave; `network` is one like the snapshots. ValueError if a tensor is
        missing, unknown, or of another shape or type."""
        tensors, weights = tensors_of(state), network.state_dict()
        wanted = {f"snapshot.{number}.{k}": v for number in state["snapshots"] for k, v in weights.items()}
        if difference := tensor_difference(wanted, tensors):
            raise ValueError(difference)
        for number in state["snapshots"]:
            snapshot = copy.deepcopy(network).requires_grad_(False)
            snapshot.load_state_dict({k: tensors[f"snapshot.{number}.{k}"] for k in weights})
            self._put_snapshot(number, snapshot)
        self.next_number = state["next_number"]
        self.results = {number: [wins, games] for number, wins, games in state["record"]}
