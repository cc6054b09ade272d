"""Runs end to end: their files, and resuming after a stop."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import spygames
from spygames.core.players import released
from spygames.core.players.released import best_agent
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.files.atomic import only_one, write_whole
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.ppo.learner import Learner
from spygames_training.runs.folder import resume_config
from spygames_training.runs.report import Report
from spygames_training.runs.run import Diverged, Run
from spygames_training.runs.state_file import StateError
from spygames_training.runs.train import train
from tests.cli.command import complaint as complaint_of
from tests.cli.command import run as command_line

SMALL = Config(
    decisions=16 * 8 * 2 * 6,
    network=Network((16,)),
    ppo=PPO(games=32, steps=8, minibatch=64, reference_every=2),
    opponents=Opponents(share=0.25, bots=("random",), snapshots=2, snapshot_every=1, draw="hard"),
    evaluate_against=("random",),
    evaluate_games=20,
    evaluate_every=1e9,
    save_every=1e9,
)


def weights(network: ActorCritic) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in network.state_dict().items()}


@pytest.mark.usefixtures("drawn_curves")
def test_a_run_writes_its_metrics_and_a_checkpoint(tmp_path: Path) -> None:
    Run.create(SMALL, tmp_path).train()
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


def test_a_checkpoint_records_the_step_of_its_results(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    run.update()
    shares = run.evaluate()
    run.update()
    run.save()
    meta = load_checkpoint(tmp_path).meta
    assert meta["step"] == 512
    assert meta["results"] == {"step": 256, "play": "sample", "games": 20, **shares}
    assert Run.resume(tmp_path, SMALL).progress["results"] == meta["results"]


def test_evaluations_have_the_seed_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def evaluate(*_: object, seed: int) -> list[Any]:
        seeds.append(seed)
        return []

    monkeypatch.setattr("spygames_training.runs.evaluations.evaluate", evaluate)
    run = Run.create(replace(SMALL, seed=3), tmp_path)
    run.evaluate()
    run.close()
    assert seeds == [3]


def test_the_policy_of_a_run_has_its_value_in_the_games_units(tmp_path: Path) -> None:
    run = Run.create(replace(SMALL, ppo=replace(SMALL.ppo, reward_scale=2.0)), tmp_path)
    run.save()
    run.close()
    observation = np.ones(run.game.num_features, np.float32)
    saved, now = (policy.value(observation) for policy in (Policy.load(tmp_path), run.policy))
    assert now == pytest.approx(saved)
    assert now == pytest.approx(Policy(run.game, run.learner.ema).value(observation) / 2)


def test_a_closed_run_makes_no_update_and_resumes(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    run.update()
    run.save()
    run.close()
    decisions = run.progress["decisions"]
    with pytest.raises(RuntimeError, match=r"continue with Run.resume\(folder\)"):
        run.update()
    assert run.progress["decisions"] == decisions
    again = Run.resume(tmp_path)
    assert again.update()["decisions"] == 2 * decisions
    again.close()


def test_equal_seeds_give_equal_agents_and_other_seeds_do_not(tmp_path: Path) -> None:
    first, second = (weights(Run.create(SMALL, tmp_path / name).train()) for name in "ab")
    other = weights(Run.create(Config(**{**vars(SMALL), "seed": 1}), tmp_path / "c").train())
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


def test_workers_and_seeds_share_no_game(tmp_path: Path) -> None:
    seeds: list[int] = []
    for seed in (0, 1):
        run = Run.create(replace(SMALL, workers=2, seed=seed), tmp_path / str(seed))
        seeds += [game for rollout in run.rollouts for game in rollout.batch.seeds.tolist()]
        run.close()
    assert len({*seeds}) == len(seeds) == 2 * SMALL.ppo.games


FOLLOWING = replace(SMALL.ppo, reference_ema=0.9, kl_end=0.3)


@pytest.mark.parametrize(
    ("network", "ppo", "updates"),
    [
        (Network((16,)), SMALL.ppo, 0),
        (Network((16,)), SMALL.ppo, 1),
        (Network((16,)), SMALL.ppo, 3),
        (Network((16,), critic="all"), SMALL.ppo, 3),
        (Network((16,), kind="entities", embedding=8), SMALL.ppo, 3),
        (Network((16,), kind="recurrent", memory=8), SMALL.ppo, 3),
        (Network((16,), critic="all", belief="keep", values="split"), FOLLOWING, 3),
    ],
    ids=["at once", "mlp 1", "mlp 3", "critic sees all", "entities", "recurrent", "belief"],
)
def test_a_resumed_run_gives_the_same_result(tmp_path: Path, network: Network, ppo: PPO, updates: int) -> None:
    config = replace(SMALL, network=network, ppo=ppo)
    whole = weights(Run.create(config, tmp_path / "whole").train())
    run = Run.create(config, tmp_path / "parts")
    for _ in range(updates):
        run.update()
    run.save()
    again = Run.resume(tmp_path / "parts", resume_config(tmp_path / "parts"))
    assert again.progress["decisions"] == 256 * updates
    parts = weights(again.train())
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_the_same_call_begins_and_resumes_a_run(tmp_path: Path) -> None:
    whole = weights(Run.create(SMALL, tmp_path / "whole").train())
    run = Run.open(SMALL, tmp_path / "parts")
    run.train([lambda run, metrics: run.stop() if metrics["decisions"] == 768 else None])
    again = Run.open(SMALL, tmp_path / "parts")
    assert again.progress["decisions"] == 768
    parts = weights(again.train())
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    policy = train(SMALL, tmp_path / "parts", resume="auto")  # it is finished: nothing is left to do
    assert all(torch.equal(value, policy.network.state_dict()[name]) for name, value in parts.items())


def test_open_begins_without_a_saved_state_and_refuses_other_settings(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")  # left by a kill before the first state
    run = Run.open(SMALL, tmp_path)
    assert run.progress["decisions"] == 0
    run.save()
    run.close()
    with pytest.raises(ValueError, match="cannot continue with another value of seed"):
        Run.open(replace(SMALL, seed=1), tmp_path)
    (tmp_path / "state.safetensors").write_bytes(b"cut")
    with pytest.raises(StateError, match="cut off or not a saved state"):
        Run.open(SMALL, tmp_path)


def test_the_same_command_begins_and_resumes_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("decisions = 512\nevaluate_games = 2\n[network]\nhidden = [8]\n[ppo]\ngames = 8\nsteps = 16\n")
    command = ["train", "--config", config, "--out", tmp_path / "run", "--resume", "auto"]
    assert command_line(*command, "--decisions", 256) == 0
    assert command_line(*command) == 0
    assert resume_config(tmp_path / "run").decisions == 512
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 4
    capsys.readouterr()
    assert command_line(*command, "--seed", 3) == 2
    assert "cannot continue with another value of seed" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert command_line("train", "--resume", "./auto") == 2  # a folder of that name
    assert "holds no run to resume" in capsys.readouterr().err


def test_a_kill_between_state_and_agent_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state is written first; if the run was complete, resuming it writes the agent."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    run = Run.create(replace(SMALL, decisions=256), tmp_path)
    run.update()
    with monkeypatch.context() as patched:
        patched.setattr("spygames_training.runs.run.save_checkpoint", killed)
        with pytest.raises(KeyboardInterrupt):
            run.save()
    Run.resume(tmp_path, replace(SMALL, decisions=256)).train()
    assert load_checkpoint(tmp_path).meta["step"] == 256


def test_leftovers_of_a_kill_do_not_block_saving(tmp_path: Path) -> None:
    for name in (".state.safetensors.new", ".run.json.new"):
        (tmp_path / name).mkdir()
    for name in (".checkpoint.new", ".checkpoint.old"):
        (tmp_path / name).touch()
    Run.create(SMALL, tmp_path).save()
    assert {path.name for path in tmp_path.iterdir()} == {"run.json", "state.safetensors", "checkpoint"}
    assert (tmp_path / "state.safetensors").stat().st_mode & 0o777 == (tmp_path / "run.json").stat().st_mode & 0o777


def test_a_new_run_does_not_overwrite_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run.create(SMALL, tmp_path)
    run.save()
    with pytest.raises(ValueError, match="holds a run already: resume it"):
        Run.create(SMALL, tmp_path)
    assert f"train --resume {tmp_path}," in complaint_of(["train", "--out", str(tmp_path)], capsys)
    line = complaint_of(["train", "--game", "tests.poker.kuhn", "--out", str(tmp_path)], capsys)
    assert f"train --resume {tmp_path} --allow-code," in line


def test_resuming_an_agent_names_the_folder_of_its_run(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    run.save()
    run.close()
    message = f"holds no run to resume: its run is in {re.escape(str(tmp_path))}$"
    with pytest.raises(ValueError, match=message):
        Run.resume(tmp_path / "checkpoint")


def test_a_new_run_does_not_overwrite_an_agent_without_a_state(tmp_path: Path) -> None:
    """MaskablePPO, for example, leaves no state."""
    Run.create(SMALL, tmp_path).train()
    (tmp_path / "state.safetensors").unlink()
    before = (tmp_path / "metrics.jsonl").read_bytes()
    with pytest.raises(ValueError, match="holds an agent already"):
        Run.create(SMALL, tmp_path)
    assert (tmp_path / "metrics.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"evaluate_play": "best"}, "not 'best'"),
        ({"evaluate_against": ("random", "greedy", "random")}, "two players called random"),
        ({"evaluate_against": ("gredy",)}, "no player 'gredy'"),
    ],
)
def test_invalid_evaluation_opponents_are_refused_before_training(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Run.create(replace(SMALL, **wrong), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_truncated_state_gives_one_line(tmp_path: Path) -> None:
    Run.create(SMALL, tmp_path).save()
    state = tmp_path / "state.safetensors"
    state.write_bytes(state.read_bytes()[:1000])
    with pytest.raises(StateError, match="cut") as caught:
        Run.resume(tmp_path, SMALL)
    assert "\n" not in str(caught.value)


def test_a_state_of_other_settings_is_refused(tmp_path: Path) -> None:
    Run.create(SMALL, tmp_path).save()
    for change, name in (({"network": Network((8,))}, "network.hidden"), ({"ppo": PPO(clip=0.3)}, "ppo.clip")):
        with pytest.raises(ValueError, match=f"cannot continue with another .*{name}"):
            Run.resume(tmp_path, replace(SMALL, **change))
    other = replace(SMALL, network=Network((8,)))
    write_whole(tmp_path / "run.json", json.dumps(asdict(other)))
    with pytest.raises(StateError, match="other settings"):
        Run.resume(tmp_path, other)


def test_opponents_are_recorded_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which agent `best` was, and how it played, stays known; a run goes on with the same players or not at all."""
    bots = ("best", "agent_avenue/simple-2@sample", "greedy", "agent_avenue/simple-2+search:2")
    config = replace(SMALL, opponents=Opponents(0.5, bots), evaluate_against=())
    run = Run.create(config, tmp_path)
    full = ("agent_avenue/simple-2@argmax", "agent_avenue/simple-2@sample", "greedy")
    assert run.config.opponents.bots == (*full, "agent_avenue/simple-2@sample+search:2")
    run.save()
    assert load_checkpoint(tmp_path).training_opponents == run.config.opponents.bots
    assert Run.resume(tmp_path).config == Run.resume(tmp_path, config).config == run.config
    agent = best_agent(run.game)
    monkeypatch.setattr(released, "_listed", lambda _: [replace(agent, play="sample")])
    with pytest.raises(ValueError, match=r"cannot continue with another value of opponents\.bots"):
        Run.resume(tmp_path, config)


