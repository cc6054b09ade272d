"""Who else sits at the tables while a network learns: scripted bots and earlier selves."""

import copy
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from spygames.core.game import Game
from spygames.core.players import Player, make_player
from spygames_training.config import Opponents
from spygames_training.network import ActorCritic
from spygames_training.policy import from_network

FADE = 0.95
"""An update: what older games count for in the share won against an opponent."""
LEAST = 0.05
"""Chance, before it is made one of a sum of 1, of an opponent that is always beaten."""


def named_players(game: Game, names: Sequence[str], setting: str) -> list[Player]:
    """The players that a setting names; ValueError names the setting."""
    try:
        return [make_player(game, name) for name in names]
    except ValueError as error:
        raise ValueError(f"{setting}: {error}") from error


class Pool:
    """The opponents, each with a number of its own: 1 and up, never used again, so that a game goes on against whom it
    began with, also after the pool has replaced that one."""

    def __init__(self, game: Game, config: Opponents):
        self.game, self.config = game, config
        self.bots = dict(enumerate(named_players(game, config.bots, "opponents.bots"), 1))
        self.snapshots: dict[int, ActorCritic] = {}
        """Earlier selves by number, the oldest first; those no longer drawn but still in a game included."""
        self.next_number = len(self.bots) + 1
        self.players: dict[int, Player] = dict(self.bots)
        self.record: dict[int, list[float]] = {}
        """Games that the learner has won of late, and played, against each: [wins, games], older ones fading."""

    @property
    def drawable(self) -> list[int]:
        """The numbers of those who can be drawn for a new game."""
        recent = list(self.snapshots)[-self.config.snapshots :] if self.config.snapshots else []
        return [*self.bots, *recent]

    def take(self, results: Iterable[Mapping[int, np.ndarray]]) -> None:
        """Adds to the record what each worker's learner has won: {number: [wins, games]}, since the last time."""
        for entry in self.record.values():
            entry[0] *= FADE
            entry[1] *= FADE
        for worker in results:
            for number, (wins, games) in worker.items():
                entry = self.record.setdefault(number, [0.0, 0.0])
                entry[0] += float(wins)
                entry[1] += float(games)

    def share_won(self, number: int) -> float:
        """Of late, against this opponent, 0 to 1; begins at what is fair."""
        wins, games = self.record.get(number, (0.0, 0.0))
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
            weights = np.array([LEAST + (1 - self.share_won(number)) ** 2 for number in numbers])
        return weights / weights.sum()

    def add_snapshot(self, network: ActorCritic) -> None:
        """Keeps a copy of the network as an opponent."""
        self.put_snapshot(self.next_number, copy.deepcopy(network).requires_grad_(False))

    def put_snapshot(self, number: int, network: ActorCritic) -> None:
        """Puts an earlier self in its place, under its number."""
        self.snapshots[number] = network
        self.players[number] = from_network(self.game, network, name=f"snapshot {number}")
        self.next_number = max(self.next_number, number + 1)

    def forget(self, playing: Iterable[int]) -> None:
        """Drops the snapshots that can no longer be drawn and are not `playing`."""
        keep = {*self.drawable, *playing}
        for number in [n for n in self.snapshots if n not in keep]:
            del self.snapshots[number], self.players[number]
            self.record.pop(number, None)
