"""Runs end to end: what they leave, going on after a stop, opponents at the tables."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

import spygames
from spygames_training.config import PPO, Config, Network, Opponents, read_config
from spygames_training.network import ActorCritic
from spygames_training.opponents import Pool
from spygames_training.rollout import Rollout
from spygames_training.state import StateError
from spygames_training.training import Run, resume_config

SMALL = Config(
    decisions=16 * 8 * 2 * 6,
    network=Network((16,)),
    ppo=PPO(games=32, steps=8, minibatch=64, reference_every=2),
    opponents=Opponents(share=0.25, bots=("random",), snapshots=2, snapshot_every=1),
    evaluate_against=("random",),
    evaluate_games=20,
    evaluate_every=1e9,
    save_every=1e9,
)


def weights(network):
    return {name: value.clone() for name, value in network.state_dict().items()}


def test_a_run_leaves_its_figures_and_a_checkpoint(tmp_path):
    Run(SMALL, tmp_path).train()
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [row["decisions"] for row in rows] == [256 * k for k in range(1, 7)]
    assert {"policy_loss", "value_loss", "entropy", "kl_to_reference", "win_share/random"} <= rows[-1].keys()
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert all("win_share/random" in summary[moment] for moment in ("start", "half", "end"))
    for name in (
        "checkpoint/model.safetensors",
        "checkpoint/config.json",
        "state.safetensors",
        "curves.png",
        "run.json",
    ):
        assert (tmp_path / name).stat().st_size > 0
    assert list((tmp_path / "tensorboard").iterdir())


def test_equal_seeds_give_equal_agents_and_others_do_not(tmp_path):
    first, second = (weights(Run(SMALL, tmp_path / name).train()) for name in "ab")
    other = weights(Run(Config(**{**vars(SMALL), "seed": 1}), tmp_path / "c").train())
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


@pytest.mark.parametrize(
    "network",
    [
        Network((16,)),
        Network((16,), critic="all"),
        Network((16,), kind="entities", embedding=8),
        Network((16,), kind="recurrent", memory=8),
    ],
    ids=["mlp", "critic sees all", "entities", "recurrent"],
)
def test_a_run_that_was_stopped_ends_as_one_that_was_not(tmp_path, network):
    config = replace(SMALL, network=network)
    whole = weights(Run(config, tmp_path / "whole").train())
    run = Run(config, tmp_path / "parts")
    for _ in range(3):
        run._update()
    run.save()
    again = Run(resume_config(tmp_path / "parts"), tmp_path / "parts", resume=True)
    assert again.progress["decisions"] == 256 * 3
    parts = weights(again.train())
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_a_new_run_does_not_overwrite_one(tmp_path):
    run = Run(SMALL, tmp_path)
    run.save()
    with pytest.raises(ValueError, match="--resume"):
        Run(SMALL, tmp_path)


def test_a_cut_state_is_refused_in_one_line(tmp_path):
    Run(SMALL, tmp_path).save()
    state = tmp_path / "state.safetensors"
    state.write_bytes(state.read_bytes()[:1000])
    with pytest.raises(StateError, match="cut") as caught:
        Run(SMALL, tmp_path, resume=True)
    assert "\n" not in str(caught.value)


def test_a_state_of_other_settings_is_refused(tmp_path):
    Run(SMALL, tmp_path).save()
    with pytest.raises(StateError, match="other settings"):
        Run(Config(**{**vars(SMALL), "network": Network((8,))}), tmp_path, resume=True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_command_goes_on_after_it_was_stopped(tmp_path, how):
    """Stopped by Ctrl-C, by a plain kill or by kill -9, the run goes on from its last state."""
    options = [
        "--decisions",
        "100000000",
        "--network.hidden",
        "16",
        "--ppo.games",
        "32",
        "--ppo.steps",
        "8",
        "--ppo.minibatch",
        "64",
    ]
    options += ["--evaluate-every", "1e9", "--evaluate-games", "2", "--evaluate-against", "random", "--save-every", "0"]
    command = [sys.executable, "scripts/train.py"]
    run = tmp_path / "run"
    process = subprocess.Popen([*command, "--out", str(run), *options], stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (run / "state.safetensors").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(how)
    output, _ = process.communicate(timeout=60)
    if how != signal.SIGKILL:
        assert process.returncode == 130
        assert f"--resume {run}" in output
    saved = Run(resume_config(run), run, resume=True).progress["decisions"]
    assert saved >= 256
    end = str(saved + 1024)
    subprocess.run([*command, "--resume", str(run), "--decisions", end], check=True, capture_output=True)
    rows = [json.loads(line)["decisions"] for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert rows == sorted(set(rows))
    assert rows[-1] >= int(end)


def test_opponents_keep_their_seats_for_the_whole_game():
    game = spygames.make_game("agent_avenue_v0")
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    pool = Pool(game, Opponents(share=0.5, bots=("random", "greedy"), snapshots=1))
    rollout = Rollout(game, 64, 8, seed=3, share=0.5)
    ppo = PPO()
    drawn = set()
    for round_ in range(12):
        if round_ % 3 == 0:
            pool.add_snapshot(network)
        pool.forget(rollout.controller.ravel().tolist())
        rollout.seat_opponents(pool)
        before = rollout.controller.copy()
        rollout.play(network, ppo)
        drawn |= set(rollout.controller.flat)
        ended = rollout.done[:, :32].any(axis=0)
        np.testing.assert_array_equal(rollout.controller[~ended], before[~ended])
        assert set(rollout.controller.flat) - {0} <= pool.players.keys()
        assert ((rollout.controller == 0).sum(axis=1) == 1).all()  # one seat learns at each of these tables
        assert not rollout.frozen[:, 32:].any()
        assert not (rollout.valid & rollout.frozen).any()
        assert 0.3 < rollout.frozen[:, :32].mean() < 0.7
    assert drawn >= {0, 1, 2, 3, 4}  # both bots, and more than one snapshot
    assert len(pool.snapshots) <= 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decisons = 5", "unknown key decisons"),
        ("[ppo]\nclip = 'much'", "ppo.clip must be a float"),
        ("[network]\nkind = 'deep'", "network.kind must be mlp, entities or recurrent"),
        ("[network]\ncritic = 'none'", "network.critic must be own or all"),
        ("[ppo]\ngames = 3", "ppo.games must be a multiple of workers"),
        ("[opponents]\nshare = 0.5", "neither opponents.bots nor opponents.snapshots"),
        ("decisions = ", "Invalid value"),
    ],
)
def test_a_wrong_config_is_refused_by_name(tmp_path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_config(path)


def test_a_wrong_option_ends_the_command_with_one_line(tmp_path):
    command = [sys.executable, "scripts/train.py", "--config", str(tmp_path / "none.toml")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.strip() == f"train.py: cannot read {tmp_path}/none.toml: No such file or directory"