def test_without_games_against_them_opponents_have_no_results(tmp_path: Path) -> None:
    config = replace(SMALL, opponents=replace(SMALL.opponents, share=0.0))
    with pytest.warns(UserWarning, match=r"opponents\.bots and opponents\.snapshots without effect"):
        run = Run.create(config, tmp_path)
    assert not [name for name in run.update() if name.startswith("won_at_tables")]
    run.close()


def test_a_run_goes_on_against_the_same_agents_only(tmp_path: Path) -> None:
    """Also below a search, and if two agents have the same name."""
    game, first = spygames.make_game("agent_avenue_v0"), Run.create(SMALL, tmp_path / "one").learner.ema
    other = Run.create(replace(SMALL, seed=1), tmp_path / "two").learner.ema
    rivals = [tmp_path / name / "rival" for name in ("a", "b")]
    for rival in rivals:
        save_checkpoint(rival, game, first, 5)
    bots = (f"{rivals[0]}@sample+search:2", f"{rivals[1]}", f"mix:{rivals[1]}|random", "greedy")
    run = Run.create(replace(SMALL, opponents=Opponents(0.5, bots)), tmp_path / "run")
    run.save()
    run.close()
    Run.resume(tmp_path / "run").close()
    for rival in rivals:
        save_checkpoint(rival, game, other, 5)
        message = rf"the run trained against another {re.escape(str(rival))}\S* \(digest \w+, now \w+\)"
        with pytest.raises(StateError, match=message):
            Run.resume(tmp_path / "run")
        save_checkpoint(rival, game, first, 5)


