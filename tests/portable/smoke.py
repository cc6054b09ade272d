"""A user's first steps in one process: play a game, resume it, ask an agent, train a little, run commands.

`python smoke.py FILE` writes a digest of everything that must not depend on the environment. It has no guard for a main
module, because users' scripts have none.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import spygames
from spygames.core.game.registry import game_ids
from spygames.core.records.record import load_games, play_record, save_games
from spygames_app.cli import main

digest = hashlib.sha256()
for game_id in game_ids():
    game = spygames.make_game(game_id)
    record = play_record(game, ["greedy"] * game.num_players, seed=2)
    digest.update(json.dumps(record.actions).encode())
    env = getattr(spygames, game_id).env(render_mode="ansi")
    env.reset(seed=3)
    for agent in env.agent_iter(40):
        observation, *_ = env.last()
        env.step(None if env.terminations[agent] else int(np.flatnonzero(observation["action_mask"])[-1]))
    digest.update(env.render().encode())
    digest.update(env.unwrapped.to_svg().encode())
    digest.update(json.dumps(env.unwrapped.state_to_dict(), sort_keys=True).encode())
    batch = spygames.make_batch(game_id, 16, seed=5)
    batch.step(batch.mask.argmax(axis=1))
    digest.update(batch.states.tobytes())

avenue = spygames.make_game("agent_avenue_v0")
record = play_record(avenue, ["random", "random"], seed=1)
folder = tempfile.mkdtemp(prefix="spy games ")
save_games(f"{folder}/games.jsonl", [record])
if [each.actions for each in load_games(f"{folder}/games.jsonl")] != [record.actions]:
    raise SystemExit("a game was not read back")
for argv in (
    ["agents"],
    ["evaluate", "agent_avenue/simple-2", "--against", "greedy", "--games", "8", "--json", f"{folder}/x.json"],
    ["record", "greedy", "expert", "--game", "agent_avenue_v0", "--out", f"{folder}/film.jsonl"],
    [
        "train", "--decisions", "512", "--network.hidden", "16", "--ppo.games", "16", "--ppo.steps", "8",
        "--evaluate-against", "random", "--evaluate-games", "8", "--out", f"{folder}/run",
    ],
):  # fmt: skip
    if code := main(argv):
        raise SystemExit(f"{argv[0]} ended with {code}")
Path(sys.argv[1]).write_text(digest.hexdigest(), encoding="utf-8")
