"""Runs with MaskablePPO: their files, what they refuse, and that Ctrl-C saves the agent."""

import dataclasses
import json
import signal
from pathlib import Path
from typing import Any, Literal

import pytest
import torch

from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.bridges.sb3.run import MaskableRun, check
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.files.atomic import only_one
from spygames_training.runs.folder import resume_config
from spygames_training.runs.run import Diverged
from tests.cli.command import complaint
from tests.poker import kuhn

GAME = kuhn.make_game()
SMALL = Config(
    decisions=1024,
    workers=1,
    network=Network((16,)),
    ppo=PPO(games=32, steps=8, minibatch=64),
    evaluate_against=("random",),
    evaluate_games=20,
    evaluate_every=1e9,
)


@pytest.mark.usefixtures("drawn_curves")
def test_a_run_writes_its_metrics_and_a_checkpoint(tmp_path: Path) -> None:
    network = MaskableRun(SMALL, tmp_path, GAME).train()
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [row["decisions"] for row in rows] == [256, 512, 768, 1024]
    assert {"policy_loss", "value_loss", "entropy", "explained_variance", "win_share/random"} <= rows[-1].keys()
    assert 0 < rows[0]["entropy"] < 0.694  # for two actions, in nats
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert [row["decisions"] for row in rows if "win_share/random" in row] == [256, 512, 1024]
    assert summary["half"] == {"win_share/random": rows[1]["win_share/random"]}
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    results = load_checkpoint(tmp_path, GAME).meta["results"]
    assert (results["step"], results["win_share/random"]) == (1024, rows[-1]["win_share/random"])
    saved = Policy.load(tmp_path, game=GAME).network.state_dict()
    assert all(torch.equal(value, saved[name]) for name, value in network.state_dict().items())
    with pytest.raises(ValueError, match="already holds a run"):
        MaskableRun(SMALL, tmp_path, GAME)
    with pytest.raises(ValueError, match="not the state of its training, which MaskablePPO does not keep"):
        resume_config(tmp_path)


def test_one_process_trains_in_a_folder(tmp_path: Path) -> None:
    run, late = (MaskableRun(SMALL, tmp_path, GAME) for _ in range(2))
    with only_one(tmp_path), pytest.raises(ValueError, match="another process trains in"):
        run.train()
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    run.train()
    before = (tmp_path / "checkpoint" / "model.safetensors").read_bytes()
    with pytest.raises(ValueError, match="already holds a run"):
        late.train()
    assert (tmp_path / "checkpoint" / "model.safetensors").read_bytes() == before


def test_equal_seeds_give_equal_agents_and_other_seeds_do_not(tmp_path: Path) -> None:
    first, second, other = (
        MaskableRun(dataclasses.replace(SMALL, seed=seed), tmp_path / name, GAME).train().state_dict()
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


@pytest.mark.parametrize(("decay", "last"), [("linear", 0.125), ("power", 0.2 / 1.75)])
def test_loss_weights_decrease_as_configured(tmp_path: Path, decay: Literal["linear", "power"], last: float) -> None:
    ppo = dataclasses.replace(
        SMALL.ppo,
        decay=decay,
        entropy=0.2,
        entropy_end=0.1,
        learning_rate=1e-2,
        learning_rate_end=1e-3,
        value_weight=0.75,
    )
    run = MaskableRun(dataclasses.replace(SMALL, ppo=ppo), tmp_path, GAME)
    run.train()
    assert run.model.ent_coef == pytest.approx(last)  # the last of four updates begins with a quarter left
    assert run.model.policy.optimizer.param_groups[0]["lr"] == pytest.approx(1e-3)
    assert run.model.vf_coef == pytest.approx(0.375)  # of the whole squared error; `value_weight` is of its half


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ppo": PPO(kl=0.3)}, "ppo.kl has no counterpart"),
        ({"ppo": PPO(ema=0.9)}, "ppo.ema has no counterpart"),
        ({"ppo": PPO(reference_every=7)}, "ppo.reference_every has no counterpart"),
        ({"ppo": PPO(precision="bfloat16")}, "ppo.precision must be"),
        ({"network": Network((16,), values="split")}, r"network\.values must be one"),
        ({"opponents": Opponents(share=0.5, bots=("random",))}, r"opponents\.share must be 0"),
    ],
)
def test_settings_without_effect_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MaskableRun(dataclasses.replace(SMALL, **change), tmp_path / "run", GAME)
    assert not (tmp_path / "run").exists()


def test_ctrl_c_saves_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = MaskableRun(dataclasses.replace(SMALL, decisions=10**9), tmp_path, GAME)

    def evaluate() -> dict[str, float]:
        signal.raise_signal(signal.SIGINT)
        return {}

    monkeypatch.setattr(run, "evaluate", evaluate)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run.train()
    assert signal.getsignal(signal.SIGINT) is before
    assert Policy.load(tmp_path, game=GAME).network.hidden == (16,)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_run_that_diverges_ends_and_writes_no_agent(tmp_path: Path) -> None:
    ppo = dataclasses.replace(SMALL.ppo, reward_scale=1e30, epochs=1, minibatch=256)  # its square is no float32
    with pytest.raises(Diverged, match="a loss is not finite after 256 decisions"):
        MaskableRun(dataclasses.replace(SMALL, ppo=ppo), tmp_path, GAME).train()
    assert not (tmp_path / "checkpoint").exists()


def test_the_command_refuses_to_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.json").write_text("{}")
    argv = ["train", "--algorithm", "maskable_ppo", "--resume", str(tmp_path)]
    assert (
        complaint(argv, capsys)
        == "spygames train: a maskable_ppo run cannot be resumed: start a new one without --resume"
    )


def test_an_unknown_option_ends_the_command_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["train", "--algorithm", "maskable_ppo", "--option", "colour=9"]
    assert "unexpected keyword argument 'colour'" in complaint(argv, capsys)


@pytest.mark.parametrize("change", [{"network": Network(kind="recurrent")}, {"ppo": PPO(credit="table")}])
def test_options_without_effect_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="with maskable_ppo"):
        check(Config(**change))
