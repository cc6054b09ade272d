"""Play with the installed package alone; `make test-wheels` runs this in an empty environment and folder."""

import importlib.metadata
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo

import spygames
from spygames import SingleEnv
from spygames.core.compiling.digest import code_digest
from spygames.core.game.registry import game_ids
from spygames.core.players.released import released_agents
from spygames_training import evaluate

assert Path(spygames.__file__).is_relative_to(sys.prefix), spygames.__file__
unwanted = {"torch", "pytest", "scipy", "rich"}
assert not {name for name in unwanted if importlib.util.find_spec(name)}, "the environment is not empty"
assert set(game_ids()) >= {"agent_avenue_v0", "heimlich_v0", "agent_dog_v0"}
for game_id in game_ids():
    env = pettingzoo.make("aec", f"spygames/{game_id.replace('_v', '-v')}")
    env.reset(seed=1)
    rng, decisions = np.random.default_rng(1), 0
    for _ in env.agent_iter(100):
        observation, _, over, cut_off, _ = env.last()
        assert observation is not None
        done = over or cut_off
        env.step(None if done else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        decisions += not done
    print(f"{game_id}: {decisions} decisions of one game played")
    assert decisions > 5
    if importlib.util.find_spec("spygames.testing") and game_id == "agent_avenue_v0":
        from spygames.testing import check_game  # type: ignore[import-not-found]

        check_game(spygames.make_game(game_id))
        print(f"{game_id}: the contract holds")
many = gymnasium.make_vec("spygames:spygames/AgentAvenue-v0", num_envs=8, opponents="best")
_, infos = many.reset(seed=1)
for _ in range(50):
    observations, _, _, _, infos = many.step(infos["action_mask"].argmax(axis=1))
    assert observations.shape[0] == 8
print("a vector of environments steps, with the best agent as opponent")
described = importlib.metadata.metadata("spygames")["Description"]
assert "Unofficial:" in described
blocks = re.findall(r"^```python\n(.*?)^```", described, re.DOTALL | re.MULTILINE)
assert blocks, "the package description has no example"
for block in blocks:
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
print("the code of the description runs, and it says that the package is unofficial")
for game_id in game_ids():
    game = spygames.make_game(game_id)
    known = [game.apply, game.legal, *(game.bots[name] for name in sorted(game.bots))]
    print(f"{game_id} is known by {code_digest(*known, libraries=False)}")
agents = released_agents()
assert agents
for agent in agents:
    assert agent.checked_folder().is_relative_to(sys.prefix)
    game = spygames.make_game(agent.game_id, **agent.options)
    names = [f"{agent.name}@{play}" for play in ("argmax", "sample", "0.5")]
    one = SingleEnv(game, opponents=[names[seat % 3] for seat in range(1, game.num_players)], seat=0)
    _, info = one.reset(seed=1)
    for _ in range(20):
        _, _, terminated, truncated, info = one.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            _, info = one.reset()
print(f"{len(agents)} released agents are whole and play without torch")
(result,) = evaluate(spygames.make_game("agent_avenue_v0"), "best", "random", games=40, seed=1)
assert result.win_share > 0.7, result
print("players are measured without torch")
command = subprocess.run([sys.executable, "-m", "spygames_app"], capture_output=True, text=True, check=False)
assert command.returncode == 2
assert command.stderr.startswith("spygames: the command needs tyro: pip install 'spygames[cli]'")
assert command.stderr.count("\n") == 1
print("without the extra the command says in one line what it needs")
