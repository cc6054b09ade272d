# These libraries are of an extra that is not installed where types are checked:
# pyright: reportMissingImports=false
"""The games as a TorchRL environment (extra `torchrl`), with an actor, a critic and per-seat advantages.

    env = TorchRLEnv(make_game("agent_avenue_v0"), 256, seed=1)
    operator = actor_value_operator(network)
    collector = Collector(env, operator.get_policy_operator(), frames_per_batch=16_384, total_frames=1_000_000)
    loss = ClipPPOLoss(operator.get_policy_operator(), operator.get_value_operator(), functional=False)
    for data in collector:
        decisions = per_seat_advantage(data, operator.get_value_operator())
        ...  # minibatches of decisions, loss, optimizer: docs/torchrl.md

One policy plays all seats of `n` games at once. TorchRL has no trajectories per seat: if seats take turns, its own
estimators credit a decision with the value of the next player. The environment therefore reports the seat that decided
and the rewards of all seats, and `per_seat_advantage` estimates along each seat's own decisions.
"""

from typing import Any

import numpy as np
import torch

from spygames import NOBODY, Game, Rows
from spygames.authoring import as_seed, whole
from spygames_training import ActorCritic, Estimates, Played, per_seat_gae

try:
    from tensordict import TensorDict, TensorDictBase
    from tensordict.nn import TensorDictModule
    from torchrl.data import Binary, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
    from torchrl.modules import ActorValueOperator, MaskedCategorical, ProbabilisticActor, ValueOperator
except ImportError as error:
    what = "spygames_training.bridges.torchrl needs TorchRL: pip install 'spygames[torchrl]' (in a clone: '.[torchrl]')"
    raise ImportError(what, name="torchrl") from error

__all__ = ["TorchRLEnv", "actor_value_operator", "per_seat_advantage"]


class TorchRLEnv(EnvBase):
    """`n` games as one batched environment of batch size [n]; a step is one decision of the seat to move in each game.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training.bridges.torchrl import TorchRLEnv
        >>> env = TorchRLEnv(make_game("agent_avenue_v0"), 4, seed=1)
        >>> env.rollout(3)["next", "paid"].shape  # 4 games, 3 steps, 2 seats
        torch.Size([4, 3, 2])

    The policy writes `action`, int64 [n]. It reads:

    - `observation`, float32 [n, F]: the view of the seat to move.
    - `action_mask`, bool [n, A]: the legal actions of this seat.
    - `seat`, int64 [n]: the seat to move.

    After a step, `next` has these three for the next seat to move, and:

    - `reward`, float32 [n, 1]: the reward of the seat that decided.
    - `paid`, float32 [n, P]: the rewards of all seats.
    - `done`, `terminated` and `truncated`, bool [n, 1].

    At the end of a game `next` shows the final view of the seat that decided last. Its mask is all ones: no seat is to
    move, and a softmax over no action would be NaN. `reset`, as TorchRL calls it, begins the next game there.

    An illegal action raises IllegalAction, and no game is changed. Without a policy (`rollout`, `rand_step`) actions
    are drawn from the mask. Games that the key `_step` leaves out, as TorchRL does with those that are over, stay as
    they are.

    Args:
        game: the game to play.
        n: number of games.
        seed: 0..2^64-1, of the games until `set_seed` sets another one, which counts for each game from its next reset
            on. None: drawn from the system's entropy.
    """

    def __init__(self, game: Game, n: int, seed: int | None = None):
        n = whole("n", n, 1)
        super().__init__(device="cpu", batch_size=[n])
        self.game, self.games = game, Rows(game, n, seed)
        self._rows = np.arange(n)
        self._seats = self.games.seats.copy()
        """int8 [n], the seat that is shown: the one to move, or the one that decided last"""
        self._seeds = self.games.seeds.copy()
        """uint64 [n], the seed of the next game where `_pending` is set"""
        self._pending = np.ones(n, np.bool_)
        """bool [n], whether the seed of the next game does not follow that of the last one"""
        self.observation_spec = Composite(
            observation=Unbounded((n, game.num_features), dtype=torch.float32),
            action_mask=Binary(game.num_actions, (n, game.num_actions), dtype=torch.bool),
            seat=Categorical(game.num_players, (n,), dtype=torch.int64),
            paid=Unbounded((n, game.num_players), dtype=torch.float32),
            shape=(n,),
        )
        self.action_spec = Categorical(game.num_actions, (n,), dtype=torch.int64)
        self.reward_spec = Unbounded((n, 1), dtype=torch.float32)
        flag = Categorical(2, (n, 1), dtype=torch.bool)
        self.full_done_spec = Composite(done=flag, terminated=flag.clone(), truncated=flag.clone(), shape=(n,))

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Write legal actions, drawn uniformly by torch's generator."""
        data: Any = TensorDict({}, self.batch_size) if tensordict is None else tensordict
        mask = data.get("action_mask", None)
        if mask is None:
            mask = self._mask()
        return data.set("action", mask.float().multinomial(1).squeeze(-1))

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: object) -> TensorDictBase:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        games, rows = self.games, self._rows if chosen is None else np.flatnonzero(chosen.reshape(-1).numpy())
        first, later = rows[self._pending[rows]], rows[~self._pending[rows]]
        if len(first):
            games.begin(first, self._seeds[first])
        if len(later):
            games.begin(later)
        self._pending[rows] = False
        games.rewards[rows], games.done[rows], games.cut_off[rows] = 0, False, False
        self._seats[rows] = games.seats[rows]
        paid = torch.zeros(self.batch_size[0], self.game.num_players, dtype=torch.float32, device="cpu")
        return self._seen(paid)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        action, chosen, games = tensordict.get("action", None), tensordict.get("_step", None), self.games
        if action is None:
            raise ValueError(f"step needs `action`, int64 [{games.n}]")
        rows = self._rows if chosen is None else np.flatnonzero(chosen.reshape(-1).numpy())
        if len(over := rows[games.seats[rows] == NOBODY]):
            raise ValueError(f"game {over[0]} is over: call reset")
        decided = self._seats.copy()
        games.advance(rows, action.numpy(), decided)
        paid = torch.zeros(self.batch_size[0], self.game.num_players, dtype=torch.float32, device="cpu")
        paid[rows] = torch.from_numpy(games.rewards[rows])
        self._seats[rows] = np.where(games.done, decided, games.seats)[rows]
        reward = paid.gather(1, torch.from_numpy(decided.astype(np.int64))[:, None])
        return self._seen(paid).set("reward", reward)

    def _seen(self, paid: torch.Tensor) -> TensorDict:
        """The views, the masks and which games are over, copied, also of games that a reset or a step leaves out."""
        done, truncated = (torch.from_numpy(each.copy())[:, None] for each in (self.games.done, self.games.cut_off))
        return TensorDict(
            {
                "observation": torch.from_numpy(self.games.observation.copy()),
                "action_mask": self._mask(),
                "seat": torch.from_numpy(self._seats.astype(np.int64)),
                "paid": paid,
                "done": done,
                "terminated": done & ~truncated,
                "truncated": truncated,
            },
            self.batch_size,
        )

    def _mask(self) -> torch.Tensor:
        mask = self.games.mask != 0
        mask |= ~mask.any(axis=1, keepdims=True)  # in games that are over
        return torch.from_numpy(mask)

    def _set_seed(self, seed: int | None) -> None:
        self._seeds = Rows(self.game, self.games.n, int(as_seed(seed))).seeds
        self._pending[:] = True


