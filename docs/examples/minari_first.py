# A dataset of Minari with games of one seat: python minari_first.py
import gymnasium
import minari

import spygames  # noqa: F401  (registers the environments)

env = minari.DataCollector(gymnasium.make("spygames/AgentAvenue-v0", opponents="greedy"), record_infos=True)
for seed in range(20):
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])  # put your policy here
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
env.create_dataset("agent_avenue/random-v0", algorithm_name="random", author="you")
dataset = minari.load_dataset("agent_avenue/random-v0")
print(dataset.total_episodes, dataset.total_steps)
