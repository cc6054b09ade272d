"""Playing: every seat of many games by one network, recorded for learning."""

import copy
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from spygames.core.batch import Batch
from spygames.core.game import Game
from spygames.core.players import DecisionBatch, Player, answers
from spygames_training.compute import Compute, to_numpy
from spygames_training.config import PPO
from spygames_training.evaluation import won
from spygames_training.gae import per_seat_gae
from spygames_training.network import ActorCritic
from spygames_training.league import Pool
from spygames_training.sampling import sample_rows


class Rollout:
    """`n` games played by one network in all seats, `steps` decisions each between two updates.

    On a share of the tables one side learns (a seat, or a team where seats play in teams) and each other side is played
    by a frozen opponent (or by the network, if there are none yet), drawn when the game starts and never changed in it.

    After `play`, the arrays [T, n, ...] hold what happened: observation (float32 [T + 1, n, F]), mask (int8 [T + 1, n,
    A]), actions (int64), log_probabilities, values (float32), seats (int8), rewards (float32 [T, n, P]), done (bool),
    advantages (float32) and valid (bool: the decision was the network's own, and its outcome is known).
    """

    def __init__(self, game: Game, n: int, steps: int, seed: int, share: float = 0.0, memory: int = 0):
        self.game, self.n, self.steps = game, n, steps
        features, actions, players = game.num_features, game.num_actions, game.num_players
        self.observation = np.zeros((steps + 1, n, features), np.float32)
        self.mask = np.zeros((steps + 1, n, actions), np.int8)
        self.actions = np.zeros((steps, n), np.int64)
        self.log_probabilities = np.zeros((steps, n), np.float32)
        self.values = np.zeros((steps, n), np.float32)
        self.seats = np.zeros((steps, n), np.int8)
        self.rewards = np.zeros((steps, n, players), np.float32)
        self.done = np.zeros((steps, n), np.bool_)
        self.frozen = np.zeros((steps, n), np.bool_)
        self.advantages = np.zeros((steps, n), np.float32)
        self.valid = np.zeros((steps, n), np.bool_)
        self.batch = Batch(game, n, seed, threads=1, observation=self.observation[-1], mask=self.mask[-1])
        self.luck = np.random.default_rng([seed, 1]).integers(2**64, size=(n, 1), dtype=np.uint64)
        self.rng = np.random.default_rng([seed, 2])
        self.tables = round(share * n)
        if share and not self.tables:
            raise ValueError(f"opponents.share {share:g} of a worker's {n} games is no table: at least {0.51 / n:.2g}")
        self.controller = np.zeros((self.tables, players), np.int64)
        """Who plays which seat on the first tables: 0 the network, else an opponent's number in the pool."""
        self.views: torch.Tensor | None = None
        """What all seats could see at each decision, [T, n, P * F] in the type that the network computes in, once a
        critic that sees it has played."""
        self._views = np.zeros((0, players, features), np.float32)
        self.memory = np.zeros((n, players, memory), np.float32)
        """What the player of each seat remembers of its game."""
        self.memory_before = self.memory.copy()
        """The same before the first of the `steps` decisions."""
        self.players: Mapping[int, Player] = {}
        self.drawable: Sequence[int] = ()
        self.chances = np.zeros(0)
        self.results: dict[int, np.ndarray] = {}
        """What the learner has won at tables against each opponent, [wins, games], until `pop_results`."""
        self._rows = np.arange(n)
        self._legal = np.zeros(actions, np.int64)
        self._scratch = np.zeros((4, players), np.float32)

    def play(self, network: ActorCritic, ppo: PPO) -> None:
        """Fills the arrays with the next `steps` decisions of every game."""
        self.observation[0], self.mask[0] = self.observation[-1], self.mask[-1]
        self.memory_before[...] = self.memory
        batch, compute = self.batch, Compute.of(network, ppo.precision)
        if network.sees_all and self.views is None:
            game = self.game
            size = game.num_players * game.num_features
            self.views = torch.empty(self.steps, self.n, size, dtype=compute.dtype)
            self._views = np.zeros((self.n, game.num_players, game.num_features), np.float32)
        for t in range(self.steps):
            self.seats[t] = batch.seats
            with torch.inference_mode(), compute.autocast():
                logits, values = self._ask(network, t, compute.device)
            self.values[t] = to_numpy(values)
            sample_rows(
                to_numpy(logits),
                self.mask[t],
                self.luck,
                self._rows,
                1.0,
                self.actions[t],
                self.log_probabilities[t],
                self._legal,
            )
            if self.tables:
                self._ask_opponents(t)
            batch.write_to(self.observation[t + 1], self.mask[t + 1])
            batch.step(self.actions[t])
            np.multiply(batch.rewards, ppo.reward_scale, out=self.rewards[t])
            self.done[t] = batch.done
            self.memory[batch.done] = 0
            if self.tables:
                ended = np.flatnonzero(batch.done[: self.tables])
                self._count_results(ended)
                self._draw_opponents(ended)
        rewards, seats = self.rewards, self.seats
        if ppo.credit == "table":  # as if one player made all decisions
            rewards = np.take_along_axis(rewards, seats[..., None].astype(np.int64), axis=2)
            seats = np.zeros_like(seats)
        per_seat_gae(
            rewards,
            self.done,
            seats,
            self.values,
            ppo.gamma,
            ppo.lam,
            self._scratch,
            self.advantages,
            self.valid,
        )
        self.valid &= ~self.frozen

    def _ask(self, network: ActorCritic, t: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
        """The network's answer in all games, also where an opponent's will count; it remembers what is its own only."""
        observation, views = torch.from_numpy(self.observation[t]).to(device), self._look_round(t)
        views = None if views is None else views.to(device)
        size = network.memory_size
        if not size:
            return network(observation, views)
        who = self._rows, self.seats[t], slice(size)
        features, after = network.step(observation, torch.from_numpy(self.memory[who]).to(device))
        own = np.ones(self.n, np.bool_)
        own[: self.tables] = self.controller[self._rows[: self.tables], self.seats[t, : self.tables]] == 0
        self.memory[self._rows[own], self.seats[t, own], :size] = to_numpy(after)[own]
        return network.heads(features, views)

    def _look_round(self, t: int) -> torch.Tensor | None:
        """The views of all seats, [n, P * F], kept for learning; None if the critic does not see them."""
        if self.views is None:
            return None
        self.batch.observe_all(self._views)
        self.views[t] = torch.from_numpy(self._views).flatten(1)
        return self.views[t]

    def seat_opponents(self, pool: Pool) -> None:
        """From now on games that begin draw their opponents from `pool`; the others keep theirs."""
        first = not self.drawable
        self.seat_again(pool)
        if first:
            self._draw_opponents(np.arange(self.tables))

    def seat_again(self, pool: Pool) -> None:
        """The same for games taken up again, which have their opponents already."""
        # Copies, because a search has memory of its own, which two workers must not write at once.
        self.players = {k: self.players.get(k) or copy.deepcopy(player) for k, player in pool.players.items()}
        self.drawable, self.chances = pool.drawable, pool.chances

    def pop_results(self) -> dict[int, np.ndarray]:
        """What the learner has won against each opponent since the last time: {number: float64 [wins, games]}."""
        results, self.results = self.results, {}
        return results

    def _count_results(self, tables: np.ndarray) -> None:
        """Notes who won in games that have just ended."""
        who = self.controller[tables]
        learner = (who == 0).argmax(axis=1)
        wins = won(self.batch.rewards[tables, learner], self.game.num_sides)
        for k in np.unique(who[who > 0]).tolist():
            rows = (who == k).any(axis=1)
            self.results[k] = self.results.get(k, np.zeros(2)) + np.array([wins[rows].sum(), rows.sum()])

    def _draw_opponents(self, tables: np.ndarray) -> None:
        """Draws who plays which seat in games that have just begun."""
        if self.drawable and len(tables):
            sides = self.game.num_sides
            drawn = self.rng.choice(self.drawable, (len(tables), sides), p=self.chances)
            drawn[np.arange(len(tables)), self.rng.integers(sides, size=len(tables))] = 0
            self.controller[tables] = drawn[:, self.game.side_of]

    def _ask_opponents(self, t: int) -> None:
        """Puts the frozen opponents' actions in the place of the network's."""
        tables = np.arange(self.tables)
        who = self.controller[tables, self.seats[t, : self.tables]]
        self.frozen[t, : self.tables] = who > 0
        for k in np.unique(who[who > 0]):
            rows = np.flatnonzero(who == k)
            self.actions[t, rows] = answers(
                self.players[int(k)],
                DecisionBatch(
                    self.game,
                    self.batch.states,
                    self.batch.views,
                    self.observation[t],
                    self.mask[t],
                    self.luck,
                    rows,
                    self.memory,
                ),
            )
