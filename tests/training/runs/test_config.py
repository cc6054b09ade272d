"""Settings of runs: files, and wrong settings."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames_training.config import PPO, Config, Network, Opponents, read_config, to_toml
from spygames_training.runs.run import Run
from tests.cli.command import run as command_line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decisons = 5", "unknown key decisons"),
        ("[ppo]\nclip = 'much'", "ppo.clip must be a number, not 'much'"),
        ("[network]\nkind = 'deep'", "network.kind must be mlp, entities or recurrent"),
        ("[network]\ncritic = 'none'", "network.critic must be own or all"),
        ("[ppo]\ngames = 3", r"ppo.games must be a multiple of workers \(2\), not 3"),
        ("[opponents]\nshare = 0.5", "opponents.share must be 0 without opponents"),
        ("decisions = ", "Invalid value"),
        ("workers = 0", "workers must be from 1"),
        ("evaluate_games = 0", "evaluate_games must be from 1 to 1000000"),
        ("evaluate_games = 1_000_000_000", "evaluate_games must be from 1 to 1000000"),
        ("decisions = true", "decisions must be .*, not True"),
        ("ppo.games = 1_000_000_000_000_000_000", r"ppo.games must be .*0 to 2\^53 - 1"),
        ("x = " + "[" * 5000, "nested too deeply"),
        ("# " * 10_000, "it is longer than 16384 bytes"),
        ("seed = -1", r"seed must be .*0 to 2\^53 - 1, not -1"),
        ("ppo = 3", "ppo must be a table"),
        ("[ppo]\nlearning_rate = nan", "ppo.learning_rate must be a number"),
        ("[ppo]\nvalue_weight = -0.5", "ppo.value_weight must be a number >= 0, not -0.5"),
        ("[network]\nhidden = [0]", "network.hidden must be at most 16 widths from 1 to 8192"),
        ("[network]\nhidden = ['a']", "network.hidden must be a list of "),
        ("[opponents]\nbots = [1]", "opponents.bots must be a list of strings"),
    ],
)
def test_a_wrong_config_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_config(path)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"evaluate_against": "random"}, "evaluate_against must be a list of strings, not 'random'"),
        ({"decisions": "1000"}, "decisions must be .*, not '1000'"),
        ({"ppo": 3}, "ppo must be a PPO, not 3"),
        ({"save_every": float("nan")}, "save_every must be a number, not nan"),
        ({"options": [1]}, r"options must be a table of keys and values, not \(1,\)"),
        ({"device": "tpu"}, "device must be auto, cpu or cuda, not 'tpu'"),
    ],
)
def test_a_wrong_config_in_python_gets_the_same_message(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Config(**wrong)


@pytest.mark.parametrize(
    ("section", "wrong", "message"),
    [
        (Network, {"hidden": 64}, "network.hidden must be a list of .*, not 64"),
        (Network, {"critic": "none"}, "network.critic must be own or all, not 'none'"),
        (Network, {"kind": "entities", "hidden": ()}, r"network.hidden must be at least one width with .*, not \(\)"),
        (Network, {"embedding": 3}, "network.embedding must be even, positive and at most 8192, not 3"),
        (PPO, {"clip": 0}, "ppo.clip must be positive, not 0"),
        (PPO, {"reward_scale": 0.0}, "ppo.reward_scale must be positive, not 0.0"),
        (PPO, {"steps": 1}, "ppo.steps must be at least 2, not 1"),
        (Opponents, {"draw": "all"}, "opponents.draw must be even or hard, not 'all'"),
        (Opponents, {"temperature": 0}, "opponents.temperature must be positive, not 0"),
        (Opponents, {"share": 0.5}, "opponents.share must be 0 without opponents, not 0.5: .*"),
    ],
)
def test_a_section_checks_its_own_values(section: type, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        section(**wrong)


def test_configs_of_windows_editors_are_read_or_named(tmp_path: Path) -> None:
    path, text = tmp_path / "run.toml", 'game = "agent_avenue_v0"\r\nname = "Grüße"\r\n'
    path.write_bytes(text.encode("utf-8-sig"))
    assert read_config(path) == Config(name="Grüße")
    for encoding, message in (("utf-16", "UTF-16, and must be UTF-8"), ("latin-1", "UTF-8, but line 2 is not")):
        path.write_bytes(text.encode(encoding))
        with pytest.raises(ValueError, match=rf"run\.toml: the file .*{message}"):
            read_config(path)


def test_a_config_survives_writing_and_reading(tmp_path: Path) -> None:
    config = Config(name="😀 \x7f $x", options={"players": 2, "a b": [1, {"ü": 2.5}], 'x\n"[y]': "z"})
    path = tmp_path / "run.toml"
    path.write_text(to_toml(config), encoding="utf-8")
    assert read_config(path) == config


def test_numpy_values_can_be_settings() -> None:
    one, half = np.int64(1), np.float32(0.5)
    config = Config(
        game=np.array(["heimlich_v0"])[0],
        options={np.str_("players"): np.int64(3), "deck": [np.int8(1)]},
        seed=one,  # type: ignore[arg-type]
        evaluate_every=half,  # type: ignore[arg-type]
        network=Network(hidden=np.array([8, 4]), kind=np.str_("mlp")),  # type: ignore[arg-type]
        ppo=PPO(games=np.int32(4), clip=half, kl_end=half),  # type: ignore[arg-type]
        opponents=Opponents(bots=[np.str_("random")], share=half),  # type: ignore[arg-type, list-item]
    )
    plain = Config(
        game="heimlich_v0", options={"players": 3, "deck": [1]}, seed=1, evaluate_every=0.5,
        network=Network((8, 4)), ppo=PPO(games=4, clip=0.5, kl_end=0.5), opponents=Opponents(0.5, ("random",)),
    )  # fmt: skip
    assert config == plain
    assert json.dumps(asdict(config)) == json.dumps(asdict(plain))
    assert to_toml(config) == to_toml(plain)
    with pytest.raises(ValueError, match=r"seed must be .*, not True"):
        Config(seed=np.bool_(True))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"decisions must be .*, not 2\.0"):
        Config(decisions=np.float64(2))  # type: ignore[arg-type]


def test_a_list_in_a_config_equals_a_tuple() -> None:
    assert Config(network=Network(hidden=[8])).network.hidden == (8,)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ppo": PPO(games=10**9)}, r"ppo\.games 1000000000 x ppo\.steps 64 need .* GiB"),
        ({"ppo": PPO(steps=10**12)}, r"ppo\.games 1024 x ppo\.steps 1000000000000 need .* GiB"),
        ({"evaluate_against": ("mcts:1000000000",)}, "evaluate_against: .*mcts:1000000000.* 1 to 1000000 simulations"),
        ({"opponents": Opponents(share=0.5, bots=("gredy",))}, r"opponents\.bots: no player 'gredy'"),
        ({"evaluate_against": ("gredy",)}, r"evaluate_against: no player 'gredy'"),
    ],
)
def test_excessive_or_unknown_values_are_reported_with_their_setting(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        Run.create(Config(**wrong), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--config", "none.toml"], "cannot read none.toml: No such file or directory"),
        (["--resume", "none", "--out", "other"], "omit --config, --out and --option"),
        (["--resume", "none"], "none holds no run to resume: nothing was saved there"),
        (["--resume", "checkpoints/heimlich_2"], "it has an agent, but not the state of its training"),
        (["--evaluate-against", "nobody"], "nobody"),
        (["--option", "players=9"], "players must be"),
        (["--option", "colour=9"], "unexpected keyword argument 'colour'"),
        (["--out", "pyproject.toml"], "pyproject.toml"),
    ],
)
def test_a_wrong_option_gives_one_line(
    options: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[3])
    assert command_line("train", *options) == 2
    line = capsys.readouterr().err.strip().splitlines()[-1]
    assert line.startswith("spygames train: ")
    assert message in line
