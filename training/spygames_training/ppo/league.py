"""The league: the opponents in training games and the probability of drawing each."""

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
"""Factor applied at each update to the weight of earlier games in the win share against an opponent."""
MIN_WEIGHT = 0.05
"""Weight of an opponent that is always beaten, before the weights are normalized."""


class League:
    """The opponent pool: scripted bots and snapshots of the network.

    Each opponent has a number. Numbers start at 1 and are never reused, so a running game keeps its opponent after the
    league has replaced it.
    """

    def __init__(self, game: Game, config: Opponents):
        self.game, self.config = game, config
        self.bots = dict(enumerate(named_players(game, config.bots, "opponents.bots"), 1))
        self.snapshots: dict[int, ActorCritic] = {}
        """Snapshots by number, the oldest first. Snapshots that are no longer drawn but still play a game are
        included."""
        self.next_number = len(self.bots) + 1
        self.players: dict[int, Player] = dict(self.bots)
        self.results: dict[int, list[float]] = {}
        """The learner's recent results against each opponent, [wins, games]; older games fade (`FADE`)."""

    @property
    def drawable(self) -> list[int]:
        """The numbers of the opponents that can be drawn for a new game."""
        recent = list(self.snapshots)[-self.config.snapshots :] if self.config.snapshots else []
        return [*self.bots, *recent]

    def add_results(self, results: Iterable[Mapping[int, Sequence[float] | np.ndarray]]) -> None:
        """Add the learner's results since the last call: mappings {number: [wins, games]}, added in their order."""
        for entry in self.results.values():
            entry[0] *= FADE
            entry[1] *= FADE
        for part in results:
            for number, (wins, games) in part.items():
                entry = self.results.setdefault(number, [0.0, 0.0])
                entry[0] += float(wins)
                entry[1] += float(games)

    def win_fraction(self, number: int) -> float:
        """Return the learner's recent win share against this opponent, 0 to 1.

        It is smoothed with two games at the fair share, so without games it is the fair share.
        """
        wins, games = self.results.get(number, (0.0, 0.0))
        return (wins + 2 / self.game.num_sides) / (games + 2)

    @property
    def chances(self) -> np.ndarray:
        """The probability of drawing each of `drawable`, float64, of sum 1.

        "hard" is prioritized fictitious self-play (Vinyals et al. 2019, doi:10.1038/s41586-019-1724-z) with the
        weighting f_hard(x) = (1 - x)^p, p = 2. It applies to bots, too.
        """
        numbers = self.drawable
        weights = np.ones(len(numbers))
        if self.config.draw == "hard":
            weights = np.array([MIN_WEIGHT + (1 - self.win_fraction(number)) ** 2 for number in numbers])
        return weights / weights.sum()

    def add_snapshot(self, network: ActorCritic) -> None:
        """Add a copy of the network as an opponent."""
        self._put_snapshot(self.next_number, copy.deepcopy(network).requires_grad_(False))

    def _put_snapshot(self, number: int, network: ActorCritic) -> None:
        self.snapshots[number] = network
        self.players[number] = from_network(self.game, network, name=f"snapshot {number}")
        self.next_number = max(self.next_number, number + 1)

    def forget(self, playing: Iterable[int]) -> None:
        """Drop the snapshots that can no longer be drawn and are not in `playing`."""
        keep = {*self.drawable, *playing}
        for number in [n for n in self.snapshots if n not in keep]:
            del self.snapshots[number], self.players[number]
            self.results.pop(number, None)

    def state_dict(self) -> dict[str, Any]:
        """Return everything needed to continue.

        The snapshots' tensors are `snapshot.NUMBER.` and a weight's name. `snapshots` has their numbers; `next_number`
        is the next free one; `record` is [[number, wins, games], ...].
        """
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
        """Restore the state that `state_dict` returned.

        Args:
            state: from `state_dict`.
            network: a network of the same shape as the snapshots.

        Raises:
            ValueError: a tensor is missing, unknown, or of another shape or dtype.
        """
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
