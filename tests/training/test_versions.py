"""What earlier versions saved is read as what it was, or refused with one line."""

import json
import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import spygames
from spygames.core.digest import content
from spygames.core.padding import to_fields, without_padding
from spygames.core.players import make_player
from spygames.core.record import load_games, replay
from spygames_training.checkpoint import load_checkpoint
from spygames_training.evaluation import evaluate
from spygames_training.run import Run
from spygames_training.run_files import resume_config

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "fixtures" / "0.1.0"
POSITIONS: dict[str, Any] = json.loads((FOLDER / "positions.json").read_text())
AGENTS: dict[str, Any] = json.loads((FOLDER / "agents.json").read_text())
GAMES, SEED = 40, 7
"""As of `tests/fixtures/make.py`."""


def some(names: Iterable[str], *quick: str) -> list[Any]:
    """Parameters; those that are not `quick` have kernels to compile that no other test of `make test` needs."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", some(POSITIONS, "agent_avenue_2", "heimlich_3", "agent_dog_4"))
def test_saved_games_and_mappings_are_the_same_positions(name: str) -> None:
    found = POSITIONS[name]
    env = getattr(spygames, found["game"]).raw_env(**found["options"])
    for moment in ("middle", "end"):
        saved, mapping = (FOLDER / f"{name}_{moment}.save").read_bytes(), found[moment]["state"]
        env.restore(saved)
        assert isinstance(mapping["rng"], int)  # as it was written then
        assert env.state_to_dict() == {**mapping, "rng": str(mapping["rng"])}
        assert env.save() == saved
        state = env.state()
        env.reset(seed=0, options={"state": mapping})
        np.testing.assert_array_equal(env.state(), state)


@pytest.mark.parametrize("name", some(POSITIONS, "agent_avenue_2", "heimlich_3", "agent_dog_4"))
def test_records_are_replayed_to_their_results(name: str) -> None:
    records = load_games(FOLDER / f"{name}.jsonl")
    assert [r.spygames for r in records] == ["0.1.0"] * 2
    for r in records:
        assert len(replay(r)) == len(r.actions) + 1


@pytest.mark.parametrize("name", some(POSITIONS, "agent_avenue_2", "heimlich_3", "agent_dog_4"))
def test_a_batch_goes_on_as_it_did(name: str) -> None:
    found = POSITIONS[name]
    batch = spygames.make_batch(found["game"], 4, seed=0, **found["options"])
    with np.load(FOLDER / "batches.npz", allow_pickle=False) as arrays:
        states = arrays[f"{name}.states"].view(without_padding(batch.game.state_dtype)).reshape(4)
        batch.resume(states, arrays[f"{name}.states.seeds"])
        for _ in range(20):
            batch.step(batch.mask.argmax(1))
        np.testing.assert_array_equal(to_fields(batch.states), arrays[f"{name}.later"])
        np.testing.assert_array_equal(batch.seeds, arrays[f"{name}.later.seeds"])


@pytest.mark.parametrize("name", some(AGENTS, "agent_avenue_simple"))
def test_released_agents_win_what_they_won(name: str) -> None:
    """To one game in forty, which the rounding of a processor may decide otherwise."""
    path, found = FOLDER / "agents" / f"{name}-0.1.0", AGENTS[name]
    files = {name: sha256(content((path / name).read_bytes())).hexdigest() for name in found["files"]}
    assert files == found["files"]  # what else lies there are its card and its figures
    game = load_checkpoint(path).game
    opponents = [make_player(game, bot) for bot in found["results"]]
    for result in evaluate(game, make_player(game, str(path)), opponents, GAMES, SEED):
        figures = found["results"][result.opponent]
        sides = game.num_sides
        near = {"win_share": 1 / GAMES, "by_side": sides / GAMES, "mean_return": 2 / GAMES}
        for name, figure in figures.items():
            assert getattr(result, name) == pytest.approx(figure, abs=near.get(name, 0) + 1e-9), name


@pytest.mark.parametrize("same_rules", [True, False])
def test_a_run_resumes(tmp_path: Path, same_rules: bool) -> None:
    """Where the code of the game is another by now, its games start over, and it says so."""
    folder = Path(shutil.copytree(FOLDER / "run", tmp_path / "run"))
    config = resume_config(folder)
    game = spygames.make_game(config.game, **config.options)
    saved = load_file(folder / "state.safetensors")
    facts = json.loads(_metadata(folder / "state.safetensors")["facts"])
    assert "sha256" not in facts
    if same_rules:
        game.__dict__["digest"] = facts["digest"]
        run = Run.resume(folder, config, game=game)
        states = saved["rollout.0.states"].numpy()
        np.testing.assert_array_equal(to_fields(run.rollouts[0].batch.states).ravel(), states)
    else:
        game.__dict__["digest"] = "another"
        with pytest.warns(UserWarning, match="start over"):
            run = Run.resume(folder, config, game=game)
    assert run.progress["decisions"] == 3 * 8 * 16
    for name, network in (("network", run.learner.network), ("ema", run.learner.ema)):
        assert all(torch.equal(value, saved[f"{name}.{k}"]) for k, value in network.state_dict().items())
    run.train()
    assert load_checkpoint(folder).meta["step"] == config.decisions


def _metadata(file: Path) -> dict[str, str]:
    data = file.read_bytes()
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
