"""Train MaskablePPO on Agent Avenue as in PettingZoo's tutorial, and evaluate it periodically.

The tutorial is "SB3: Action Masked PPO for Connect Four" (pettingzoo.farama.org/tutorials/sb3/connect_four). It wraps
one AEC environment in one process as a single-agent environment. A step returns the observation of the next agent and
the reward of the agent that has just moved. All settings are the library's defaults. `python -m benchmarks --train`
runs this module.
"""

import argparse
import contextlib
import json
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.callbacks import BaseCallback

from spygames import agent_avenue_v0
from spygames.core.envs.aec import GameEnv
from spygames.core.players.names import DecisionBatch, make_player
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.runs.report import WIN


class AnyAgent(gymnasium.Env[np.ndarray, int]):
    """A single-agent view of all agents of an AEC environment."""

    def __init__(self, table: GameEnv):
        self.table = table
        agent = table.possible_agents[0]
        self.observation_space = table.observation_space(agent)["observation"]  # type: ignore[index]
        self.action_space = table.action_space(agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.table.reset(seed)
        return self._seen()["observation"], {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Return the observation of the next agent, with reward, termination and truncation of the one that moved."""
        table, mover = self.table, self.table.agent_selection
        table.step(action)
        reward = table._cumulative_rewards[mover]
        return self._seen()["observation"], reward, table.terminations[mover], table.truncations[mover], {}

    def mask(self) -> np.ndarray:
        return self._seen()["action_mask"]

    def _seen(self) -> Any:
        return self.table.observe(self.table.agent_selection)


class Likeliest:
    """The model as a player that takes the most likely action."""

    name = "policy@argmax"

    def __init__(self, model: MaskablePPO):
        self.model = model

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        d = decisions
        actions, _ = self.model.predict(d.observation[d.rows], deterministic=True, action_masks=d.mask[d.rows])
        return actions


class Notes(BaseCallback):
    """Write a line of metrics.jsonl at each evaluation, as in other runs. Evaluations do not count as training time."""

    def __init__(self, file: Path, every: float, games: int):
        super().__init__()
        self.file, self.every, self.games = file, every, games
        self.seconds, self.since, self.noted = 0.0, time.monotonic(), 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        taken = time.monotonic() - self.since
        if taken >= self.every:
            self.seconds += taken
            game = self.game
            (result,) = evaluate(game, Likeliest(self.model), [make_player(game, "greedy")], self.games, seed=0)  # type: ignore[arg-type]
            row = {
                "decisions": self.num_timesteps,
                "seconds": self.seconds,
                "decisions_per_second": (self.num_timesteps - self.noted) / taken,
                WIN + "greedy": result.win_share,
            }
            with open(self.file, "a") as file:
                file.write(json.dumps(row) + "\n")
            self.noted, self.since = self.num_timesteps, time.monotonic()

    game = agent_avenue_v0.make_game()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for metrics.jsonl")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two evaluations (default 10)")
    parser.add_argument("--games", type=int, default=2000, help="games of an evaluation (default 2000)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    env = ActionMasker(AnyAgent(GameEnv(Notes.game)), lambda env: env.unwrapped.mask())  # type: ignore[attr-defined]
    model = MaskablePPO("MlpPolicy", env, seed=args.seed)
    notes: Any = Notes(args.out / "metrics.jsonl", args.every, args.games)
    with contextlib.suppress(KeyboardInterrupt):
        model.learn(10**12, notes, log_interval=10**9)


if __name__ == "__main__":
    main()