def test_a_mixture_is_recorded_in_full(tmp_path: Path) -> None:
    config = replace(SMALL, opponents=Opponents(0.5, ("mix:best|random",)))
    run = Run.create(config, tmp_path)
    assert run.config.opponents.bots == ("mix:agent_avenue/simple-2@argmax|random",)
    run.close()


def test_a_run_that_another_process_has_trained_meanwhile_is_kept(tmp_path: Path) -> None:
    first, late = Run.create(SMALL, tmp_path), Run.create(replace(SMALL, seed=1), tmp_path)
    first.train()
    trained = (tmp_path / "state.safetensors").read_bytes()
    with pytest.raises(ValueError, match=r"another process has trained in .* meanwhile: resume its run"):
        late.train()
    longer = replace(SMALL, decisions=2 * SMALL.decisions)
    one, two = Run.resume(tmp_path, longer), Run.resume(tmp_path, longer)
    assert (tmp_path / "state.safetensors").read_bytes() == trained
    one.train()
    trained = (tmp_path / "state.safetensors").read_bytes()
    with pytest.raises(ValueError, match="meanwhile"):
        two.train()
    assert (tmp_path / "state.safetensors").read_bytes() == trained


def test_an_interrupt_during_the_report_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller with more runs would go on."""
    plot = Report.plot

    def interrupted(report: Report) -> None:
        signal.raise_signal(signal.SIGINT)
        plot(report)

    monkeypatch.setattr(Report, "plot", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Run.create(SMALL, tmp_path).train()
    assert (tmp_path / "summary.json").exists()


def test_games_start_over_after_a_change_of_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.create(SMALL, tmp_path)
    run.update()
    run.save()
    game = replace(spygames.make_game("agent_avenue_v0"))
    game.__dict__["digest"] = "another"
    with pytest.warns(UserWarning, match="start over"):
        again = Run.resume(tmp_path, SMALL, game=game)
    assert again.progress["decisions"] == 256
    first = Run.create(SMALL, tmp_path / "other")
    np.testing.assert_array_equal(again.rollouts[0].batch.states, first.rollouts[0].batch.states)
    again.train()


def test_a_file_in_the_checkpoint_folder_stays_and_stops_no_run(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    run.save()
    (tmp_path / "checkpoint" / "notes.txt").write_text("mine")
    run.train()
    assert (tmp_path / "checkpoint" / "notes.txt").read_text() == "mine"
    assert load_checkpoint(tmp_path).meta["step"] == SMALL.decisions


def test_a_folder_that_cannot_be_overwritten_is_refused_before_training(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="checkpoint is not a checkpoint"):
        Run.create(SMALL, tmp_path)


def test_only_one_process_trains_in_a_folder(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    with only_one(tmp_path), pytest.raises(ValueError, match="another process"):
        run.train()
    run.train()


@pytest.mark.parametrize("bias", [0.0, float("nan")], ids=["to its end", "to an error"])
def test_a_run_leaves_no_threads(tmp_path: Path, bias: float) -> None:
    run, before = Run.create(SMALL, tmp_path), set(threading.enumerate())
    with torch.no_grad():
        run.learner.network.value.bias.fill_(bias)
    with pytest.raises(Diverged) if bias else nullcontext():
        run.train()
    assert set(threading.enumerate()) <= before


def test_non_finite_losses_end_the_run_and_keep_its_state(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    run.update()
    run.save()
    before = {p.name: p.read_bytes() for p in (tmp_path / "checkpoint").iterdir()}
    with torch.no_grad():
        run.learner.network.value.bias.fill_(float("nan"))
    with pytest.raises(Diverged, match=r"after 256 decisions network\.value\.bias must be finite"):
        run.save()
    with pytest.raises(Diverged, match="256 decisions"):
        run.train()
    assert {p.name: p.read_bytes() for p in (tmp_path / "checkpoint").iterdir()} == before
    assert Run.resume(tmp_path, SMALL).progress["decisions"] == 256


def test_updates_after_the_end_keep_the_last_values_of_the_schedules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)  # the clock of some systems stands still for 16 ms
    run = Run.create(replace(SMALL, decisions=256), tmp_path)
    metrics = [run.update() for _ in range(3)]
    run.close()
    ppo = SMALL.ppo
    rates = [ppo.learning_rate, ppo.learning_rate_end, ppo.learning_rate_end]
    assert [row["learning_rate"] for row in metrics] == pytest.approx(rates)
    assert [row["entropy_weight"] for row in metrics] == pytest.approx([ppo.entropy, ppo.entropy_end, ppo.entropy_end])


def test_a_rollout_without_known_outcomes_is_distinguished_from_divergence(tmp_path: Path) -> None:
    """Two games of Kuhn poker: after a pass and a bet in both, no seat has decided a second time."""
    config = replace(SMALL, game="tests.poker.kuhn", ppo=PPO(games=2, steps=2, minibatch=2), opponents=Opponents())
    with pytest.raises(ValueError, match=r"2 games x 2 decisions has a known outcome.*increase ppo\.steps") as caught:
        Run.create(config, tmp_path).train()
    assert not isinstance(caught.value, Diverged)
    assert Run.resume(tmp_path, config).progress["decisions"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX limits of file sizes")
def test_a_full_disk_ends_the_run_with_one_line_and_keeps_its_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The system refuses to write more than the first half of the state, like a full disk."""
    import resource

    run = Run.create(SMALL, tmp_path)
    run.save()
    size = (tmp_path / "state.safetensors").stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, limits[1]))  # Python ignores its signal
    try:
        assert command_line("train", "--resume", tmp_path) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    complaint = capsys.readouterr().err
    first, second = complaint.strip().splitlines()[-2:]
    assert "train: " in first
    assert "state.safetensors" in first
    assert f"--resume {tmp_path}" in second
    assert "Traceback" not in complaint
    assert Run.resume(tmp_path, SMALL).progress["decisions"] == 0


