# These libraries are of an extra that is not installed where types are checked:
# pyright: reportMissingImports=false
"""The games for RLlib (Ray; extra `rllib`): its new API stack, all seats, action masks, self-play, frozen opponents.

    algorithm = ppo_config("agent_avenue_v0").build_algo()
    for _ in range(100):
        algorithm.train()
    save_checkpoint("runs/rllib/checkpoint", game, to_actor_critic(algorithm), step=decisions_of(algorithm))

`ppo_config` is a PPO of RLlib that is ready to build. Its parts are RLlib's own or one of these:

- `RLlibEnv`: a game as a MultiAgentEnv in which one agent acts at a time.
- `MaskedActorCritic`: this package's network as an RLModule that never samples illegal actions.
- `Seating`: assigns modules to seats. The learner plays all seats or, in a share of the games, one seat against frozen
  opponents.
- `FreezeOpponents`: periodically copies the learner's weights to the oldest frozen opponent.

RLlib keeps a trajectory for each agent of an episode, so a seat's reward reaches its own decisions.
"""

import copy
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Dict, Discrete
from torch import Tensor

from spygames import GameEnv, make_game
from spygames.authoring import whole
from spygames_training import ActorCritic

try:
    from ray.rllib.algorithms.algorithm import Algorithm
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import ValueFunctionAPI
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME
except ImportError as error:
    what = "spygames_training.bridges.rllib needs RLlib: pip install 'spygames[rllib]' (in a clone: '.[rllib]')"
    raise ImportError(f"{what}. {error}", name=error.name) from error

__all__ = [
    "FreezeOpponents",
    "MaskedActorCritic",
    "RLlibEnv",
    "Seating",
    "decisions_of",
    "ppo_config",
    "to_actor_critic",
]

LEARNER = "learner"
"""The module that learns."""


def frozen(number: int) -> str:
    """Return the module id of a frozen opponent, numbered from 0."""
    return f"frozen_{number}"


class RLlibEnv(MultiAgentEnv):
    """A game as an RLlib environment; the agents are `player_0`, `player_1`, ..., and one acts at a time.

    Example:
        >>> from spygames_training.bridges.rllib import RLlibEnv
        >>> env = RLlibEnv({"game": "agent_avenue_v0", "options": {"players": 3}})
        >>> seen, infos = env.reset(seed=1)
        >>> [(agent, sorted(parts)) for agent, parts in seen.items()]
        [('player_0', ['action_mask', 'observations'])]

    Observation: `{"observations": float32 [F], "action_mask": int8 [A]}` of the agent to act next. At the end of a game
    all agents get one, with a mask of ones. Action: 0..A-1; an illegal one raises IllegalAction. Rewards are paid once,
    at the end: the result of each seat.

    Args:
        config: `game`, such as `agent_avenue_v0`, and its `options`.
    """

    def __init__(self, config: Mapping[str, Any]):
        super().__init__()
        if "game" not in config or not set(config) <= {"game", "options"}:
            raise ValueError(f"the config must have game and options, not {[*config]!r:.100}")
        self.env = GameEnv(make_game(config["game"], **config.get("options", {})))
        game = self.env.game
        self.agents = self.possible_agents = list(self.env.possible_agents)
        spaces = Dict(observations=Box(*game.feature_ranges()), action_mask=Box(0, 1, (game.num_actions,), np.int8))
        self.observation_spaces = dict.fromkeys(self.possible_agents, spaces)
        self.action_spaces = dict.fromkeys(self.possible_agents, Discrete(game.num_actions))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game: from `seed`, or from the random stream after the last game.

        `options={"state": ...}` begins from a position, as in `GameEnv.reset`.
        """
        self.env.reset(seed=seed, options=options)
        return self._seen(self.env.agent_selection), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Apply the only action in `action_dict`, of the agent to act.

        Raises:
            IllegalAction: the action is malformed or not legal. The game has not changed.
            ValueError: `action_dict` has other agents, or the game is over.
        """
        agent = self.env.agent_selection
        if not self.env.agents or self.env.terminations[agent] or self.env.truncations[agent]:
            raise ValueError("the game is over: call reset")
        if [*action_dict] != [agent]:
            raise ValueError(f"action_dict must have one action, of {agent}, not of {[*action_dict]!r:.100}")
        self.env.step(action_dict[agent])
        over, cut_off = self.env.terminations[agent], self.env.truncations[agent]
        shown = self.possible_agents if over or cut_off else [self.env.agent_selection]
        rewards = {each: float(self.env.rewards[each]) for each in shown}  # RLlib needs one with each observation
        return self._seen(*shown), rewards, {"__all__": over}, {"__all__": cut_off}, {}

    def _seen(self, *agents: str) -> dict[str, Any]:
        found = {}
        for agent in agents:
            seen = self.env.observe(agent)
            mask = seen["action_mask"]
            found[agent] = {
                "observations": seen["observation"],
                "action_mask": mask if mask.any() else np.ones_like(mask),
            }
        return found


class MaskedActorCritic(TorchRLModule, ValueFunctionAPI):
    """This package's network as an RLModule. Illegal actions have probability 0.

    `model_config["hidden"]` has the widths of the hidden layers.
    """

    def setup(self) -> None:
        """Make the network."""
        space, actions = self.observation_space["observations"], self.action_space.n
        self.network = ActorCritic(space.shape[0], int(actions), self.model_config["hidden"])

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        features = self.network.trunk(seen["observations"])
        logits = self.network.policy(features).masked_fill(seen["action_mask"] == 0, torch.finfo(torch.float32).min)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: features}

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """Return the critic's values, [k], of the seats' own views."""
        if embeddings is None:
            embeddings = self.network.trunk(batch[Columns.OBS]["observations"])
        return self.network.value(embeddings).squeeze(-1)


