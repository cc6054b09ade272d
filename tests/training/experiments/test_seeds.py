"""One config with several seeds, and custom code on the command line."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from spygames.core.game.game import Game
from spygames.core.players.import_by_name import find_code
from spygames_training import Config, Network, Policy, train_seeds
from spygames_training.experiments.seeds import band
from spygames_training.runs.folder import resume_config
from spygames_training.runs.run import Run
from tests.cli.command import complaint, run
from tests.training.runs.test_run import SMALL

CONFIG = """
name = "tiny"
decisions = 512
workers = 1
evaluate_against = ["random", "greedy"]
evaluate_games = 20
[ppo]
games = 16
steps = 16
minibatch = 128
"""
MODULE = """
import numpy as np
from torch import nn

class Tiny(nn.Module):
    def __init__(self, game):
        super().__init__()
        self.heads = nn.Linear(game.num_features, game.num_actions + 1)

    def forward(self, observation):
        both = self.heads(observation)
        return both[:, :-1], both[:, -1]

def nothing(view_before, view_after, seat):
    return np.zeros(len(seat), np.float32)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a config and a module."""
    (tmp_path / "tiny.toml").write_text(CONFIG)
    (tmp_path / "seeds_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_seeds_give_one_table_and_one_plot(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "--config", "tiny.toml", "--seeds", "3", "--seed", "7", "--out", "out"]
    assert run(*command) == 0
    assert "run 3 of 3: seed_9" in capsys.readouterr().out
    out = folder / "out"
    assert {path.name for path in out.iterdir()} == {
        "seed_7", "seed_8", "seed_9", "seeds.json", "seeds.md", "curves.png",
    }  # fmt: skip
    found, lines = json.loads((out / "seeds.json").read_text()), (out / "seeds.md").read_text().splitlines()
    assert lines[0].endswith(", 512 decisions, 3 seeds")
    assert "games with sampled actions." in lines[-1]
    for name in ("random", "greedy"):
        shares = []
        for seed in (7, 8, 9):
            rows = [json.loads(line) for line in (out / f"seed_{seed}" / "metrics.jsonl").read_text().splitlines()]
            curve = [[row["decisions"], row[f"win_share/{name}"]] for row in rows]
            assert found["curves"][name][seed - 7] == curve
            shares.append(curve[-1][1])
        assert found["ends"][name] == shares
        middle = sum(shares) / 3
        half = 4.303 * math.sqrt(sum((share - middle) ** 2 for share in shares) / 2) / math.sqrt(3)
        (row,) = [line for line in lines if line.startswith(f"| {name} |")]
        cells = [cell.strip() for cell in row.split("|")][2:-1]
        assert cells == [*(f"{100 * share:.1f}" for share in shares), f"{100 * middle:.1f} ± {100 * half:.1f}"]
    networks = [Policy.load(out / f"seed_{seed}").network.state_dict() for seed in (7, 8)]
    assert not torch.equal(networks[0]["policy.weight"], networks[1]["policy.weight"])
    before = (out / "seed_7" / "state.safetensors").stat().st_mtime_ns
    assert run(*command) == 0
    assert (out / "seed_7" / "state.safetensors").stat().st_mtime_ns == before
    assert "holds a run with other settings (decisions)" in complaint([*command, "--decisions", "1024"], capsys)
    (out / "seed_8" / "metrics.jsonl").unlink()
    assert run(*command) == 2
    assert f"{Path('out', 'seed_8', 'metrics.jsonl')} has no evaluation" in capsys.readouterr().err


def test_runs_of_other_code_or_length_are_not_taken_for_finished(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = CONFIG + '[opponents]\nshare = 0.5\nbots = ["agent_avenue/simple-2"]\n'  # recorded in full
    (folder / "tiny.toml").write_text(config)
    command = ["train", "--config", "tiny.toml", "--seeds", "2", "--out", "out"]
    assert run(*command) == 0
    before = [(folder / "out" / f"seed_{seed}" / "state.safetensors").read_bytes() for seed in (0, 1)]
    assert run(*command) == 0
    shaped = [*command, "--shaping", "python:seeds_module.nothing"]
    assert "the run was saved without a custom shaping: pass none" in complaint(shaped, capsys)
    assert [(folder / "out" / f"seed_{seed}" / "state.safetensors").read_bytes() for seed in (0, 1)] == before
    assert run("train", "--resume", folder / "out" / "seed_1", "--decisions", "1024") == 0
    longer = Config(**{**vars(resume_config(folder / "out" / "seed_0")), "decisions": 1024})
    first = Run.resume(folder / "out" / "seed_0", longer)
    first.save()  # stopped at once: its summary is that of the shorter run
    first.close()
    assert run(*command, "--decisions", "1024") == 0
    assert json.loads((folder / "out" / "seed_0" / "summary.json").read_text())["decisions"] == 1024


def test_a_band_is_the_mean_minimum_and_maximum_where_all_curves_exist() -> None:
    at, middle, lowest, highest = band([[(0, 0.0), (100, 1.0)], [(10, 0.5), (60, 0.5), (200, 0.3)]])
    assert (at[0], at[-1]) == (10, 100)
    first, last = 0.5 - 0.2 * 40 / 140, 1.0
    np.testing.assert_allclose([lowest[0], middle[0], highest[0]], [0.1, 0.3, 0.5])
    np.testing.assert_allclose([lowest[-1], middle[-1], highest[-1]], [first, (first + last) / 2, last])


def test_each_seed_makes_its_network_and_calls_the_callbacks(tmp_path: Path) -> None:
    class Tiny(nn.Module):
        def __init__(self, game: Game) -> None:
            super().__init__()
            self.heads = nn.Linear(game.num_features, game.num_actions + 1)

        def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
            both = self.heads(observation)
            return both[:, :-1], both[:, -1]

    heard: list[int] = []
    config = Config(**{**vars(SMALL), "network": Network(), "decisions": 256})
    train_seeds(
        config, tmp_path, 2, network=Tiny, callbacks=[lambda run, metrics: heard.append(run.config.seed)],
        progress=False, say=lambda line: None,
    )  # fmt: skip
    assert heard == [0, 1]
    first, second = (Policy.load(tmp_path / f"seed_{seed}", network=Tiny).network.state_dict() for seed in (0, 1))
    assert not torch.equal(first["trunk.module.heads.weight"], second["trunk.module.heads.weight"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "1"], "seeds must be an integer from 2 to 10, not 1"),
        (["--seeds", "3", "--evaluate-against"], "evaluate_against must name at least one opponent"),
        (["--seeds", "3", "--algorithm", "maskable_ppo"], "maskable_ppo takes neither --seeds"),
        (["--own-network", "seeds_module.Tiny"], "'seeds_module.Tiny' must name a module"),
        (["--own-network", "python:seeds_module.nothing"], "the network nothing could not be made: TypeError"),
        (["--own-network", "python:seeds_module.Tiny", "--network.hidden", "8"], "network.hidden has no effect"),
        (["--shaping", "python:seeds_module.none"], "has no function or class none"),
    ],
)
def test_wrong_options_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert message in complaint(["train", "--config", "tiny.toml", "--out", "out", *options], capsys)
    assert not (folder / "out").exists()


def test_a_custom_network_replaces_the_configs_network(folder: Path) -> None:
    (folder / "tiny.toml").write_text(f"{CONFIG}[network]\nhidden = [8]\n")
    assert run("train", "--config", "tiny.toml", "--out", "out", "--own-network", "python:seeds_module.Tiny") == 0
    assert Policy.load("out", network=find_code("python:seeds_module.Tiny")).network.hidden == ()


def test_custom_code_is_named_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = ["--own-network", "python:seeds_module.Tiny", "--shaping", "python:seeds_module.nothing"]
    assert run("train", "--config", "tiny.toml", "--out", "out", *code) == 0
    name = "network:seeds_module.Tiny:out"
    assert f"evaluate {name} --play sample argmax --against random greedy expert\n" in capsys.readouterr().out
    assert run("evaluate", f"{name}@argmax", "--against", "random", "--games", 4) == 0
    assert "out@argmax" in capsys.readouterr().out
    assert "as in network:my_networks.Residual:runs/own" in complaint(["evaluate", "network:seeds_module.Tiny"], capsys)
    assert "has no function or class Big" in complaint(["evaluate", "network:seeds_module.Big:out"], capsys)
    assert "network:MODULE.Tiny:out" in complaint(["evaluate", "out"], capsys)
    longer = ["train", "--resume", "out", "--decisions", "1024"]
    assert "saved with the custom network Tiny: pass it" in complaint(longer, capsys)
    assert "saved with the custom shaping nothing: pass it" in complaint([*longer, *code[:2]], capsys)
    assert run(*longer, *code) == 0
    assert "has a custom network, Tiny" in complaint(["evaluate", "out", "--against", "random"], capsys)
