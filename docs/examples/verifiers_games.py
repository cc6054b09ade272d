"""Play games in verifiers from Python: python verifiers_games.py MODEL URL [TASKS]."""

import asyncio
import sys

import verifiers.v1 as vf

from spygames_verifiers import SpygamesEnvConfig


async def main(model: str, url: str, tasks: int = 4) -> None:
    """Play each task four times against `greedy`, and print the rewards of each group."""
    config = SpygamesEnvConfig(
        taskset={"id": "spygames_verifiers", "game": "agent_avenue_v0", "seed": 1},
        opponents=["greedy"],
        mode="rules",  # the legal actions are not listed
    )
    env = vf.load_environment(config)
    context = vf.ModelContext(model=model, client=vf.EvalClientConfig(base_url=url, api_key_var="SPYGAMES_LLM_KEY"))
    async with env.serving():
        for task in env.taskset.take(tasks):
            group = await asyncio.gather(*(env.run_slot(slot, context) for slot in env.slots(task, 4)))
            traces = [episode.traces[0] for episode in group if episode.ok]
            lost = sum(trace.metrics["forfeit"] for trace in traces)
            print(f"{task.data.name}: rewards {[trace.reward for trace in traces]}, {lost:.0f} forfeits")


asyncio.run(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
