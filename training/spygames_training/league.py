"""The opponents in training games: scripted bots and earlier selves, and which seats they play."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from spygames.core.batch import Batch
from spygames.core.game import Game
from spygames.core.players import DecisionBatch, Player, answers, make_player
from spygames_training.config import Opponents
from spygames_training.evaluation import won
from spygames_training.network import ActorCritic
from spygames_training.policy import from_network
from spygames_training.state_dicts import set_rng, tensor_difference, tensors_of

FADE = 0.95
"""Weight that earlier games keep at each update, in the win fraction against an opponent."""
LOWEST_WEIGHT = 0.05
"""Weight in the draw, before they are made to sum to 1, of an opponent that is always beaten."""


def named_players(game: Game, names: Sequence[str], setting: str) -> list[Player]:
    """The players that a setting names; ValueError names the setting."""
    try:
        return [make_player(game, name) for name in names]
    except ValueError as error:
        raise ValueError(f"{setting}: {error}") from error


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

    def add_results(self, results: Iterable[Mapping[int, np.ndarray]]) -> None:
        """Adds the learner's results since the last call, one mapping {number: [wins, games]} for each worker."""
        for entry in self.results.values():
            entry[0] *= FADE
            entry[1] *= FADE
        for worker in results:
            for number, (wins, games) in worker.items():
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


class OpponentSeats:
    """The seats of one rollout that opponents play: in each of its first games one side learns (a seat, or a team where
    seats play in teams), and each other side is played by a frozen opponent, or by the network if there are none yet.
    The opponents are drawn when a game starts and keep their seats until it ends.

    Args:
        game: what is played.
        games: how many of the rollout's games have opponents, the first ones.
        seed: of the draws.
    """

    def __init__(self, game: Game, games: int, seed: Sequence[int]):
        self.game, self.games = game, games
        self.rng = np.random.default_rng(seed)
        self.controller = np.zeros((games, game.num_players), np.int64)
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
        found[: self.games] = self._to_move(seats) > 0
        return found

    def act(self, batch: Batch, asked: DecisionBatch, actions: np.ndarray) -> None:
        """Replaces the network's actions, int64 [n], by those of the opponents where one is to move.

        Args:
            batch: the games.
            asked: the decisions of all games, of which each opponent is asked for its own.
            actions: written.
        """
        who = self._to_move(batch.seats)
        for k in np.unique(who[who > 0]):
            rows = np.flatnonzero(who == k)
            actions[rows] = answers(self.players[int(k)], replace(asked, rows=rows))

    def end_games(self, done: np.ndarray, rewards: np.ndarray) -> None:
        """Notes the results of games that have just ended and draws the opponents of the next ones; done: bool [n],
        rewards: float32 [n, P] of the game's last step."""
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

    def _to_move(self, seats: np.ndarray) -> np.ndarray:
        """Who plays the seat to move in each game with opponents, int64 [games]."""
        return self.controller[np.arange(self.games), seats[: self.games]]

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