def actor_value_operator(network: ActorCritic) -> ActorValueOperator:
    """Return a network of this package as TorchRL's actor and critic, with shared parameters and a shared trunk.

    The actor samples legal actions only and writes their log-probability. The parameters are not copied.

    Raises:
        ValueError: the network has memory, or a critic that sees all views, which the environment does not show.
    """
    if network.memory_size or network.sees_all or not network.has_value:
        raise ValueError("network must have no memory, and a critic that sees only the seat's own view")
    logits = TensorDictModule(network.policy, ["features"], ["logits"])
    return ActorValueOperator(
        TensorDictModule(network.trunk, ["observation"], ["features"]),
        ProbabilisticActor(
            logits,
            in_keys={"logits": "logits", "mask": "action_mask"},
            out_keys=["action"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
        ),
        ValueOperator(network.value, ["features"]),
    )


@torch.no_grad()
def per_seat_advantage(
    data: TensorDictBase, value_operator: TensorDictModule, gamma: float = 1.0, lam: float = 0.95
) -> TensorDictBase:
    """Return the decisions of a collector's batch with known outcomes, with `advantage` and `value_target`.

    Each seat's own decisions form its trajectory, and a reward counts for the seat that receives it, whichever seat
    moved last (`spygames_training.per_seat_gae`; Schulman et al. 2016, arXiv 1506.02438, eq. 16). A seat's last
    decision before the batch ends in mid-game is left out.

    Args:
        data: [n, T], a collector's data from a `TorchRLEnv`; `state_value` is written.
        value_operator: the critic.
        gamma: discount between a seat's own decisions.
        lam: lambda of the estimator.

    Returns:
        The decisions, [k] with k <= n T, a copy.
    """
    value_operator(data)
    values = data["state_value"].squeeze(-1)
    in_time = [data["next", "paid"], data["next", "done"].squeeze(-1), data["seat"].to(torch.int8), values]
    played = Played(*(np.ascontiguousarray(each.transpose(0, 1).numpy()) for each in in_time))
    estimates = Estimates(np.zeros_like(played.values), np.zeros(played.values.shape, np.bool_))
    per_seat_gae(played, gamma, lam, estimates, np.zeros((4, played.rewards.shape[2]), np.float32))
    advantage = torch.from_numpy(estimates.advantages).transpose(0, 1)[..., None]
    data = data.clone(recurse=False).update({"advantage": advantage, "value_target": advantage + data["state_value"]})
    return data[torch.from_numpy(estimates.valid).transpose(0, 1)].exclude("next", "features", "logits", "state_value")
