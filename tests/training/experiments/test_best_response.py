"""A learner against one frozen agent: its network, its run, resuming after a stop, and the report."""

import json
import os
import re
import shutil
import signal
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from studies.card_page import card

import spygames
from spygames_app.cli.arguments import agent_and_game
from spygames_training import best_response
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.config import PPO, Config, Network, Opponents, from_mapping
from spygames_training.evaluation.evaluation import Result
from spygames_training.evaluation.kept_games import KeptGames
from spygames_training.experiments import best_response as library
from spygames_training.experiments.best_response import KnownSearch, _learners, learner_run, measure
from spygames_training.measuring import BestResponse
from spygames_training.networks.actor_critic import make_network
from spygames_training.runs.folder import resume_config
from spygames_training.runs.run import Diverged, Run
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.settings import SearchSettings
from tests.cli.command import complaint, run
from tests.training.evaluation.test_kept_games import Stops


@pytest.fixture
def small_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let updates have 256 decisions."""
    monkeypatch.setattr(library, "PPO", partial(PPO, games=32, steps=8, minibatch=64))


def agent(folder: Path, network: Network | None = None, game: str = "agent_avenue_v0", **options: int) -> Path:
    """Save an untrained agent in a run's folder and return the folder."""
    torch.manual_seed(0)
    made = spygames.make_game(game, **options)
    save_checkpoint(folder / "checkpoint", made, make_network(made, network or Network((16,))), 0)
    return folder


def short(*more: str | Path, decisions: int = 512) -> list[str]:
    return [*map(str, more), "--decisions", str(decisions), "--games", "40", "--workers", "1"]


def test_it_learns_to_beat_an_agent_that_plays_randomly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(library, "PPO", partial(PPO, games=128, steps=32, minibatch=256, learning_rate=5e-3, ema=0.98))
    out = tmp_path / "out"
    argv = ["--decisions", "50000", "--games", "1000", "--out", str(out)]
    assert run("best-response", *[str(agent(tmp_path / "green", Network((32,)))), *argv]) == 0
    figures = json.loads((out / "best_response.json").read_text())
    assert (figures["agent"], figures["decisions"], figures["fair_share"]) == ("green@sample", 50_000, 0.5)
    assert resume_config(out).decisions == 100_000  # of both sides
    for how in ("sample", "argmax"):
        low, high = figures[how]["interval"]
        assert 0.55 < low < figures[how]["win_share"] < high
        assert figures[how]["games"] == 1000
    decisions, shares = zip(*figures["curve"], strict=True)
    assert 10 < len(decisions) <= library.CURVE
    assert decisions[-1] >= 50_000 > decisions[-2]
    assert shares[0] + 0.05 < shares[-1] < 1  # it learns
    screen = " ".join(capsys.readouterr().out.split())
    assert f"{100 * figures['argmax']['win_share']:.1f}" in screen
    assert "fair share 50.0 %" in screen


@pytest.mark.parametrize(
    "network", [Network((16,), "recurrent", memory=8), Network((16, 8), "entities", embedding=8)], ids=lambda n: n.kind
)
def test_the_learner_has_a_network_like_the_agents(tmp_path: Path, network: Network, small_updates: None) -> None:
    """The learner has its own critic, also if the agent was saved without one."""
    for critic in ("own", "all"):
        made = Network(network.hidden, network.kind, network.embedding, network.memory, critic)
        out = tmp_path / f"out {critic}"
        assert run("best-response", *short(agent(tmp_path / critic, made), "--out", out)) == 0
        learner = resume_config(out).network
        assert (learner.kind, learner.hidden, learner.critic) == (network.kind, network.hidden, "own")
        assert {"recurrent": learner.memory, "entities": learner.embedding}[network.kind] == 8


