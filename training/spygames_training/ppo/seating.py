"""Which seats opponents play in the games of one rollout, and how the learner did against them."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from spygames.core.game.game import Game
from spygames.core.players.names import Player
from spygames_training.agents.policy import PolicyPlayer
from spygames_training.evaluation.evaluation import won
from spygames_training.files.state_dicts import set_rng
from spygames_training.ppo.league import League


class OpponentSeats:
    """The seats of one rollout that opponents play: in each of its first games one side learns (a seat, or a team where
    seats play in teams), and each other side is played by a frozen opponent, or by the network if there are none yet.
    The opponents are drawn when a game starts and keep their seats until it ends.

    Args:
        game: what is played.
        controller: int64 [games, P], the seating of those of the rollout's games that have opponents, the first ones,
            which is written.
        seed: of the draws.
    """

    def __init__(self, game: Game, controller: np.ndarray, seed: Sequence[int]):
        self.game, self.games = game, len(controller)
        self.rng = np.random.default_rng(seed)
        self.controller = controller
        """Who plays which seat: 0 the network, else an opponent's number in the league."""
        self.players: Mapping[int, Player] = {}
        self.drawable: Sequence[int] = ()
        self.chances = np.zeros(0)
        self.results: dict[int, np.ndarray] = {}
        """The learner's results against each opponent, [wins, games], until `pop_results`."""

    def join(self, league: League) -> None:
        """From now on games that begin draw their opponents from `league`; the others keep theirs."""
        first = not self.drawable
        self.rejoin(league)
        if first:
            self._draw(np.arange(self.games))

    def rejoin(self, league: League) -> None:
        """As `join`, for resumed games, which have their opponents already."""
        # Copies, because a search has memory of its own, which two workers must not write at once.
        self.players = {k: self.players.get(k) or copy.deepcopy(player) for k, player in league.players.items()}
        self.drawable, self.chances = league.drawable, league.chances

    def frozen(self, seats: np.ndarray) -> np.ndarray:
        """Whether an opponent plays the seat to move in each game of the rollout, bool [n]; seats: int8 [n]."""
        found = np.zeros(len(seats), np.bool_)
        if self.games:
            found[: self.games] = self.controller[np.arange(self.games), seats[: self.games]] > 0
        return found

    def has_bots(self) -> np.ndarray:
        """Whether an opponent that is no network, such as a scripted one, plays in each game, bool [games]."""
        bots = np.zeros(max(self.players, default=0) + 1, np.bool_)
        for number, player in self.players.items():
            bots[number] = not isinstance(player, PolicyPlayer)
        return np.any(bots[self.controller], axis=1)

    def end_games(self, done: np.ndarray, rewards: np.ndarray) -> None:
        """Notes the results of games that have just ended and draws the opponents of the next ones; done: bool [n],
        rewards: float32 [n, P] of the game's last step."""
        if not self.games:
            return
        ended = np.flatnonzero(done[: self.games])
        self._count(ended, rewards)
        self._draw(ended)

    def pop_results(self) -> dict[int, np.ndarray]:
        """The learner's results against each opponent since the last call: {number: float64 [wins, games]}."""
        results, self.results = self.results, {}
        return results

    def state_dict(self) -> dict[str, Any]:
        """`controller` and the state of `rng`."""
        return {"controller": torch.from_numpy(self.controller), "rng": self.rng.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any], opponents: Iterable[int]) -> None:
        """Continues from what `state_dict` gave; ValueError if a seat is played by none of `opponents`, or nobody
        learns in a game, or the state of `rng` is that of no generator."""
        controller = state["controller"].numpy()
        if unknown := set(controller.flat) - {0, *opponents}:
            raise ValueError(f"there is no opponent {min(unknown)} who could play a seat")
        if not (controller == 0).any(axis=1).all():
            raise ValueError("nobody learns in one of its games")
        set_rng(self.rng, state["rng"])
        self.controller[...] = controller

    def _count(self, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Notes who won in games that have just ended."""
        who = self.controller[rows]
        learner = (who == 0).argmax(axis=1)
        wins = won(rewards[rows, learner], self.game.num_sides)
        for k in np.unique(who[who > 0]).tolist():
            against = (who == k).any(axis=1)
            self.results[k] = self.results.get(k, np.zeros(2)) + np.array([wins[against].sum(), against.sum()])

    def _draw(self, rows: np.ndarray) -> None:
        """Draws who plays which seat in games that have just begun."""
        if self.drawable and len(rows):
            sides = self.game.num_sides
            drawn = self.rng.choice(self.drawable, (len(rows), sides), p=self.chances)
            drawn[np.arange(len(rows)), self.rng.integers(sides, size=len(rows))] = 0
            self.controller[rows] = drawn[:, self.game.side_of]