class Seating:
    """Map agents to modules. The draws depend on the episode's id alone.

    Args:
        players: P, the number of seats.
        opponents: number of frozen opponents.
        share: fraction of the games, 0 to 1, in which one seat learns and every other seat has a frozen opponent. In
            the other games the learner plays all seats.
    """

    def __init__(self, players: int, opponents: int, share: float):
        self.players, self.opponents, self.share = players, opponents, share

    def __call__(self, agent_id: str, episode: Any, **kwargs: Any) -> str:
        """Return the module of an agent, `player_<seat>`."""
        rng = random.Random(episode.id_)
        if rng.random() >= self.share:
            return LEARNER
        seats = [frozen(rng.randrange(self.opponents)) for _ in range(self.players)]
        seats[rng.randrange(self.players)] = LEARNER
        return seats[int(agent_id.removeprefix("player_"))]


class FreezeOpponents(RLlibCallback):
    """Callback: after every `every` calls of `train`, the oldest frozen opponent becomes a copy of the learner."""

    def __init__(self, opponents: int, every: int):
        super().__init__()
        self.opponents, self.every = opponents, every

    def on_train_result(self, *, algorithm: Algorithm, **kwargs: Any) -> None:
        """Freeze the learner after a call of `train`, if it is due."""
        if self.opponents and algorithm.iteration % self.every == 0:
            copy_learner(algorithm, frozen(algorithm.iteration // self.every % self.opponents))


def copy_learner(algorithm: Algorithm, module_id: str) -> None:
    """Copy the learner's weights to a frozen opponent, in the learner group and in all env runners."""
    weights = {module_id: algorithm.get_module(LEARNER).get_state()}
    assert algorithm.learner_group is not None
    assert algorithm.env_runner_group is not None
    algorithm.learner_group.set_state({COMPONENT_LEARNER: {COMPONENT_RL_MODULE: weights}})
    algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state({COMPONENT_RL_MODULE: weights}))


def ppo_config(
    game_id: str,
    options: Mapping[str, Any] | None = None,
    *,
    hidden: tuple[int, ...] = (128, 128),
    opponents: int = 3,
    share: float = 0.2,
    freeze_every: int = 10,
) -> PPOConfig:
    """Configure RLlib's PPO to learn all seats of a game by self-play. Change the config as usual before building it.

    Example:
        >>> from spygames_training.bridges.rllib import ppo_config
        >>> algorithm = ppo_config("agent_avenue_v0").build_algo()  # doctest: +SKIP
        >>> algorithm.train()  # doctest: +SKIP

    Args:
        game_id: such as `agent_avenue_v0`, or a module that has a `make_game`.
        options: of the game.
        hidden: widths of the hidden layers.
        opponents: number of frozen opponents; they begin as random networks.
        share: fraction of the games that are played against them, 0 to 1.
        freeze_every: number of calls of `train` after which one of them becomes a copy of the learner.

    Raises:
        ValueError: an unknown game or option, or a number out of range.
    """
    opponents, freeze_every = whole("opponents", opponents, 0), whole("freeze_every", freeze_every, 1)
    if not isinstance(share, int | float | np.number) or not 0 <= share <= 1 or (share and not opponents):
        raise ValueError(f"share must be between 0 and 1, and 0 without opponents, not {share!r:.100}")
    if not isinstance(hidden, Sequence) or isinstance(hidden, str):
        raise ValueError(f"hidden must be widths such as (128, 128), not {hidden!r:.100}")
    share, hidden = float(share), tuple(whole("hidden", width, 1) for width in hidden)
    game = make_game(game_id, **(options or {}))
    names = [LEARNER, *map(frozen, range(opponents))]
    spec = RLModuleSpec(module_class=MaskedActorCritic, model_config={"hidden": hidden})
    return (
        PPOConfig()
        .environment(
            RLlibEnv,
            env_config={"game": game_id, "options": dict(options or {})},
            disable_env_checking=True,  # the check samples actions without the mask
        )
        .framework("torch")
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=32,
            batch_mode="complete_episodes",  # results are paid at the end, and games are short
        )
        .multi_agent(
            policies=set(names),
            policy_mapping_fn=Seating(game.num_players, opponents, share),
            policies_to_train=[LEARNER],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={name: copy.deepcopy(spec) for name in names}))
        .callbacks(lambda: FreezeOpponents(opponents, freeze_every))
        .training(
            gamma=1.0,
            lambda_=0.95,
            lr=5e-4,
            train_batch_size_per_learner=4096,
            minibatch_size=512,
            num_epochs=4,
            clip_param=0.2,
            entropy_coeff=0.05,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=0.5,
        )
    )


def to_actor_critic(algorithm: Algorithm) -> ActorCritic:
    """Copy the learner's network to the CPU, for `save_checkpoint` and `Policy`."""
    return copy.deepcopy(algorithm.get_module(LEARNER).network).cpu().eval()


def decisions_of(algorithm: Algorithm) -> int:
    """Return the number of decisions sampled in all calls of `train`, of all seats including frozen opponents."""
    return int(algorithm.metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0))