@pytest.mark.parametrize("inner", ["", "checkpoint"])
def test_the_run_is_named_after_the_agent(
    inner: str, tmp_path: Path, small_updates: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("best-response", *short(agent(tmp_path / "green") / inner, "--play", "argmax")) == 0
    (file,) = tmp_path.rglob("best_response.json")
    assert file.parent == tmp_path / "runs" / "best_response_green"
    assert json.loads(file.read_text())["agent"] == "green@argmax"


def test_between_three_sides_the_fair_share_is_that_of_the_agent(
    tmp_path: Path, small_updates: None, capsys: pytest.CaptureFixture[str]
) -> None:
    green = agent(tmp_path / "green", game="heimlich_v0", players=3)
    assert run("best-response", *short(green, "--out", tmp_path / "out")) == 0
    figures = json.loads((tmp_path / "out" / "best_response.json").read_text())
    assert 0 < figures["fair_share"] < 1 / 3  # a game may end without a winner
    screen = " ".join(capsys.readouterr().out.split())  # the caption is wrapped
    assert "fair share %" in screen
    assert f" {100 * figures['fair_share']:.1f} " in screen
    assert resume_config(tmp_path / "out").decisions == 3 * 512


def test_a_team_makes_half_of_all_decisions_and_learns_against_the_agent_alone(
    tmp_path: Path, small_updates: None
) -> None:
    green = agent(tmp_path / "green", players=4)
    learner = learner_run(green, tmp_path / "out", decisions=512, workers=1)
    learner.close()
    config = learner.config
    assert config.decisions == 2 * 512
    assert config.opponents == Opponents(1.0, (f"{green}@sample",))
    assert (config.ppo.kl, config.ppo.entropy_end) == (0, 0)  # in the end only the result counts


def test_a_resumed_run_gives_the_same_result(
    tmp_path: Path, small_updates: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    green, whole, parts = agent(tmp_path / "green"), tmp_path / "whole", tmp_path / "parts"
    assert run("best-response", *short(green, "--out", whole)) == 0
    update = Run.update

    def interrupted(learner: Run) -> dict[str, float]:
        metrics = update(learner)
        signal.raise_signal(signal.SIGINT)
        return metrics

    with monkeypatch.context() as patched:
        patched.setattr(Run, "update", interrupted)
        capsys.readouterr()
        assert run("best-response", *short(green, "--out", parts)) == 130
    assert f" best-response --resume {parts}" in capsys.readouterr().out
    assert not (parts / "best_response.json").exists()
    assert run("best-response", *["--resume", str(parts), "--games", "40"]) == 0
    assert (parts / "best_response.json").read_bytes() == (whole / "best_response.json").read_bytes()
    weights = [(run / "checkpoint" / "model.safetensors").read_bytes() for run in (whole, parts)]
    assert weights[0] == weights[1]


def test_a_stop_during_the_evaluation_is_resumed_there(
    tmp_path: Path, small_updates: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(library, "evaluate", interrupted)
        assert run("best-response", *short(agent(tmp_path / "green"), "--out", out)) == 130
    assert f"--resume {out}" in capsys.readouterr().out
    trained = (out / "checkpoint" / "model.safetensors").read_bytes()
    assert run("best-response", *["--resume", str(out), "--games", "40"]) == 0
    assert (out / "checkpoint" / "model.safetensors").read_bytes() == trained
    assert (out / "best_response.json").exists()


def test_a_stop_before_the_run_begins_gives_one_line(
    tmp_path: Path, small_updates: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(library.Run, "create", interrupted)
    assert run("best-response", *short(agent(tmp_path / "green"), "--out", tmp_path / "out")) == 130
    assert capsys.readouterr().err == "spygames best-response: interrupted\n"


@pytest.mark.parametrize("error", [Diverged("no numbers any more"), OSError(28, "No space left on device")])
def test_an_error_during_the_run_gives_two_lines(
    error: Exception,
    tmp_path: Path,
    small_updates: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(run: Run) -> None:
        raise error

    monkeypatch.setattr(Run, "update", fails)
    out = tmp_path / "out"
    assert run("best-response", *short(agent(tmp_path / "green"), "--out", out)) == 1
    first, second = capsys.readouterr().err.splitlines()[-2:]
    assert first == f"spygames best-response: {error}"
    assert second.endswith(f" best-response --resume {out} --games 40")


def test_wrong_input_gives_one_line(tmp_path: Path, small_updates: None, capsys: pytest.CaptureFixture[str]) -> None:
    green, out = str(agent(tmp_path / "green")), str(tmp_path / "out")
    assert "--resume" in complaint(["best-response"], capsys)
    assert "--resume keeps the settings" in complaint(["best-response", "--resume", out, "--seed", "0"], capsys)
    assert "--resume keeps the settings" in complaint(["best-response", green, "--resume", out], capsys)
    assert "no run to resume" in complaint(["best-response", "--resume", out], capsys)
    assert "not 'best'" in complaint(["best-response", green, "--play", "best", "--out", out], capsys)
    assert "seed" in complaint(["best-response", green, "--seed", str(1 << 60), "--out", out], capsys)
    cut = shutil.copytree(green, tmp_path / "cut")
    (cut / "checkpoint" / "model.safetensors").write_bytes(b"cut")
    assert "model.safetensors" in complaint(["best-response", str(cut), "--out", out], capsys)
    assert not Path(out).exists()
    assert run("best-response", *short(green, "--out", out)) == 0
    assert f"best-response --resume {out}," in complaint(["best-response", green, "--out", out], capsys)


def test_a_search_without_a_learner_is_measured(
    tmp_path: Path, small_updates: None, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    argv = ["best-response", str(agent(tmp_path / "green")), "--search", "4", "--games", "10", "--out", str(out)]
    assert run(*argv, "--play", "argmax", "--precision", "bfloat16") == 0
    figures = json.loads((out / "best_response.json").read_text())
    assert [*out.iterdir()] == [out / "best_response.json"]
    assert (figures["agent"], figures["decisions"], figures["worlds"]) == ("green@argmax", 0, 4)
    assert (figures["search"]["games"], figures["worst"]) == (10, "search")
    assert figures["precision"] == "bfloat16"
    assert "+search:4" in capsys.readouterr().out
    assert "--precision is that of a search: add --search" in complaint([*argv[:2], "--precision", "bfloat16"], capsys)
    assert "another folder" in complaint(argv, capsys)
    assert "--workers is for a learner" in complaint([*argv, "--workers", "1"], capsys)


def test_a_folder_named_like_another_player_is_the_folder(
    tmp_path: Path, small_updates: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent(tmp_path / "best")
    monkeypatch.chdir(tmp_path)
    found = library.learner_run(Path("best"), "out", decisions=512, workers=1, start_from=Path("best"))
    own = Policy.load(Path("best"), "sample")
    assert [bot.policy.digest for bot in found.league.bots.values() if isinstance(bot, PolicyPlayer)] == [own.digest]
    assert found.config.start_from == f".{os.sep}best"


def test_a_resumed_run_keeps_the_result_of_its_search(
    tmp_path: Path, small_updates: None, capsys: pytest.CaptureFixture[str]
) -> None:
    green, out = agent(tmp_path / "green"), tmp_path / "out"
    assert run("best-response", *short(green, "--out", out), "--search", "2") == 0
    before = (out / "best_response.json").read_bytes()
    message = complaint(["best-response", "--resume", str(out), "--games", "4"], capsys)
    assert "has the result of a search: search with 2 worlds" in message
    assert (out / "best_response.json").read_bytes() == before
    (out / "best_response.json").write_bytes(before[:-9])
    message = complaint(["best-response", "--resume", str(out), "--games", "4"], capsys)
    assert "best_response.json is damaged: move it away" in message


def test_a_search_on_top_of_a_learner_is_measured_too(tmp_path: Path, small_updates: None) -> None:
    green, out = agent(tmp_path / "green"), tmp_path / "out"
    argv = [*short(green, "--out", out), "--search", "2", "--precision", "bfloat16", "--start-from", str(green)]
    assert run("best-response", *argv[:3], *argv[3:5], "--games", "10", *argv[7:]) == 0
    figures = json.loads((out / "best_response.json").read_text())
    assert (figures["worlds"], figures["precision"]) == (2, "bfloat16")
    assert {figures[how]["games"] for how in ("sample", "argmax", "search")} == {10}
    assert resume_config(out).start_from == str(green)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"worlds": 100_001}, "1 to 100000 worlds, as in [+]search:64, not 100001"),
        ({"worlds": 2, "precision": "half"}, "half"),
        ({"worlds": 2}, "has memory, and a search cannot use recurrent networks"),
        ({"games": 0}, "games must be"),
    ],
)
def test_a_measurement_that_must_fail_is_refused_before_the_training(
    given: dict[str, Any],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Run, "train", lambda _: pytest.fail("it trained"))
    kind = Network((16,), "recurrent", memory=8) if given == {"worlds": 2} else None
    green = agent(tmp_path / "green", kind)
    with pytest.raises(ValueError, match=message):
        best_response(green, tmp_path / "out", decisions=512, **given)
    if given.keys() == {"worlds"}:
        argv = short(green, "--out", tmp_path / "out", "--search", str(given["worlds"]))
        assert re.search(message, complaint(["best-response", *argv], capsys))
    assert not (tmp_path / "out").exists()


def test_a_mixture_is_met_by_its_members_and_measured_as_a_whole(
    tmp_path: Path, small_updates: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("green", "blue"):
        agent(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    called = []

    def searching(policy: Policy, settings: SearchSettings, rivals: list[Policy]) -> SearchingPolicy:
        called.append(([rival.name for rival in rivals], settings.step_lam))
        return SearchingPolicy(policy, settings, rivals)

    monkeypatch.setattr(library, "SearchingPolicy", searching)
    members, mixture = ("./green@argmax", "./blue@0.5"), "mix:./green@argmax|./blue"
    argv = ["best-response", mixture, "--play", "0.5", "--decisions", "512", "--workers", "1", "--search", "2"]
    assert run(*argv, "--games", "10", "--start-from", "./green") == 0
    out = tmp_path / "runs" / "best_response_mix_green_blue"
    config = resume_config(out)
    assert config.opponents.bots == members
    assert config.evaluate_against == ("mix:./green@argmax|./blue@0.5",)
    figures = json.loads((out / "best_response.json").read_text())
    assert figures["agent"] == "mix:green@argmax|blue@0.5"
    assert {figures[how]["games"] for how in ("sample", "argmax", "search")} == {10}
    assert run("best-response", "--resume", str(out), "--games", "10", "--search", "2") == 0
    assert json.loads((out / "best_response.json").read_text()) == figures
    assert run("best-response", mixture, "--search", "2", "--games", "10", "--out", str(tmp_path / "alone")) == 0
    alone = json.loads((tmp_path / "alone" / "best_response.json").read_text())
    assert (alone["agent"], alone["decisions"]) == ("mix:green@argmax|blue@sample", 0)
    *learned, last = called  # before each training and for the measurement
    assert learned == [(["green@argmax", "blue@0.5"], 0.9)] * 4
    assert last == (["green@argmax", "blue@sample"], 0.9)
    capsys.readouterr()
    assert "is not a checkpoint" in complaint(["best-response", "mix:./green|greedy"], capsys)
    agent(tmp_path / "other", game="heimlich_v0")
    wrong = complaint(["best-response", "mix:./green|./other", "--out", "runs/none"], capsys)
    assert "was trained on 'heimlich_v0', not on agent_avenue_v0" in wrong
    wrong = complaint(["best-response", "mix:./other|./green", "--game", "heimlich_v0"], capsys)
    assert "green/checkpoint was trained on 'agent_avenue_v0', not on heimlich_v0" in wrong


def test_a_mixture_plays_with_the_history_of_its_members(tmp_path: Path) -> None:
    """In either order, as in `evaluate`."""
    names = [str(agent(tmp_path / "old")), str(agent(tmp_path / "new", history=2))]
    for members in (names, names[::-1]):
        mixture = f"mix:{'|'.join(members)}"
        for options in ({}, {"first_player": 1}):
            name, game = agent_and_game(mixture, None, options)
            (_, one), (_, two) = library.members_of(name, "", game)
            assert name == mixture
            assert one.game == two.game == spygames.make_game("agent_avenue_v0", history=2, **options)


@pytest.mark.parametrize(
    ("mixture", "message"),
    [
        ("mix:runs/a", "a mixture must have at least two players, as in mix:A|B, not 1"),
        ("mix:runs/a|", "a player of a mixture is missing in 'mix:runs/a|'"),
        ("mix:runs/a|mix:runs/b|runs/c", "must be no mixture and no search with rivals, not 'mix:runs/b'"),
        ("mix:runs/a+search:8,rivals=policy|runs/b", "not 'runs/a+search:8,rivals=policy'"),
    ],
)
def test_invalid_mixtures_are_refused(mixture: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As by `evaluate`."""
    for command in ("best-response", "evaluate"):
        assert message in complaint([command, mixture], capsys)
    with pytest.raises(ValueError, match=re.escape(message)):
        library.members_of(mixture, "")


@pytest.mark.slow
def test_the_learner_may_see_more_than_the_agent(
    tmp_path: Path, small_updates: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a history in the game, the agent plays as without one."""
    out, green, released = tmp_path / "out", str(agent(tmp_path / "green")), "agent_avenue/simple-2"
    learner = ["--decisions", "256", "--workers", "1", "--start-from", green, "--out", str(out)]
    assert run("best-response", green, "--option", "history=3", *learner, "--games", "6") == 0
    assert resume_config(out).options["history"] == 3
    game = spygames.make_game("agent_avenue_v0", history=3)
    assert load_checkpoint(out).network.state_dict()["trunk.0.weight"].shape[1] == game.num_features > 160
    assert run("best-response", "--resume", str(out), "--games", "6") == 0
    for name, play in ((released, "argmax"), (f"{released}@sample", "sample")):  # the first as it is meant to play
        alone = [name, "--option", "history=3", "--search", "2", "--games", "2", "--out", str(tmp_path / play)]
        assert run("best-response", *alone) == 0
        found = json.loads((tmp_path / play / "best_response.json").read_text())
        assert found["agent"] == f"{released}@{play}"
    capsys.readouterr()
    wrong = complaint(["best-response", released, "--option", "players=4", "--search", "2"], capsys)
    assert "has another layout than agent_avenue_v0 here" in wrong
    assert "trained with players=2 instead of 4" in wrong
    wrong = complaint(["best-response", f"{released}@sample", "--play", "argmax", "--search", "2"], capsys)
    assert "both say how to play" in wrong


def test_the_agent_of_a_game_of_ones_own_is_named_with_its_game(tmp_path: Path, small_updates: None) -> None:
    game, out = spygames.make_game("tests.poker.kuhn"), tmp_path / "out"
    save_checkpoint(tmp_path / "green", game, make_network(game, Network((8,))), 0)
    argv = ["best-response", str(tmp_path / "green"), "--game", "tests.poker.kuhn", "--search", "2", "--games", "4"]
    assert run(*argv, "--out", str(out)) == 0
    assert json.loads((out / "best_response.json").read_text())["agent"] == "green@sample"


def test_the_command_to_resume_measures_the_same(
    tmp_path: Path, small_updates: None, capsys: pytest.CaptureFixture[str]
) -> None:
    game, out = spygames.make_game("tests.poker.kuhn"), tmp_path / "out"
    save_checkpoint(tmp_path / "green", game, make_network(game, Network((8,))), 0)
    out.mkdir()
    (out / "state.safetensors").touch()  # there is a run already
    argv = [*short(tmp_path / "green", "--out", out), "--game", "tests.poker.kuhn"]
    line = complaint(["best-response", *argv, "--search", "4", "--precision", "bfloat16"], capsys)
    assert f"best-response --resume {out} --games 40 --search 4 --precision bfloat16 --allow-code, or" in line


def test_the_learner_begins_with_the_given_weights(tmp_path: Path, small_updates: None) -> None:
    """All of its networks do, for both kinds of critic, with the value in the run's unit."""
    green = agent(tmp_path / "green")
    weights = load_checkpoint(green).network.state_dict()
    for critic in ("own", "all"):
        config = Config(
            network=Network((16,), critic=critic), start_from=str(green), workers=1,
            ppo=PPO(games=32, steps=8, minibatch=64, reward_scale=2.0),
        )  # fmt: skip
        made = Run.create(config, tmp_path / critic)
        for network in (made.learner.network, made.learner.ema, made.learner.reference):
            found = network.actor()
            for name, tensor in weights.items():
                assert torch.equal(found[name], tensor * (2 if name.startswith("value") else 1)), name


@pytest.mark.parametrize(
    ("game", "network", "line"),
    [
        ("heimlich_v0", Network((16,)), "was trained on 'heimlich_v0', not on agent_avenue_v0"),
        ("agent_avenue_v0", Network((8,)), r"its network has network.hidden \(8,\), the run \(16,\)"),
        ("agent_avenue_v0", Network((16,), "recurrent", memory=8), "network.kind recurrent, the run mlp"),
    ],
)  # fmt: skip
def test_weights_that_do_not_fit_give_one_line(game: str, network: Network, line: str, tmp_path: Path) -> None:
    green = agent(tmp_path / "green", network, game)
    with pytest.raises(ValueError, match=line) as error:
        Run.create(Config(network=Network((16,)), start_from=str(green), workers=1), tmp_path / "out")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_missing_start_agent_is_reported_with_its_setting(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^start_from 'runs/nobody': there is no such checkpoint"):
        Run.create(Config(network=Network((16,)), start_from="runs/nobody", workers=1), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_agent_records_what_it_began_with(tmp_path: Path, small_updates: None) -> None:
    """The record covers the whole chain of agents, so an earlier training opponent never counts as a new player."""
    green, settings = agent(tmp_path / "green"), PPO(games=32, steps=8, minibatch=64)
    first = Config(
        network=Network((16,)), start_from=str(green), workers=1, decisions=512, evaluate_against=(), ppo=settings,
        opponents=Opponents(0.5, ("greedy",)),
    )  # fmt: skip
    Run.create(first, tmp_path / "one").train()
    second = replace(first, start_from=str(tmp_path / "one"), opponents=Opponents(0.5, ("expert-1",)))
    Run.create(second, tmp_path / "two").save()
    Run.resume(tmp_path / "two").train()
    origin, one, two = (load_checkpoint(tmp_path / name) for name in ("green", "one", "two"))
    assert (origin.began_with, origin.decisions) == ({}, origin.meta["step"])
    assert one.began_with["weights"] == origin.meta["weights"]["sha256"]
    assert two.began_with["weights"] == one.meta["weights"]["sha256"] != two.meta["weights"]["sha256"]
    assert one.decisions == origin.meta["step"] + one.meta["step"]
    assert two.decisions == one.decisions + two.meta["step"] >= 1024
    assert (one.training_opponents, two.training_opponents) == (("greedy",), ("greedy", "expert-1"))
    said = card(two, "two")
    assert f"{two.decisions:,}, of which {one.decisions:,} by the agent that it started from (1 run, below)" in said
    assert str(tmp_path / "one") not in said
    again = [from_mapping(Config, tomllib.loads(part.partition("```")[0])) for part in said.split("```toml\n")[1:]]
    assert again == [replace(first, start_from=str(green)), replace(second, start_from="runs/1")]
    assert "stopped (Ctrl-C)" not in said
    assert [run["seconds"] for run in two.began_with["runs"]] == [one.meta["extra"]["seconds"]]
    three = Run.create(replace(second, start_from=str(tmp_path / "two")), tmp_path / "three")
    three.close()
    runs = three.progress["began_with"]["runs"]  # the oldest first
    assert [run["config"]["start_from"] for run in runs] == [str(green), str(tmp_path / "one")]
    (run,) = two.began_with["runs"]
    short_of = {**two.began_with, "runs": [{**run, "step": 300}]}
    two.meta["extra"]["began_with"] = short_of
    assert "`1.toml`, stopped (Ctrl-C) after 300 decisions:" in card(two, "two")
    assert "with this `agent.toml`:" in card(one, "one")
    one.meta["step"] = 300
    assert "with this `agent.toml`, stopped (Ctrl-C) after 300 decisions:" in card(one, "one")


def test_a_resumed_run_does_not_need_its_first_weights(tmp_path: Path, small_updates: None) -> None:
    green, out = agent(tmp_path / "green"), tmp_path / "out"
    config = Config(
        network=Network((16,)), start_from=str(green), workers=1, decisions=512, evaluate_against=(),
        ppo=PPO(games=32, steps=8, minibatch=64),
    )  # fmt: skip
    Run.create(config, out).train()
    shutil.rmtree(green)
    assert Run.resume(out).finished


def test_the_curve_against_a_mixture_weighs_each_member(tmp_path: Path, small_updates: None) -> None:
    once, twice = agent(tmp_path / "once"), agent(tmp_path / "twice")
    learner = library.learner_run(f"mix:{once}|{twice}|{twice}", tmp_path / "out", decisions=512, workers=1)
    names = [bot.name for bot in learner.league.bots.values()]
    row = {f"won_at_tables/{name}": share for name, share in zip(names, (0.75, 0.25, 0.25), strict=True)}
    (learner.folder / "metrics.jsonl").write_text(json.dumps({"decisions": 1024, **row}) + "\n")
    ((decisions, share),) = library.learning_curve(learner)
    assert decisions == 512
    assert share == pytest.approx((0.75 + 2 * 0.25) / 3)


def scaled(folder: Path, scale: float = 4.0) -> Path:
    torch.manual_seed(0)
    game = spygames.make_game("agent_avenue_v0")
    extra = {"config": {"ppo": {"reward_scale": scale}}}
    save_checkpoint(folder / "checkpoint", game, make_network(game, Network((16,))), 0, extra=extra)
    return folder


def result(share: float, low: float) -> Result:
    return Result("x", "y", 2, 4, share, (low, 1.0), "", 0.5, 0.0, (-1.0, 1.0), "", (share, share))


def test_the_worst_result_has_the_highest_lower_end() -> None:
    results = {"sample": result(0.6, 0.5), "argmax": result(0.9, 0.4), "search": result(0.55, 0.52)}
    assert BestResponse("agent", 0, 0, results).worst == "search"


def test_a_search_on_the_agent_reads_its_values_in_their_unit(tmp_path: Path) -> None:
    search = KnownSearch.of(scaled(tmp_path / "green"), tmp_path / "out", worlds=2)
    assert search.challenger.policy.value_unit == 4.0
    assert search.challenger.settings.step_lam == 0.7  # its values fit the agent's play


def test_a_search_on_a_learner_reads_its_values_in_their_unit(tmp_path: Path) -> None:
    learner = learner_run(scaled(tmp_path / "green"), tmp_path / "out", decisions=512, workers=1)

    config = replace(learner.config, ppo=replace(learner.config.ppo, reward_scale=2.0))
    players: Any = _learners(learner.game, config, learner.learner.network, 2, "float32")
    assert players["search"].policy.value_unit == 2.0
    assert players["search"].settings.step_lam == 0.9  # its values do not fit the agent's play


def played(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Return a list of the numbers and seeds of the games that will be played, which have a made-up result."""
    found: list[tuple[object, ...]] = []

    def evaluate(_: object, __: object, ___: object, *games: object) -> list[Result]:
        found.append(games[:2])
        return [result(0.6, 0.5)]

    monkeypatch.setattr(library, "evaluate", evaluate)
    return found


def test_a_learner_is_measured_in_the_games_of_its_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = learner_run(scaled(tmp_path / "green"), tmp_path / "out", decisions=512, workers=1, seed=7)
    games = played(monkeypatch)
    with pytest.raises(FileNotFoundError, match=r"metrics\.jsonl"):
        measure(learner, learner.learner.network, 6)
    assert not games  # for the curve of its figures would be missing
    (learner.folder / "metrics.jsonl").write_text("")
    assert measure(learner, learner.learner.network, 6).seed == 7
    assert games == [(6, 7)] * 2
    learner.close()


def test_a_search_alone_plays_the_games_of_its_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    green, games = scaled(tmp_path / "green"), played(monkeypatch)
    argv = ["best-response", green, "--search", 1, "--games", 2, "--seed", 7, "--out", tmp_path / "out"]
    assert run(*argv) == 0
    assert json.loads((tmp_path / "out" / "best_response.json").read_text())["seed"] == 7
    assert games == [(2, 7)]


def test_the_length_of_an_update_is_what_the_docs_say() -> None:
    assert f"whole updates\n            of {PPO().games * PPO().steps:,}" in (best_response.__doc__ or "")


def test_a_stopped_measurement_plays_only_the_games_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = learner_run(scaled(tmp_path / "green"), tmp_path / "out", decisions=512, workers=1)
    (run.folder / "metrics.jsonl").write_text("")
    monkeypatch.setattr(KeptGames, "lockstep", 4)
    usual = measure(run, run.learner.network, 8, worlds=2).as_json()
    (run.folder / "best_response.json").unlink()
    with pytest.raises(KeyboardInterrupt):
        measure(run, run.learner.network, 8, worlds=2, executor=Stops(3))  # in the second half of the search's games
    assert len([*(run.folder / "games_so_far").iterdir()]) == 1
    last = Stops(99)
    assert measure(run, run.learner.network, 8, worlds=2, executor=last).as_json() == usual
    assert last.tasks == 3
    assert not (run.folder / "games_so_far").exists()
    run.close()
