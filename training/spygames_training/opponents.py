"""Who else sits at the tables while a network learns: scripted bots and earlier selves."""

import copy
from collections.abc import Iterable

from spygames.core.game import Game
from spygames.core.players import Player, make_player
from spygames_training.config import Opponents
from spygames_training.network import ActorCritic
from spygames_training.policy import from_network


class Pool:
    """The opponents, each with a number of its own: 1 and up, never used again, so that a game goes on against whom it
    began with, also after the pool has replaced that one."""

    def __init__(self, game: Game, config: Opponents):
        self.game, self.config = game, config
        self.bots = {k: make_player(game, name) for k, name in enumerate(config.bots, 1)}
        self.snapshots: dict[int, ActorCritic] = {}
        """Earlier selves by number, the oldest first; those no longer drawn but still in a game included."""
        self.next_number = len(self.bots) + 1
        self.players: dict[int, Player] = dict(self.bots)

    @property
    def drawable(self) -> list[int]:
        """The numbers of those who can be drawn for a new game."""
        recent = list(self.snapshots)[-self.config.snapshots :] if self.config.snapshots else []
        return [*self.bots, *recent]

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