@pytest.mark.slow
def test_a_run_killed_at_any_moment_gives_the_same_result(tmp_path: Path) -> None:
    """kill -9, three times, at any moment: playing, learning, evaluating, saving."""
    config = tmp_path / "config.toml"
    config.write_text(
        "decisions = 60_000\nsave_every = 0.0\n"
        "evaluate_against = ['random']\nevaluate_games = 20\nevaluate_every = 0.05\n"
        "[network]\nhidden = [16]\n[ppo]\ngames = 32\nsteps = 8\nminibatch = 64\nreference_every = 3\n"
        "[opponents]\nshare = 0.5\nbots = ['random', 'greedy']\nsnapshots = 2\nsnapshot_every = 5\ndraw = 'hard'\n"
    )
    command = [sys.executable, "scripts/train.py"]
    whole = subprocess.Popen(
        [*command, "--config", str(config), "--out", str(tmp_path / "whole")], stdout=subprocess.DEVNULL
    )
    run, rng, kills = tmp_path / "run", np.random.default_rng(), 0
    last = None
    for _ in range(3):
        start = ["--resume", str(run)] if last else ["--config", str(config), "--out", str(run)]
        process = subprocess.Popen([*command, *start], stdout=subprocess.DEVNULL)
        state, deadline = run / "state.safetensors", time.monotonic() + 300
        while process.poll() is None and (not state.exists() or state.stat().st_mtime_ns == last):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.5))
        kills += process.poll() is None
        process.kill()
        process.wait()
        last = state.stat().st_mtime_ns
    assert kills >= 1  # on a fast machine the run may end before the last kill
    subprocess.run([*command, "--resume", str(run)], check=True, capture_output=True)
    assert whole.wait() == 0
    one, other = ((folder / "checkpoint" / "model.safetensors").read_bytes() for folder in (run, tmp_path / "whole"))
    assert one == other
    counts = [json.loads(line)["decisions"] for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert counts == list(range(256, 60_000 + 256, 256))


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_resumes_after_a_stop(tmp_path: Path, how: signal.Signals) -> None:
    """After Ctrl-C or a plain kill, the run continues where it was."""
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
    time.sleep(0.1)
    process.send_signal(how)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"--resume {run}" in output
    assert (run / "curves.png").stat().st_size > 0
    saved = Run.resume(run).progress["decisions"]
    assert saved >= 256
    end = str(saved + 1024)
    assert command_line("train", "--resume", run, "--decisions", end) == 0
    rows = [json.loads(line)["decisions"] for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert rows == sorted(set(rows))
    assert rows[-1] >= int(end)


def test_an_option_of_the_command_overrides_that_of_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def create(config: Config, *_: object, **__: object) -> Run:
        given.append(config.options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "create", create)
    (file := tmp_path / "mine.toml").write_text("[options]\nplayers = 3\nfirst_player = 1\n")
    assert command_line("train", "--config", file, "--option", "players=4", "--out", tmp_path / "run") == 130
    assert given == [{"players": 4, "first_player": 1}]


def test_ctrl_c_before_training_gives_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stop comes while the game is being made, as when kernels are compiled."""
    (tmp_path / "stopped_game.py").write_text(
        "import signal, time\ndef make_game():\n    signal.raise_signal(signal.SIGINT)\n    time.sleep(300)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert command_line("train", "--game", "stopped_game", "--out", tmp_path / "run") == 130
    assert capsys.readouterr() == (
        "",
        "spygames train: stopped before the first save, so there is nothing to resume\n",
    )
    assert not (tmp_path / "run").exists()


def test_ctrl_c_before_the_first_save_offers_no_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(run: Run) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "train", stopped)
    assert command_line("train", "--out", tmp_path / "run", "--evaluate-against", "random") == 130
    assert capsys.readouterr().err.endswith(
        "spygames train: stopped before the first save, so there is nothing to resume\n"
    )


def test_ctrl_c_before_a_run_continues_names_the_command_that_resumes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> Run:
        raise KeyboardInterrupt

    run = Run.create(SMALL, tmp_path)
    run.save()
    run.close()
    monkeypatch.setattr(Run, "resume", stopped)
    assert command_line("train", "--resume", tmp_path) == 130
    output = capsys.readouterr()
    assert output.out.endswith(f"train --resume {tmp_path}\n")
    assert "nothing to resume" not in output.err


def test_a_bot_that_is_listed_twice_has_one_mean(tmp_path: Path) -> None:
    run = Run.create(replace(SMALL, opponents=Opponents(0.5, ("random", "random"))), tmp_path)
    run.league.add_results([{1: [8, 8], 2: [0, 8]}])
    (share,) = run._won_in_training().values()
    assert share == pytest.approx((run.league.win_fraction(1) + run.league.win_fraction(2)) / 2)
    assert share == pytest.approx(0.5)
    run.close()


def test_a_snapshot_is_the_running_mean_of_its_time(tmp_path: Path) -> None:
    run = Run.create(replace(SMALL, opponents=replace(SMALL.opponents, snapshot_every=2)), tmp_path)
    before = []
    for _ in range(3):
        before.append(weights(run.learner.ema))
        run.update()
    run.close()
    for snapshot, then in zip(run.league.snapshots.values(), (before[0], before[2]), strict=True):
        found = weights(snapshot)
        assert all(torch.equal(found[name], then[name]) for name in then)


def test_advantages_are_normalized_over_all_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[int, np.ndarray] = {}
    gradient = Learner._gradient

    def watched(self: Learner, replica: Any, data: Any, *rest: Any) -> Any:
        seen[id(data)] = data.taken.advantages
        return gradient(self, replica, data, *rest)

    monkeypatch.setattr(Learner, "_gradient", watched)
    run = Run.create(replace(SMALL, workers=2), tmp_path)
    run.update()
    run.close()
    assert len(seen) == 2
    together = np.concatenate([*seen.values()])
    assert together.mean() == pytest.approx(0, abs=1e-5)
    assert together.std() == pytest.approx(1, abs=1e-4)


def test_the_running_mean_forgets_the_first_weights_quickly(tmp_path: Path) -> None:
    run = Run.create(replace(SMALL, ppo=replace(SMALL.ppo, ema=0.9999, learning_rate=1e-2)), tmp_path)
    first = [p.detach().clone() for p in run.learner.network.parameters()]
    for _ in range(3):
        run.update()
    run.close()

    def away(weights: Iterable[torch.Tensor]) -> float:
        return sum(
            float((a - b).detach().square().sum()) for a, b in zip(weights, run.learner.ema.parameters(), strict=True)
        )

    assert away(run.learner.network.parameters()) < away(first) / 4


def test_a_run_is_evaluated_after_its_first_update_at_half_and_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def win_shares(*given: Any) -> tuple[dict[str, float], dict[str, Any]]:
        return {"win_share/random": given[-1] / 10_000}, {}  # the decisions so far, so all shares differ

    monkeypatch.setattr("spygames_training.runs.report.plot_curves", lambda rows, path, play="": path)
    monkeypatch.setattr("spygames_training.runs.run.win_shares", win_shares)
    Run.create(SMALL, tmp_path).train(progress=False)
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    found = {row["decisions"]: row["win_share/random"] for row in rows if "win_share/random" in row}
    assert [*found] == [256, 768, 1536]
    summary = json.loads((tmp_path / "summary.json").read_text())
    shares = [summary[moment]["win_share/random"] for moment in ("start", "half", "end")]
    assert shares == [*found.values()]


def test_a_run_is_evaluated_and_saved_when_it_is_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spygames_training.runs.report.plot_curves", lambda rows, path, play="": path)
    evaluated, saved = [], []
    monkeypatch.setattr(Run, "evaluate", lambda run: evaluated.append(run.progress["decisions"]) or {})
    monkeypatch.setattr(Run, "save", lambda run: saved.append(run.progress["decisions"]))
    config = replace(SMALL, decisions=256 * 4)
    for seconds, evaluations, saves in ((0.0, [1, 2, 3, 4], [0, 1, 2, 3, 4]), (1e9, [1, 2, 4], [0, 4])):
        place = tmp_path / str(seconds)
        Run.create(replace(config, evaluate_every=seconds, save_every=seconds), place).train(progress=False)
        assert evaluated == [256 * k for k in evaluations]
        assert saved == [256 * k for k in saves]
        evaluated.clear()
        saved.clear()
