"""Making one agent out of two."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from studies.card_page import card
from studies.join_agents import How, Study, join_networks, main

from spygames import make_game
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.config import PPO, Config, Network
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.runs.run import Run
from tests.poker import kuhn
from tests.support.training_records import runs_behind

GAME = kuhn.make_game()


def network(seed: int, *hidden: int, **more: Any) -> ActorCritic:
    torch.manual_seed(seed)
    found = make_network(GAME, Network(hidden, **more))
    with torch.no_grad():
        for weights in found.parameters():
            weights.uniform_(-1, 1)  # large ones, biases included
    return found


@pytest.mark.parametrize("hidden", [(5,), (6, 4), (3, 4, 5)])
def test_side_by_side_gives_the_mean_of_what_both_give(hidden: tuple[int, ...]) -> None:
    one, two = network(1, *hidden), network(2, *(width + 1 for width in hidden))
    joined = join_networks(GAME, (one, two), "beside")
    assert joined.config.hidden == tuple(2 * width + 1 for width in hidden)
    view = torch.rand(50, GAME.num_features)
    for theirs, a, b in zip(joined(view), one(view), two(view), strict=True):
        torch.testing.assert_close(theirs, (a + b) / 2, rtol=0, atol=1e-4)


def test_the_mean_has_the_mean_of_the_weights() -> None:
    one, two = network(1, 6, 4), network(2, 6, 4)
    joined = join_networks(GAME, (one, two), "mean").state_dict()
    assert all(torch.equal(joined[name], (one.state_dict()[name] + two.state_dict()[name]) / 2) for name in joined)


@pytest.mark.parametrize(
    ("other", "how", "words"),
    [
        (network(2, 6), "beside", "the hidden layers differ: 6x4 and 6"),
        (network(2, 6, 5), "mean", "the hidden layers differ: 6x4 and 6x5"),
        (network(2, 6, 4, kind="recurrent"), "beside", "only networks of linear layers"),
        (network(2, 6, 4, values="split"), "beside", "only networks of linear layers"),
    ],
)
def test_networks_that_do_not_fit_are_refused(other: ActorCritic, how: How, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        join_networks(GAME, (network(1, 6, 4), other), how)


def test_values_in_other_units_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = make_game("agent_avenue_v0")
    scaled = {"config": {"ppo": {"reward_scale": 2.0}}}
    for name, extra in {"one": {}, "two": scaled}.items():
        save_checkpoint(tmp_path / name, game, make_network(game, Network((4,))), 7, {}, extra)
    assert main([str(tmp_path / "one"), str(tmp_path / "two"), "--out", str(tmp_path / "out")]) == 2
    assert "a run had ppo.reward_scale other than 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_joined_agent_trained_against_the_opponents_of_both(tmp_path: Path) -> None:
    game, names = make_game("agent_avenue_v0"), [str(tmp_path / name) for name in ("one", "two")]
    for name, bots in zip(names, (["greedy"], ["expert", "greedy"]), strict=True):
        extra = {"config": {"opponents": {"share": 0.5, "bots": bots}}}
        save_checkpoint(Path(name), game, make_network(game, Network((4,))), 7, {}, extra)
    assert main([*names, "--out", str(tmp_path / "out")]) == 0
    assert load_checkpoint(tmp_path / "out").training_opponents == ("greedy", "expert")


@pytest.mark.parametrize(("seed", "decisions"), [(1, 14), (2, 21)])
def test_a_run_that_was_made_longer_counts_once(tmp_path: Path, seed: int, decisions: int) -> None:
    game, names = make_game("agent_avenue_v0"), [str(tmp_path / name) for name in ("one", "two")]
    for name, config in zip(names, ({"decisions": 7, "seed": 1}, {"decisions": 14, "seed": seed}), strict=True):
        net = make_network(game, Network((4,)))
        save_checkpoint(Path(name), game, net, config["decisions"], {}, {"config": config})
    assert main([*names, "--out", str(tmp_path / "out")]) == 0
    assert load_checkpoint(tmp_path / "out").decisions == decisions


def test_an_existing_folder_and_a_history_that_the_game_does_not_have_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = make_game("heimlich_v0", players=2)
    one, out = tmp_path / "one", tmp_path / "out"
    save_checkpoint(one, game, make_network(game, Network((4,))), 7)
    before = {file: file.read_bytes() for file in one.iterdir()}
    assert main([str(one), str(one), "--out", str(one)]) == 2
    assert f"{one} already exists and is not an empty folder: choose another" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in one.iterdir()} == before
    assert main([str(one), str(one), "--without-history", "--out", str(out)]) == 2
    assert "--without-history needs a game with the option history, not heimlich_v0" in capsys.readouterr().err
    assert main([f"{one}@argmax", str(one), "--out", str(out)]) == 2
    assert f"{one}@argmax says how the agent plays: name the checkpoint alone, {one}" in capsys.readouterr().err
    history, plain = tmp_path / "history", tmp_path / "plain"
    for folder, options in ((history, {"history": 2}), (plain, {})):
        made = make_game("agent_avenue_v0", **options)
        save_checkpoint(folder, made, make_network(made, Network((4,))), 7)
    assert main([str(plain), str(history), "--out", str(out)]) == 2
    assert "the second agent sees more of the history than the first one: name it first" in capsys.readouterr().err
    assert not out.exists()
    out.mkdir()
    assert main([str(one), str(one), "--out", str(out)]) == 0
    assert load_checkpoint(out).game == game


@pytest.mark.slow
def test_a_run_from_the_joined_agent_keeps_the_records_of_both(tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0", history=1)
    config = Config(
        decisions=64,
        options={"history": 1},
        network=Network((4,)),
        ppo=PPO(games=8, steps=8, minibatch=64),
        evaluate_against=(),
    )
    trained, plain, joined, wide, after = (str(tmp_path / name) for name in ("trained", "plain", "joined", "wide", "x"))
    Run.create(config, Path(trained)).train()
    without = make_game("agent_avenue_v0")  # a view without history
    save_checkpoint(plain, without, make_network(without, Network((4,))), 7)
    assert Study(trained, plain, Path(joined)).run() == 0
    assert Study(trained, joined, Path(wide)).run() == 0
    found = load_checkpoint(wide)
    assert found.game.options == game.options
    assert found.decisions == 64  # of one run, which is behind both parts
    assert Study(joined, trained, Path(after), without_history=True).run() == 0
    one, two, none = (load_checkpoint(name) for name in (joined, trained, after))
    assert none.game.options == without.options
    view, (missing,) = torch.rand(5, without.num_features), {game.num_features - without.num_features}
    blank = torch.cat([view, torch.zeros(5, missing)], 1)
    torch.testing.assert_close(none.network(view)[0], (one.network(blank)[0] + two.network(blank)[0]) / 2)
    Run.create(replace(config, network=Network((12,)), start_from=wide), Path(after + "1")).train()
    Run.create(replace(config, network=Network((12,)), start_from=after + "1"), Path(after + "2")).train()
    found = load_checkpoint(after + "2")
    assert found.decisions == 3 * 64
    assert len(found.began_with["runs"]) == 1
    assert found.began_with["joined"]["how"] == "beside"
    assert [part["agent"] for part in found.began_with["joined"]["agents"]] == [trained, joined]
    other = replace(config, network=Network((12,)), start_from=wide, seed=2)
    Run.create(other, Path(after + "3")).train()
    for k, parts in enumerate([("1", "3"), ("1", "m0"), ("m0", "m1")]):
        names = [after + part for part in parts]
        assert Study(names[0], names[1], Path(f"{after}m{k}"), how="mean").run() == 0
    found = load_checkpoint(after + "m2")
    assert found.decisions == 3 * 64
    runs = [(run["start_from"], run["seed"]) for run in runs_behind(found.meta["extra"])]
    assert runs == [("", config.seed), (wide, config.seed), (wide, 2)]
    text = json.dumps(found.meta["extra"])
    assert [text.count(json.dumps(word)) for word in ("config", "beside")] == [3, 2]  # each record once
    commands = re.findall(r"^    (.*) --out (runs/[0-9]+)$", card(found, "mine"), re.MULTILINE)
    assert commands == [
        ("spygames train --config 1.toml", "runs/1"),
        (f"python -m studies.join_agents runs/1 {plain} --how beside", "runs/2"),
        ("python -m studies.join_agents runs/1 runs/2 --how beside", "runs/3"),
        ("spygames train --config 4.toml", "runs/4"),
        ("spygames train --config 5.toml", "runs/5"),
        ("python -m studies.join_agents runs/4 runs/5 --how mean", "runs/6"),
        ("python -m studies.join_agents runs/4 runs/6 --how mean", "runs/7"),
        ("python -m studies.join_agents runs/6 runs/7 --how mean", "runs/8"),
    ]
