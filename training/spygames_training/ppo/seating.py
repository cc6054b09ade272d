"""The seats that opponents play in the games of one rollout, and the learner's results against them."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from spygames.core.game.game import Game
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import Player
from spygames_training.agents.policy import PolicyPlayer
from spygames_training.evaluation.evaluation import won
from spygames_training.files.state_dicts import set_rng
from spygames_training.ppo.league import League


def is_network(player: Player) -> bool:
    """Whether a player is a network without a search, or a mixture of such players."""
    if isinstance(player, MixturePlayer):
        return all(map(is_network, player.members))
    return isinstance(player, PolicyPlayer)


class OpponentSeats:
    """The seats of one rollout that opponents play.

    In each of the rollout's first games one side learns (a seat, or a team where seats play in teams). Every other side
    is played by a frozen opponent, or by the network while there are no opponents. Opponents are drawn when a game
    starts and keep their seats until it ends.

    Args:
        game: the game.
        controller: int64 [games, P], the seating of the games with opponents, which are the first ones; written.
        seed: of the draws.
    """

    def __init__(self, game: Game, controller: np.ndarray, seed: Sequence[int]):
        self.game, self.games = game, len(controller)
        self.rng = np.random.default_rng(seed)
        self.controller = controller
        """The player of each seat: 0 for the network, else an opponent's number in the league."""
        self.players: Mapping[int, Player] = {}
        self.drawable: Sequence[int] = ()
        self.chances = np.zeros(0)
        self.results: dict[int, np.ndarray] = {}
        """The learner's results against each opponent, [wins, games], until `pop_results`."""

    def join(self, league: League) -> None:
        """Draw opponents from `league` in games that start from now on. Running games keep their opponents."""
        first = not self.drawable
        self.rejoin(league)
        if first:
            self._draw(np.arange(self.games))

    def rejoin(self, league: League) -> None:
        """As `join`, for resumed games, which already have their opponents."""
        # Copies, because a search has buffers of its own, which two workers must not write at the same time.
        self.players = {k: self.players.get(k) or copy.deepcopy(player) for k, player in league.players.items()}
        self.drawable, self.chances = league.drawable, league.chances

    def frozen(self, seats: np.ndarray) -> np.ndarray:
        """Return whether an opponent plays the seat to move in each game, bool [n]; `seats`: int8 [n]."""
        frozen = np.zeros(len(seats), np.bool_)
        if self.games:
            frozen[: self.games] = self.controller[np.arange(self.games), seats[: self.games]] > 0
        return frozen

    def has_bots(self) -> np.ndarray:
        """Return whether an opponent that is not a network (`is_network`), such as a scripted bot, plays in each game,
        bool [games]."""
        bots = np.zeros(max(self.players, default=0) + 1, np.bool_)
        for number, player in self.players.items():
            bots[number] = not is_network(player)
        return np.any(bots[self.controller], axis=1)

    def end_games(self, done: np.ndarray, rewards: np.ndarray) -> None:
        """Record the results of games that have just ended and draw opponents for the next ones.

        Args:
            done: bool [n].
            rewards: float32 [n, P], of the games' last step.
        """
        if not self.games:
            return
        ended = np.flatnonzero(done[: self.games])
        self._count(ended, rewards)
        self._draw(ended)

    def pop_results(self) -> dict[int, np.ndarray]:
        """Return the learner's results against each opponent since the last call: {number: float64 [wins, games]}."""
        results, self.results = self.results, {}
        return results

    def state_dict(self) -> dict[str, Any]:
        """Return `controller` and the state of `rng`."""
        return {"controller": torch.from_numpy(self.controller), "rng": self.rng.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any], opponents: Iterable[int]) -> None:
        """Restore the state that `state_dict` returned.

        Raises:
            ValueError: a seat has a player that is not in `opponents`, a game has no learning seat, or the state of
                `rng` is invalid.
        """
        controller = state["controller"].numpy()
        if unknown := set(controller.flat) - {0, *opponents}:
            raise ValueError(f"a seat is played by opponent {min(unknown)}, which does not exist")
        if not (controller == 0).any(axis=1).all():
            raise ValueError("a game has no learning seat")
        set_rng(self.rng, state["rng"])
        self.controller[...] = controller

    def _count(self, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Record the winners of games that have just ended."""
        who = self.controller[rows]
        learner = (who == 0).argmax(axis=1)
        wins = won(rewards[rows, learner], self.game.num_sides)
        for k in np.unique(who[who > 0]).tolist():
            against = (who == k).any(axis=1)
            self.results[k] = self.results.get(k, np.zeros(2)) + np.array([wins[against].sum(), against.sum()])

    def _draw(self, rows: np.ndarray) -> None:
        """Draw the seating of games that have just started."""
        if self.drawable and len(rows):
            sides = self.game.num_sides
            drawn = self.rng.choice(self.drawable, (len(rows), sides), p=self.chances)
            drawn[np.arange(len(rows)), self.rng.integers(sides, size=len(rows))] = 0
            self.controller[rows] = drawn[:, self.game.side_of]
