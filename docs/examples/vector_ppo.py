"""PPO on a vector environment with action masks: `python vector_ppo.py [NextStep | SameStep]`.

The learner has one seat, at random, in each of 256 games against `greedy`. The algorithm is PPO (arXiv 1707.06347)
with generalized advantage estimation (arXiv 1506.02438), written in one file in the style of CleanRL.
"""

import sys

import gymnasium
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import spygames  # noqa: F401  # registers the environments

GAME, OPPONENT = "spygames/AgentAvenue-v0", "greedy"
ENVS, STEPS, UPDATES, EPOCHS, MINIBATCH = 256, 32, 120, 3, 2048
RATE, LAM, CLIP, ENTROPY = 1e-3, 0.95, 0.2, 0.02


class Agent(nn.Module):
    """A policy and a value with shared layers."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.policy, self.value = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        hidden = self.body(observation)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)  # an illegal action has probability 0
        return Categorical(logits=logits), self.value(hidden).squeeze(-1)


def train(autoreset: str = "NextStep", updates: int = UPDATES, seed: int = 1) -> Agent:
    torch.manual_seed(seed)
    env = gymnasium.make_vec(GAME, num_envs=ENVS, opponents=OPPONENT, autoreset_mode=autoreset)
    observations, infos = env.reset(seed=seed)
    agent = Agent(observations.shape[1], infos["action_mask"].shape[1])
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    over = np.zeros(ENVS, bool)
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = RATE * (1 - update / updates)
        steps = []
        for _ in range(STEPS):
            seen = torch.from_numpy(observations), torch.from_numpy(infos["action_mask"])
            # In the mode NextStep, the step after the end of a game only begins the next one. It is no decision.
            decides = torch.from_numpy(~over) if autoreset == "NextStep" else torch.ones(ENVS, dtype=torch.bool)
            with torch.no_grad():
                distribution, value = agent(*seen)
            action = distribution.sample()
            observations, rewards, terminated, truncated, infos = env.step(action.numpy())
            over = terminated | truncated
            result = torch.from_numpy(rewards).float(), torch.from_numpy(over)
            steps.append((*seen, action, distribution.log_prob(action), value, *result, decides))
        seen, masks, actions, old, values, rewards, ends, decides = map(torch.stack, zip(*steps, strict=True))
        with torch.no_grad():
            following = agent(torch.from_numpy(observations), torch.from_numpy(infos["action_mask"]))[1]
        advantages, later = torch.zeros_like(values), torch.zeros(ENVS)
        for t in reversed(range(STEPS)):  # games have no discount: their only reward is the result
            later = rewards[t] - values[t] + ~ends[t] * (following + LAM * later)
            advantages[t], following = later, values[t]
        batch = [x[decides] for x in (seen, masks, actions, old, advantages, advantages + values)]
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(batch[0])).split(MINIBATCH):
                seen, masks, actions, old, gain, targets = (x[rows] for x in batch)
                distribution, values = agent(seen, masks)
                ratio = (distribution.log_prob(actions) - old).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
                loss = policy_loss + 0.5 * (values - targets).square().mean() - ENTROPY * distribution.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        if (update + 1) % 20 == 0:
            won = (rewards[ends] > 0).float().mean()
            print(f"{(update + 1) * ENVS * STEPS:>9,} steps: {won:.1%} of the latest games won")
    return agent


def judge(agent: Agent, games: int = 2000, seed: int = 10_000) -> float:
    """Return the share of games that the agent's most likely actions win."""
    env = gymnasium.make_vec(GAME, num_envs=games, opponents=OPPONENT)
    observations, infos = env.reset(seed=seed)
    results = np.zeros(games)  # 0: no game of the row has been decided yet
    while not results.all():
        with torch.no_grad():
            distribution, _ = agent(torch.from_numpy(observations), torch.from_numpy(infos["action_mask"]))
        observations, rewards, *_, infos = env.step(distribution.logits.argmax(1).numpy())
        results = np.where(results == 0, rewards, results)
    return float((results > 0).mean())


if __name__ == "__main__":
    agent = train(sys.argv[1] if len(sys.argv) > 1 else "NextStep")
    print(f"{judge(agent):.1%} of 2,000 games won against {OPPONENT}; about 92 % is normal")
