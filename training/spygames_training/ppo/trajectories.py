"""Trajectories: the recorded decisions of a rollout.

Letters: T steps, n games, F features of a view, A actions, P seats, Q questions, M floats of memory.
"""

import numpy as np
import torch

from spygames.core.game.game import Game
from spygames_training.config import PPO
from spygames_training.networks.device import Compute
from spygames_training.ppo.gae import Estimates, Played, per_seat_gae


class Trajectories:
    """T successive decisions of each of n games, in arrays [T, n, ...].

    Attributes:
        observation: float32 [T + 1, n, F]; the last one precedes the next T decisions.
        mask: int8 [T + 1, n, A]; the last one precedes the next T decisions.
        actions: int64.
        log_probabilities: float32, of the actions, under the network at the temperature at which it played.
        temperatures: float32, the temperature at which the network played.
        with_bots: bool, whether the game has an opponent that is not a network.
        values: float32, the critic's value for the seat that decided.
        seats: int8, the seat that decided.
        rewards: float32 [T, n, P], paid after the decision, times `PPO.reward_scale`.
        done: bool, whether the game ended with the decision.
        frozen: bool, whether an opponent decided.
        advantages: float32.
        valid: bool, whether the decision was the network's own and its outcome is known.
        seen: the first T observations, [T, n, F], on the network's device and in its dtype. They spare learning another
            transfer. None while `observation` itself can be used.
        views: the views of all seats before each decision, [T, n, P * F], on the same device and in the same dtype.
            None until a critic that sees all has played.
        answers: int8 [T, n, Q], the true answers to the game's questions for the seat that decided. None until a
            network that learns them has played.
        memory_before: float32 [n, P, M], the memory of each seat before the first decision.
    """

    def __init__(self, game: Game, n: int, steps: int, memory: int = 0):
        features, actions, players = game.num_features, game.num_actions, game.num_players
        self.observation = np.zeros((steps + 1, n, features), np.float32)
        self.mask = np.zeros((steps + 1, n, actions), np.int8)
        self.actions = np.zeros((steps, n), np.int64)
        self.log_probabilities = np.zeros((steps, n), np.float32)
        self.temperatures = np.ones((steps, n), np.float32)
        self.with_bots = np.zeros((steps, n), np.bool_)
        self.values = np.zeros((steps, n), np.float32)
        self.seats = np.zeros((steps, n), np.int8)
        self.rewards = np.zeros((steps, n, players), np.float32)
        self.done = np.zeros((steps, n), np.bool_)
        self.frozen = np.zeros((steps, n), np.bool_)
        self.advantages = np.zeros((steps, n), np.float32)
        self.valid = np.zeros((steps, n), np.bool_)
        self.seen: torch.Tensor | None = None
        self.views: torch.Tensor | None = None
        self.answers: np.ndarray | None = None
        self.memory_before = np.zeros((n, players, memory), np.float32)
        self._scratch = np.zeros((4, players), np.float32)

    def begin(self, memory: np.ndarray) -> None:
        """Start a new window at the last observation. `memory`: [n, P, M], the current memory."""
        self.observation[0], self.mask[0] = self.observation[-1], self.mask[-1]
        self.memory_before[...] = memory

    def keep(self, compute: Compute, all_views: bool) -> None:
        """Allocate buffers for the network's inputs: its observations, and the views of all seats if its critic sees
        them."""
        steps, n, players = self.rewards.shape
        features = self.observation.shape[2]
        if self.seen is None and not compute.is_here:
            self.seen = torch.empty(steps, n, features, dtype=compute.dtype, device=compute.device)
        if self.views is None and all_views:
            self.views = torch.empty(steps, n, players * features, dtype=compute.dtype, device=compute.device)

    def show(self, step: int) -> torch.Tensor:
        """Return the network's observations at a step, [n, F], on its device; they are kept there."""
        observation = torch.from_numpy(self.observation[step])
        return observation if self.seen is None else self.seen[step].copy_(observation)

    @property
    def shown(self) -> torch.Tensor:
        """All observations of the network, [T * n, F], on its device. On the CPU they share the memory of
        `observation`."""
        seen = torch.from_numpy(self.observation[:-1]) if self.seen is None else self.seen
        return seen.flatten(0, 1)

    def keep_answers(self, questions: int) -> None:
        """Allocate a buffer for the answers to `questions` questions per decision."""
        if self.answers is None:
            self.answers = np.zeros((*self.actions.shape, questions), np.int8)

    def estimate_advantages(self, ppo: PPO) -> None:
        """Fill in `advantages` and `valid`, once all decisions are recorded."""
        rewards, seats = self.rewards, self.seats
        if ppo.credit == "table":  # as if one player made all decisions
            rewards = np.take_along_axis(rewards, seats[..., None].astype(np.int64), axis=2)
            seats = np.zeros_like(seats)
        played = Played(rewards, self.done, seats, self.values)
        per_seat_gae(played, ppo.gamma, ppo.lam, Estimates(self.advantages, self.valid), self._scratch)
        self.valid &= ~self.frozen

    def by_seat(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Order decisions so that those of one seat in one game follow each other.

        Args:
            places: int64 [N], indices into [T * n].

        Returns:
            The ordered indices, and int64 [3, N]: row, seat, and the number of games of the row that had ended before.
        """
        step, row = np.divmod(places, self.actions.shape[1])
        seat = self.seats[step, row].astype(np.int64)
        number = (np.cumsum(self.done, axis=0) - self.done)[step, row]
        order = np.lexsort((step, number, seat, row))
        return places[order], np.stack([row, seat, number])[:, order]
